#!/usr/bin/env python3
"""Loads the completions in bash, zsh and fish, each at a terminal, and presses Tab.

    tests/shells/complete.py [--program PATH]

Needs the three shells. A key is pressed when the shell has shown its prompt, and the test goes on when the shell shows what is
expected; the limit of time only ends a hang.
"""
import argparse
import os
import pty
import select
import signal
import sys
import tempfile
import time

LIMIT_SECONDS = 120
PROMPT = "ready> "

# What is typed before Tab, and what the line must become. In zsh and fish a unique match is followed by a blank.
LINES = [
    ("fecscan b", "fecscan by"),
    ("fecscan by STA", "fecscan by STATE"),
    ("fecscan by amou", "fecscan by amount"),
    ("fecscan by STATE --sum TRANSACTION_A", "fecscan by STATE --sum TRANSACTION_AMT"),
    ("fecscan by STATE --contr", "fecscan by STATE --contributions"),
    ("fecscan export --columns OCC", "fecscan export --columns OCCUPATION"),
    ("fecscan by STATE,CI", "fecscan by STATE,CITY"),
    ("fecscan by amount,STATE,zi", "fecscan by amount,STATE,zip"),
    ("fecscan export --columns NAME,OCC", "fecscan export --columns NAME,OCCUPATION"),
    ("fecscan --where EMPLOY", "fecscan --where EMPLOYER"),
    ("fecscan --month", "fecscan --month-column"),
    ("fecscan --simd avx2 b", "fecscan --simd avx2 by"),
    ("fecscan --stats by STATE,CI", "fecscan --stats by STATE,CITY"),
    ("fecscan completions pow", "fecscan completions powershell"),
    ("fecscan gifts_", "fecscan gifts_of_2018.txt"),
    ("fecscan by STATE gifts_", "fecscan by STATE gifts_of_2018.txt"),
    ("fecscan count gifts_", "fecscan count gifts_of_2018.txt"),
    ("fecscan by STATE,CITY gifts,b", "fecscan by STATE,CITY gifts,by_day.txt"),
    ("fecscan gifts,b", "fecscan gifts,by_day.txt"),
    ("fecscan by STATE,CITY --sort CIT", "fecscan by STATE,CITY --sort CITY"),
    ("fecscan by STATE -f mark", "fecscan by STATE -f markdown"),
    ("fecscan count --schema op", "fecscan count --schema oppexp"),
    ("fecscan help exp", "fecscan help export"),
]

# Bash adds no blank where a value follows. What is typed before Tab, after it, and what the line must become.
GOING_ON = [
    ("fecscan by STATE --contr", "x", "fecscan by STATE --contributions x"),
    ("fecscan by STATE gifts_", "x", "fecscan by STATE gifts_of_2018.txt x"),
]

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f"PS1='{PROMPT}'; bind 'set enable-bracketed-paste off'; source ./script"),
    "zsh": (["zsh", "-f", "-i"], f"PS1='{PROMPT}'; autoload -U compinit && compinit -u -D; source ./script"),
    "fish": (["fish", "--no-config", "-i"], f"function fish_prompt; echo -n '{PROMPT}'; end; set -g fish_autosuggestion_enabled 0; source ./script"),
}


class Terminal:
    """A shell at a terminal of its own."""

    def __init__(self, command, folder, path):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.environ.update(HOME=folder, PATH=path, TERM="dumb", LC_ALL="C.UTF-8", HISTFILE="/dev/null")
            os.execvp(command[0], command)
        self.seen = ""

    def type(self, text):
        self.seen = ""
        os.write(self.descriptor, text.encode())

    def wait_for(self, text):
        """Reads until the shell has shown `text`; returns whether it has."""
        end = time.monotonic() + LIMIT_SECONDS
        while text not in self.seen:
            readable, _, _ = select.select([self.descriptor], [], [], max(0, end - time.monotonic()))
            try:
                data = os.read(self.descriptor, 1 << 16) if readable else b""
            except OSError:
                data = b""
            if not data:
                return False
            self.seen += data.decode(errors="replace")
        return True

    def close(self):
        os.close(self.descriptor)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def lines_of(shell):
    """Returns what is typed before and after Tab, and what the line must become."""
    return [(typed, "", expected) for typed, expected in LINES] + (GOING_ON if shell == "bash" else [])


def fails(shell, folder, path):
    """Yields what the shell does not complete."""
    command, setup = SHELLS[shell]
    for typed, more, expected in lines_of(shell):
        terminal = Terminal(command, folder, path)
        terminal.type(f"{setup}; echo load''ed\n")
        # The echo of a command differs from its output by the quotes.
        if terminal.wait_for("loaded") and terminal.wait_for("loaded\r\n") and terminal.wait_for(PROMPT):
            terminal.type(f"{typed}\t{more}")
            if not terminal.wait_for(expected):
                yield f"{typed!r} does not become {expected!r}: {terminal.seen[-300:]!r}"
        else:
            yield f"the script does not load: {terminal.seen[-500:]!r}"
        terminal.close()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", default="target/debug/fecscan")
    program = os.path.abspath(options.parse_args().program)
    failures = 0
    for shell in SHELLS:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("gifts_of_2018.txt", "gifts,by_day.txt"):
                open(os.path.join(folder, name), "w").close()
            os.symlink(program, os.path.join(folder, "fecscan"))
            path = folder + os.pathsep + os.environ["PATH"]
            if os.system(f"cd '{folder}' && ./fecscan completions {shell} -o script") != 0:
                raise SystemExit(f"{shell}: there is no script")
            found = list(fails(shell, folder, path))
        for failure in found:
            print(f"{shell}: {failure}")
        print(f"{shell}: {len(lines_of(shell)) - len(found)} of {len(lines_of(shell))} lines are completed")
        failures += len(found)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
