"""Row 4: arbitrary bytes, those that matter favoured, compared with the slow twin under AddressSanitizer."""
import os
import subprocess

from trial import OTHER, RIGHT

FUZZ = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fuzz")
TARGET = "x86_64-unknown-linux-gnu"


def run(program, row, executions):
    """One program makes all executions: it compares, and dies of the first that differs."""
    environment = {**os.environ, "RUSTFLAGS": "-Zsanitizer=address", "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(
        ["cargo", "+nightly", "run", "--release", "--locked", "--target", TARGET, "--bin", "mutator", "--",
         str(executions), str(program.seed)], cwd=FUZZ, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        row.add(OTHER, done.stderr[-2000:].decode(errors="replace"))
        return
    row.outcomes[RIGHT] += int(done.stdout)
