"""Progress in a notebook: the bar that the program draws on a terminal, with its bytes, rate and time left."""

from __future__ import annotations

import os
import re
import sys

# Asks the program for frames on a standard error that is no terminal, if it is 1. Users set it to 0.
VARIABLE = "FECSCAN_PROGRESS"
# Frames come twice as often.
SECONDS = 0.2
# A frame erases its line first, and the end of the bar does no more than that.
FRAME = re.compile(rb"\x1b\[2K(?:([^\r\n\x1b]*)\r)?")
COLUMNS = 79


def is_wanted() -> bool:
    """Returns whether a notebook shows what is printed: there is IPython, and its shell has a kernel."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel") and os.environ.get(VARIABLE) != "0"


def draw(messages: bytes) -> None:
    """Prints the last frame among messages over the one before."""
    frames = [frame for frame in FRAME.findall(messages) if frame]
    if frames:
        print("\r" + frames[-1].decode().ljust(COLUMNS), end="", flush=True)


def erase(messages: bytes) -> bytes:
    """Returns messages without frames. Overwrites the bar if there was one."""
    if FRAME.search(messages):
        print("\r" + " " * COLUMNS + "\r", end="", flush=True)
    return FRAME.sub(b"", messages)
