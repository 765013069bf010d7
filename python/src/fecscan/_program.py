"""Starts the program: finds it, and turns its messages into exceptions and warnings."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import signal
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Iterable
from pathlib import Path

from . import _progress


class Error(Exception):
    """The program has failed. The text is its message.

    ``status`` is its exit status: 2 if something was wrong, 1 if ``strict`` found rows that break the schema. A
    negative one is the signal that ended it. ``notes`` are notes that it printed before.
    """

    # Pickled by its one argument and its attributes. There is no __str__ of its own: one in Python could be
    # interrupted while a reader of Arrow streams asks for the message.
    def __init__(self, message: str, status: int | None = None, notes: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.notes = list(notes)


class Note(UserWarning):
    """A note of the program on a result that is right, such as values that are no dates."""


@functools.cache
def _installed() -> str:
    """Returns where the wheel has put the program."""
    try:
        listed = importlib.metadata.files("fecscan") or []
    except importlib.metadata.PackageNotFoundError:
        listed = []
    folders = [os.path.dirname(file.locate()) for file in listed if file.name == "fecscan"]
    # Without a list of files: the folder of this Python, and that of pip's --target.
    folders += [sysconfig.get_path("scripts"), os.fspath(Path(__file__).parents[1] / "bin")]
    for folder in folders:
        program = os.path.join(folder, "fecscan")
        if os.path.isfile(program) and os.access(program, os.X_OK):
            return os.path.abspath(program)
    raise FileNotFoundError(
        f"the program fecscan is in none of {', '.join(dict.fromkeys(folders))}; install the package again, or set "
        "FECSCAN_BINARY to the path of a program"
    )


def program() -> str:
    """Returns the path of the program: FECSCAN_BINARY, or that of this package."""
    return os.environ.get("FECSCAN_BINARY") or _installed()


def version() -> str | None:
    """Returns the version of the program, or None if it can't be started."""
    try:
        printed = subprocess.run([program(), "-V"], stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return printed.decode().strip().removeprefix("fecscan ")


def start(command: list[bytes], *, stdin: bool = False) -> subprocess.Popen[bytes]:
    """Starts the program. Its results and messages go into pipes."""
    return subprocess.Popen(
        [program(), *command],
        stdin=None if stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=os.environ | {_progress.VARIABLE: "1"} if _progress.is_wanted() else None,
    )


def run(command: list[bytes], *, notes: bool = True) -> bytes:
    """Runs the program, and returns what it prints. Raises its errors, and warns of its notes if wanted."""
    # A file named "-" is standard input. Without one, the program can't wait for a terminal.
    with start(command, stdin=b"-" in command[command.index(b"--") :]) as process:
        try:
            printed, messages = _communicate(process)
        except BaseException:
            process.kill()
            process.wait()
            raise
    check(process.returncode, messages, command, notes=notes)
    return printed


def _communicate(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """Returns what the program prints, and its messages. Draws its progress in a notebook."""
    while _progress.is_wanted():
        try:
            return process.communicate(timeout=_progress.SECONDS)
        except subprocess.TimeoutExpired as running:
            _progress.draw(running.stderr or b"")
    return process.communicate()


def check(status: int, printed: bytes, command: list[bytes], *, notes: bool = True) -> None:
    """Raises an error if the program has failed. Warns of its notes otherwise, if they are wanted."""
    messages = _messages(_progress.erase(printed))
    named = _named(command)
    is_note = [_is_note(message, named) for message in messages]
    found = [message.removeprefix("note: ") for message, note in zip(messages, is_note, strict=True) if note]
    if status == 0:
        for note in found if notes else []:
            warnings.warn(note, Note, stacklevel=_level_of_caller())
        return
    errors = [message for message, note in zip(messages, is_note, strict=True) if not note]
    if status < 0:
        errors.append(f"the program was ended by {_signal_name(-status)}")
    raise Error("\n".join(errors) or f"the program ended with status {status}", status, found)


def _is_note(message: str, named: list[str]) -> bool:
    """Says whether a message is a note. The place that a note is about stands before it: "FILE: note: ..."."""
    for name in named:
        if message.startswith(f"{name}: "):
            # The name of a file may look like a note itself.
            message = message.removeprefix(f"{name}: ")
            break
    return message.startswith("note: ") or ": note: " in message


def _named(command: list[bytes]) -> list[str]:
    """Returns whatever a command line may name a file with: arguments, and values of options such as --with=NAME=FILE."""
    words = [word.decode("utf-8", "replace") for word in command]
    values = [word[at + 1 :] for word in words for at, letter in enumerate(word) if letter == "="]
    return sorted({*words, *values} - {""}, key=len, reverse=True)


def _level_of_caller() -> int:
    """Returns how many calls are between `check` and the code that uses this package: a warning should name its line."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        level, frame = level + 1, frame.f_back
    return level


def _messages(printed: bytes) -> list[str]:
    """Returns messages without the program's name. Lines without it continue a message."""
    messages: list[str] = []
    for line in printed.decode("utf-8", "replace").splitlines():
        if line.startswith("fecscan: ") or not messages:
            messages.append(line.removeprefix("fecscan: "))
        else:
            messages[-1] += "\n" + line
    # How to type a command line is no help in Python.
    return [message.partition("\n\nUsage: ")[0].strip() for message in messages]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
