"""Drives Chromium without a window, by its DevTools protocol over two pipes. Needs nothing but Python."""

import itertools
import json
import os
import shutil
import subprocess

PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")



class Browser:
    """A browser with one empty profile."""

    def __init__(self, profile):
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        if program is None:
            raise SystemExit("no Chromium is installed: apt-get install chromium-headless-shell")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def descriptors():
            # The browser reads commands from 3 and writes events to 4.
            kept = os.dup2(to_browser, 100), os.dup2(from_browser, 101)
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self._process = subprocess.Popen(
            [program, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-extensions",
             "--no-first-run", "--hide-scrollbars", f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=descriptors, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self._rest = b""
        self._ids = itertools.count(1)
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (OSError, RuntimeError):
            self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def call(self, method, session=None, **parameters):
        """Sends a command, and returns its result. Events before it are kept."""
        number = next(self._ids)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        while True:
            message = self._receive()
            if message.get("id") != number:
                self.events.append(message)
            elif "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            else:
                return message["result"]

    def wait_for(self, method):
        """Returns when this event has come."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._receive())

    def _receive(self):
        while b"\0" not in self._rest:
            data = os.read(self._in, 1 << 16)
            if not data:
                raise RuntimeError("the browser has gone")
            self._rest += data
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)


class Tab:
    """A tab that tells what its page asks for and says."""

    def __init__(self, browser):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        self._target, self._session = target, attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        return self.browser.call(method, self._session, **parameters)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self._target)

    def open(self, url):
        """Opens a page, and returns its messages and the addresses that it asked for besides itself."""
        self.browser.events.clear()
        self.call("Page.navigate", url=url)
        self.browser.wait_for("Page.loadEventFired")
        # Work that the load has left behind is done before this.
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        return self.messages(), [address for address in self.requests() if address != url]

    def messages(self):
        said = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Audits.issueAdded")
        return [event for event in self.browser.events if event.get("method") in said]

    def requests(self):
        sent = [event for event in self.browser.events if event.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def evaluate(self, script):
        """Returns the value of a script in the page."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script[:80]}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def look(self, width, scheme="light", media="screen"):
        """Sets the width of the window, and light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", media=media, features=[feature])
