"""Rows as streams of Arrow, which other libraries take by the method ``__arrow_c_stream__``.

The program writes Arrow's IPC format into a pipe, and nanoarrow makes a C stream of it, a batch at a time. Only the
batch at hand is in memory.

A stream that ends early looks complete to its reader. So its last eight bytes, the mark of its end, are held back
until the program has ended well. Otherwise the reader gets the program's message as an error.
"""

from __future__ import annotations

import contextlib
import fcntl
import select
import subprocess
import weakref
from collections.abc import Callable, Generator
from typing import Any

from . import _program, _progress

MARK_OF_END = b"\xff\xff\xff\xff\0\0\0\0"
# Linux gives a pipe 64 KiB; a batch has some MiB.
PIPE_BYTES = 1 << 20
# nanoarrow cuts messages at 1,024 bytes, within a character if need be.
MESSAGE_BYTES = 900


class Child:
    """The program while it writes a stream. It ends with this object at the latest."""

    def __init__(self, command: list[bytes], *, notes: bool = True) -> None:
        self._notes = notes
        self._command = command
        self._process = process = _program.start(command)
        self._messages = bytearray()
        self.end = weakref.finalize(self, _end, process, self._messages)
        assert process.stdout and process.stderr
        self._out, self._messages_out = process.stdout, process.stderr
        self._held = b""
        self._at_end = False
        with contextlib.suppress(OSError, AttributeError):
            fcntl.fcntl(self._out, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        # A pipe of messages that nobody empties would stop the program.
        self._ready = select.poll()
        self._ready.register(self._out, select.POLLIN)
        self._ready.register(self._messages_out, select.POLLIN)

    def fill(self, buffer: Any) -> int:
        """Reads into the whole buffer, or into less at the end. Raises the error of a program that has failed."""
        view = memoryview(buffer)
        held = min(len(self._held), len(view))
        view[:held] = self._held[:held]
        self._held = self._held[held:]
        if self._at_end:
            return held
        filled = held + self._read(view[held:])
        more = bytearray(len(MARK_OF_END) - len(self._held))
        self._held += more[: self._read(memoryview(more))]
        if len(self._held) < len(MARK_OF_END):
            self._finish(bytes(view[max(0, filled - len(MARK_OF_END)) : filled]) + self._held)
        return filled

    def _read(self, view: memoryview) -> int:
        """Reads into the whole view, or into less at the end."""
        filled = 0
        while filled < len(view):
            self._wait()
            got = self._out.readinto(view[filled:])  # type: ignore[attr-defined]
            if not got:
                break
            filled += got
        return filled

    def _wait(self) -> None:
        """Waits for the stream, and takes messages meanwhile."""
        while True:
            ready = dict(self._ready.poll())
            if self._messages_out.fileno() in ready:
                messages = self._messages_out.read(1 << 16)
                self._messages += messages
                _progress.draw(messages)
                if not messages:
                    self._ready.unregister(self._messages_out)
            if self._out.fileno() in ready:
                return

    def _finish(self, last: bytes) -> None:
        """Waits for the end of the program, and raises its error."""
        self._messages += self._messages_out.read()
        status = self._process.wait()
        self.end()
        try:
            _program.check(status, bytes(self._messages), self._command, notes=self._notes)
        except _program.Error as error:
            raise _program.Error(_shortened(str(error)), status, error.notes) from None
        if not last.endswith(MARK_OF_END):
            raise _program.Error("the program ended well, but its stream has no end", status)
        self._at_end = True


def _end(process: subprocess.Popen[bytes], messages: bytearray) -> None:
    _progress.erase(bytes(messages))
    if process.poll() is None:
        process.kill()
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()
    process.wait()


class Source:
    """Has the method that nanoarrow calls to read, and nothing else."""

    def __init__(self, child: Child) -> None:
        reading = _reading(child)
        next(reading)
        # A function of Python could be interrupted (Ctrl-C) before its first line. nanoarrow takes KeyboardInterrupt,
        # which is no Exception, for the end of the stream: the rows would be short, without an error. The method of a
        # generator is not Python, and the generator itself is always inside its try.
        self.readinto: Callable[[Any], int] = reading.send


def _reading(child: Child) -> Generator[int, Any, None]:
    """Reads into each buffer that is sent. Raises nothing but exceptions that nanoarrow knows; then all reads fail."""
    interrupted = _program.Error("interrupted")
    filled = 0
    try:
        while True:
            buffer = yield filled
            filled = child.fill(buffer)
            del buffer
    except (Exception, GeneratorExit):
        raise
    except BaseException:
        # Python looks for signals in calls and loops. There are none from here to the end.
        raise interrupted from None


def _shortened(message: str) -> str:
    raw = message.replace("\0", " ").encode()
    return message if len(raw) <= MESSAGE_BYTES else raw[:MESSAGE_BYTES].decode("utf-8", "ignore") + " ..."
