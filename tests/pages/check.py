#!/usr/bin/env python3
"""Opens the program's pages in Chromium, and checks what only a browser can tell.

    tests/pages/check.py --axe axe.min.js [--program PATH] [--pictures FOLDER]

Every page, in three widths, light and dark: it asks for nothing, says nothing on the console, has no violation of axe's
rules, and is no wider than the window. No number is broken. The letters of its chart overlap nothing and have contrast. In
print it is light, and the pages that PAGES says so of fit one sheet. Hostile values stay values. Nothing is timed.
--pictures keeps what was seen.
"""
import argparse
import base64
import os
import shlex
import subprocess
import sys
import tempfile

from browser import Browser, Tab

WIDTHS = (360, 768, 1280)
BYTES_MAX = 60_000
HOSTILE = "</title><script>document.title='fallen'</script><img src=x onerror=alert(1)>\"'&\x1b[2J\u202e"

# Name, arguments, and whether it fits one sheet.
PAGES = [
    ("report", "--top 10 fixtures/indiv18.zip", True),
    ("advice", "fixtures/old-image-numbers.txt", True),
    ("bars", "by STATE --sum amount --top 12 fixtures/indiv18.zip", True),
    ("months", "by \"date_trunc('month', date)\" --sum amount fixtures/indiv18.zip", True),
    ("names", "by NAME,EMPLOYER fixtures/generated-hostile.txt", False),
    ("negative", "by STATE --agg min(amount) --sort min(amount) fixtures/plain.txt", True),
    ("none", "--where \"state = 'XX'\" fixtures/plain.txt", True),
    ("needles", "many.txt", False),
    ("years", "by year(date) --sum amount many.txt", False),
    ("large", "by NAME --sum amount --top 5 large.txt", True),
    ("hostile", "--top 3 --name 0 hostile.txt", True),
    ("hostile-groups", "by STATE,NAME --sum amount hostile.txt", False),
]

# Returns what is wrong with the page as it is laid out: its width, the letters of its chart, and its numbers.
LAYOUT = """
(() => {
    const wrong = [];
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) wrong.push(`${page.scrollWidth} pixels wide`);
    const channels = color => color.match(/[\\d.]+/g).slice(0, 3).map(c => c / 255);
    const light = color => channels(color).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
        .reduce((sum, c, nth) => sum + c * [.2126, .7152, .0722][nth], 0);
    const contrast = (a, b) => (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    const paper = light(getComputedStyle(document.body).backgroundColor);
    const style = (shape, name) => getComputedStyle(shape)[name];
    const shown = shape => style(shape, 'display') != 'none';
    for (const [shapes, property, least] of [['svg text', 'fill', 4.5], ['svg rect', 'fill', 3], ['svg .needles', 'stroke', 3]])
        for (const shape of document.querySelectorAll(shapes)) {
            const found = contrast(light(style(shape, property)), paper);
            if (found < least) wrong.push(`${shapes} has a contrast of ${found}`);
        }
    const boxes = [...document.querySelectorAll('svg text')].filter(shown).map(text => [text.textContent, text.getBoundingClientRect()]);
    for (const [nth, [name, box]] of boxes.entries()) {
        if (box.left < 0 || box.right > page.clientWidth) wrong.push(`'${name}' leaves the window`);
        for (const [other, next] of boxes.slice(nth + 1))
            if (box.left < next.right && next.left < box.right && box.top + 3 < next.bottom && next.top + 3 < box.bottom)
                wrong.push(`'${name}' and '${other}' overlap`);
    }
    // Sums may be wider than a narrow window, and then scroll. The files fit.
    for (const files of [...document.querySelectorAll('.scroll')].slice(-1))
        if (files.scrollWidth > files.clientWidth) wrong.push(`the table of files is ${files.scrollWidth} pixels wide`);
    const text = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (text.nextNode())
        // Those of escaped characters, as \\u{202e}, are parts of long names.
        for (const number of text.currentNode.data.matchAll(/(?<![{\\d])\\d[\\d,.-]*\\d/g)) {
            const range = document.createRange();
            range.setStart(text.currentNode, number.index);
            range.setEnd(text.currentNode, number.index + number[0].length);
            const lines = new Set([...range.getClientRects()].map(line => line.top));
            if (lines.size > 1) wrong.push(`the number ${number[0]} is broken`);
        }
    return wrong;
})()
"""


