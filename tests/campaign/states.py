"""Waits for states of a process, never for a length of time: machines differ in speed, and are busy at times."""
import os
import re
import time

HANG_SECONDS = 600  # seconds after which a state will never come
PAGE = os.sysconf("SC_PAGESIZE")
# The number of the system call.
WRITE = {"x86_64": b"1", "aarch64": b"64"}[os.uname().machine]


def wait_until(child, reached):
    """Waits until `reached` holds. Returns False if the process ends before."""
    begun = time.monotonic()
    while not reached():
        if child.poll() is not None or time.monotonic() - begun > HANG_SECONDS:
            return False
    return True


def read_bytes(path):
    """Returns what is in a file of /proc, nothing if its process has ended."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def is_mapped(child, path):
    return os.fsencode(path) in read_bytes(f"/proc/{child.pid}/maps")


def has_open(child, path):
    folder = f"/proc/{child.pid}/fd"
    try:
        return any(os.readlink(os.path.join(folder, name)) == path for name in os.listdir(folder))
    except OSError:
        return False


def is_stalled(child):
    """Tells whether one thread waits in a write, and all others sleep."""
    tasks = f"/proc/{child.pid}/task"
    try:
        names = os.listdir(tasks)
    except OSError:
        return False
    states = [read_bytes(f"{tasks}/{name}/stat").rpartition(b") ")[2][:1] for name in names]
    calls = [read_bytes(f"{tasks}/{name}/syscall").split()[:1] for name in names]
    return set(states) == {b"S"} and [WRITE] in calls


def anonymous_bytes(child):
    """Returns how much memory the process has that is no file's."""
    found = re.search(rb"^RssAnon:\s+(\d+) kB", read_bytes(f"/proc/{child.pid}/status"), re.M)
    return int(found[1]) << 10 if found else 0


def progress(child):
    """Returns how many bytes the process has read, written, and touched of its maps."""
    calls = re.findall(rb"^[rw]char: (\d+)", read_bytes(f"/proc/{child.pid}/io"), re.M)
    pages = read_bytes(f"/proc/{child.pid}/statm").split()
    return sum(map(int, calls)) + (int(pages[1]) * PAGE if pages else 0)


def wait_for_progress(child, bytes):
    """Waits until the process has got so far. Returns False if it ends before."""
    return wait_until(child, lambda: progress(child) >= bytes)


def wait_for_tick_after(path):
    """Waits until the clock of the file system is past the last change of `path`. Its ticks take milliseconds."""
    changed = os.stat(path).st_mtime_ns
    probe = path + ".probe"
    begun = time.monotonic()
    now = 0
    while now <= changed and time.monotonic() - begun < HANG_SECONDS:
        with open(probe, "wb") as file:
            file.write(b"x")
        now = os.stat(probe).st_mtime_ns
    os.remove(probe)
