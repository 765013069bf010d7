"""Reads while another thread interrupts, as Ctrl-C does. Prints how many tables were whole, and how many reads failed.

A reader of Arrow streams that takes an interruption for the end of the stream gets a short table. test_interrupts.py runs
this as a process of its own, because interruptions come at any line.
"""

import _thread
import random
import signal
import sys
import threading

import pyarrow

import fecscan
from fecscan import _stream


class Interruption(threading.Thread):
    """Interrupts the main thread once, soon after a buffer was read: most often before the next one."""

    def __init__(self, fills):
        super().__init__()
        self.fills = fills
        self.now = threading.Event()
        self.done = False

    def run(self):
        self.now.wait()
        if not self.done:
            _thread.interrupt_main()

    def fill(self, child, buffer):
        filled = fill(child, buffer)
        self.fills -= 1
        if self.fills == 0:
            self.now.set()
        return filled


# Python ignores interrupts if it was started in the background of a script.
signal.signal(signal.SIGINT, signal.default_int_handler)
fill = _stream.Child.fill


def attempt(rows, fills):
    """Returns the number of rows, or None if the read failed."""
    thread = Interruption(fills)
    read = None
    try:
        _stream.Child.fill = lambda child, buffer: thread.fill(child, buffer)
        thread.start()
        read = len(pyarrow.table(rows))
    except (Exception, KeyboardInterrupt):
        pass
    while thread.is_alive():
        try:
            thread.done = True
            thread.now.set()
            thread.join()
        except KeyboardInterrupt:
            pass
    return read


def main():
    rows = fecscan.scan(sys.argv[1:], columns=["SUB_ID"], threads=1)
    expected = fecscan.count(sys.argv[1:])["lines"]
    outcomes = {"whole": 0, "failed": 0, "short": 0}
    for _ in range(100):
        # The schema has two buffers and a batch three. An end is possible before the first of them.
        read = attempt(rows, 2 + 3 * random.randint(1, 8))
        outcomes["failed" if read is None else "whole" if read == expected else "short"] += 1
    print(outcomes)


main()