def make_inputs(folder):
    """Writes the inputs that are no fixtures."""
    def row(month, year, amount, name="SMITH, A", state="CA"):
        return f"C1|N|M4|P|{year}{month:02}289112345678|15|IND|{name}|CITY|{state}|9|E|O|{month:02}01{year}|{amount}||T|1|||2\n"

    with open(os.path.join(folder, "many.txt"), "w") as many:
        for nth in range(560):
            many.write(row(nth % 12 + 1, 1980 + nth // 12, (nth * 7919) % 977 - 300) * (nth * 31 % 17))
    with open(os.path.join(folder, "hostile.txt"), "w") as hostile:
        for nth in range(3):
            hostile.write(row(4, 2018, 10, f"X, {HOSTILE}{nth}", f"{HOSTILE}{nth}"))
        hostile.write(row(4, 2018, 10, "WIDE, " + "W" * 500, "漢字" * 40))
    with open(os.path.join(folder, "large.txt"), "w") as large:
        for nth in range(30):
            large.write(row(4, 2018, f"{nth * 43_219_876_543}.87", f"SMITH, N{nth}"))
    os.symlink(os.path.abspath("fixtures"), os.path.join(folder, "fixtures"))


def check(tab, url, axe, fits):
    """Yields what is wrong with a page."""
    messages, requests = tab.open(url)
    yield from (f"says {message}" for message in messages)
    yield from (f"asks for {request}" for request in requests)
    if tab.evaluate("document.title") == "fallen" or tab.evaluate("document.querySelectorAll('script,img').length"):
        yield "has markup of the data"
    for scheme in ("light", "dark"):
        for width in WIDTHS:
            tab.look(width, scheme)
            yield from (f"{scheme}, {width}: {wrong}" for wrong in tab.evaluate(LAYOUT))
        tab.evaluate(axe)
        found = tab.evaluate("axe.run().then(found => found.violations.map(v => v.id + ': ' + v.nodes[0].html))")
        yield from (f"{scheme}: axe: {violation}" for violation in found)
    later = [request for request in tab.requests() if request != url]
    if tab.messages() or later:
        yield f"says or asks for more: {tab.messages()} {later}"
    tab.look(1280, "dark", "print")
    if tab.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)":
        yield "is dark in print"
    sheets = len(printed(tab).split(b"/Type /Page\n")) - 1
    if sheets < 1 or fits and sheets > 1:
        yield f"has {sheets} sheets in print"


FAULTY = """<!doctype html><title>x</title><body style="width:1500px;background:#fff"><img src="missing.png">
<p style="color:#ccc">pale</p><p style="width:3em;overflow-wrap:anywhere">1,234,567,890</p>
<svg><text x=5 y=20 fill="#eee">a</text><text x=5 y=20>b</text></svg><script>console.log(1)</script>
<div class="scroll" style="width:90px;overflow:auto"><p style="width:99px">file</p></div>"""


def finds_faults(browser, folder, axe):
    """Returns whether a page with a fault of each kind has them all."""
    path = os.path.join(folder, "faulty.html")
    with open(path, "w") as page:
        page.write(FAULTY)
    tab = Tab(browser)
    found = "\n".join(check(tab, f"file://{path}", axe, True))
    tab.close()
    kinds = ["says", "asks for", "markup of the data", "pixels wide", "table of files", "has a contrast of", "overlap", "is broken",
             "axe: image-alt", "axe: color-contrast", "axe: html-has-lang"]
    missed = [kind for kind in kinds if kind not in found]
    if missed:
        print(f"the check finds no {missed} in a page that has them: {found}")
    return not missed


def printed(tab):
    """Returns the page in print, as a browser in a dark window makes it."""
    tab.look(1280, "dark", "")
    return base64.b64decode(tab.call("Page.printToPDF", preferCSSPageSize=True)["data"])


def keep(tab, name, folder):
    """Keeps what a page looks like."""
    for scheme in ("light", "dark"):
        for width in WIDTHS:
            tab.look(width, scheme)
            height = min(tab.evaluate("document.documentElement.scrollHeight"), 3000)
            clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
            shot = tab.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
            with open(os.path.join(folder, f"{name}-{width}-{scheme}.png"), "wb") as picture:
                picture.write(base64.b64decode(shot["data"]))
    with open(os.path.join(folder, f"{name}.pdf"), "wb") as sheets:
        sheets.write(printed(tab))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", default="target/debug/fecscan")
    options.add_argument("--axe", required=True)
    options.add_argument("--pictures")
    given = options.parse_args()
    program = os.path.abspath(given.program)
    with open(given.axe, encoding="utf-8") as script:
        axe = script.read()
    failures = 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, Browser(profile) as browser:
        make_inputs(folder)
        failures += not finds_faults(browser, folder, axe)
        for name, arguments, fits in PAGES:
            path = os.path.join(folder, f"{name}.html")
            subprocess.run([program, *shlex.split(arguments), "-o", path], cwd=folder, check=True, stderr=subprocess.DEVNULL)
            size = os.path.getsize(path)
            tab = Tab(browser)
            wrong = list(check(tab, f"file://{path}", axe, fits))
            if size > BYTES_MAX:
                wrong.append(f"has {size} bytes")
            if given.pictures:
                keep(tab, name, given.pictures)
            tab.close()
            for what in wrong:
                print(f"{name}: {what}")
            print(f"{name}: {size} bytes, {len(wrong)} faults")
            failures += len(wrong)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
