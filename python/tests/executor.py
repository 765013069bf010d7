"""Stands in for the program on executors, and does to them what a test asks for by a file.

FECSCAN_REAL     the program
FECSCAN_FOLDER   where tests put files:
    kill    names an input: the first that reads it and takes the file away kills its executor (SIGKILL) while the
            program has the input open
    twice   the first that takes it away waits until Spark starts the same task a second time
"""

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

PROGRAM = os.environ["FECSCAN_REAL"]
FOLDER = Path(os.environ["FECSCAN_FOLDER"])
ARGUMENTS = sys.argv[1:]
# Of a program that is too fast to be killed while it reads.
TRIES = 100


def taken(name, content=""):
    """Takes a file with this content away. Only one process can."""
    try:
        if (FOLDER / name).read_text() != content:
            return False
        (FOLDER / name).unlink()
    except FileNotFoundError:
        return False
    return True


def parent(process):
    # The second field is a name in parentheses.
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def executor():
    """Returns the process above this one that is Java."""
    process = os.getppid()
    while Path(f"/proc/{process}/comm").read_text().strip() != "java":
        process = parent(process)
    return process


def has_open(process, path):
    """Returns whether a process has a file mapped or open. False if it has ended."""
    try:
        descriptors = [os.readlink(link) for link in Path(f"/proc/{process}/fd").iterdir()]
        return path in descriptors or path in Path(f"/proc/{process}/maps").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill_while_reading():
    """Kills the executor while the program reads. A program that was too fast is started again."""
    path = os.path.realpath(ARGUMENTS[-1])
    for _ in range(TRIES):
        program = subprocess.Popen([PROGRAM, *ARGUMENTS], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while program.poll() is None:
            if not has_open(program.pid, path):
                continue
            program.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, program.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if program.poll() is None and has_open(program.pid, path):
                (FOLDER / "killed").touch()
                os.kill(executor(), signal.SIGKILL)
                program.kill()
                program.wait()
                sys.exit(1)
            program.send_signal(signal.SIGCONT)
    sys.exit(f"fecscan: {PROGRAM} was started {TRIES} times, and was never seen with {path} open")


def wait_for_twin():
    """Waits until the same command is started again."""
    again = FOLDER / hashlib.sha256("\0".join(ARGUMENTS).encode()).hexdigest()
    os.mkfifo(again)
    # Opening a pipe for reading waits for one who opens it for writing.
    again.open("rb").close()
    (FOLDER / "was_twice").touch()


def tell_twin():
    again = FOLDER / hashlib.sha256("\0".join(ARGUMENTS).encode()).hexdigest()
    if again.exists():
        again.open("wb").close()
        again.unlink()


# The driver asks for columns with the environment of executors. It must not be killed.
if "--head=0" not in ARGUMENTS:
    if taken("kill", ARGUMENTS[-1]):
        kill_while_reading()
    if taken("twice"):
        wait_for_twin()
    else:
        tell_twin()
os.execv(PROGRAM, [PROGRAM, *ARGUMENTS])
