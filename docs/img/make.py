#!/usr/bin/env python3
"""Makes the pictures of the README from real runs of the program on a fixture.

    docs/img/make.py [--program PATH] [--check]

terminal.svg is what a terminal shows, and chart.svg what `-f svg` makes. With --check, nothing is
written, and the exit status is 1 if a picture is not that of the program.
"""
import argparse
import html
import os
import re
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(FOLDER, "..", "..", "fixtures")
ARGUMENTS = ["--top", "3", "indiv18.zip"]
# The size of a character at 14 pixels.
COLUMN, LINE = 8.4, 19


def run(program, *arguments):
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    ended = subprocess.run([program, *ARGUMENTS, *arguments], cwd=FIXTURES, env=environment, stdout=subprocess.PIPE, check=True)
    return ended.stdout.decode()


def terminal(text):
    """Draws text with bold and dim letters, as a terminal does."""
    lines = [f"\x1b[2m$\x1b[0m fecscan {' '.join(ARGUMENTS)}", *text.rstrip("\n").split("\n")]
    columns = max(len(re.sub("\x1b\\[\\d*m", "", line)) for line in lines)
    width, height = columns * COLUMN + 32, len(lines) * LINE + 28
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" role="img">',
           f"<title>fecscan {' '.join(ARGUMENTS)}, at a terminal</title>",
           "<style>text{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#ebe8e2;white-space:pre}"
           ".b{font-weight:700}.d{fill:#aaa79f}</style>",
           '<rect width="100%" height="100%" rx="8" fill="#15171a"/>']
    for nth, line in enumerate(lines):
        column, style = 0, ""
        for part in re.split("(\x1b\\[\\d*m)", line):
            if part.startswith("\x1b"):
                style = {"1": "b", "2": "d"}.get(part[2:-1], "")
            elif part:
                # Fonts differ in the width of blocks, so each run of them has its place and length.
                for piece in re.finditer("[\u2580-\u259f ]+|[^\u2580-\u259f]+", part):
                    text = piece.group()
                    if text.strip():
                        out.append(f'<text x="{16 + column * COLUMN:.1f}" y="{(nth + 1) * LINE + 10}" class="{style}" '
                                   f'textLength="{len(text) * COLUMN:.1f}" lengthAdjust="spacingAndGlyphs">{html.escape(text)}</text>')
                    column += len(text)
    return "\n".join(out).replace(' class=""', "") + "\n</svg>\n"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", default="target/debug/fecscan")
    options.add_argument("--check", action="store_true")
    given = options.parse_args()
    program = os.path.abspath(given.program)
    pictures = {"terminal.svg": terminal(run(program, "--color", "always")), "chart.svg": run(program, "-f", "svg")}
    stale = []
    for name, picture in pictures.items():
        path = os.path.join(FOLDER, name)
        if not given.check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(picture)
        elif not os.path.exists(path) or open(path, encoding="utf-8").read() != picture:
            stale.append(name)
    if stale:
        sys.exit(f"{', '.join(stale)}: the program draws another picture; run docs/img/make.py")


if __name__ == "__main__":
    main()
