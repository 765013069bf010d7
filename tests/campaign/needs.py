"""What rows need of the machine. The run lists rows that could not be tried; FECSCAN_REQUIRE=root,strace,... makes it fail instead."""
import functools
import importlib.util
import os
import shutil
import subprocess
import tempfile


def starts(*command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def mounts():
    with tempfile.TemporaryDirectory() as folder:
        return starts("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", folder)


def has_cgroup():
    import memory
    group = memory.cgroup()
    if group:
        memory.remove_cgroup(group)
    return group is not None


CHECKS = {
    "root": lambda: os.geteuid() == 0,
    "mount": mounts,
    "loop": lambda: starts("losetup", "-f") and shutil.which("mkfs.ext4") is not None,
    "strace": lambda: starts("strace", "-f", "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"),
    "cgroup": has_cgroup,
    "prlimit": lambda: starts("prlimit", "--fsize=1000", "true"),
    "zstd": lambda: starts("zstd", "--version"),
    "wc": lambda: starts("wc", "--version"),
    "pyarrow": lambda: importlib.util.find_spec("pyarrow") is not None,
}


@functools.cache
def have(need):
    """Tells whether the machine has what a row needs, by a try."""
    return CHECKS[need]()


def required():
    """Returns what the caller demands, without words of other tests."""
    return [word for word in os.environ.get("FECSCAN_REQUIRE", "").split(",") if word in CHECKS]
