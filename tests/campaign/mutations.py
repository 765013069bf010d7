"""Row 4: arbitrary bytes, those that matter favoured, compared with the slow twin under AddressSanitizer."""
import os
import subprocess

from trial import OTHER, RIGHT

FUZZ = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fuzz")
TARGET = "x86_64-unknown-linux-gnu"


def run(program, row, executions):
    """Runs two programs that compare, and end at the first difference."""
    environment = {**os.environ, "RUSTFLAGS": "-Zsanitizer=address", "ASAN_OPTIONS": "detect_leaks=0",
                   "CARGO_TARGET_DIR": os.path.join(FUZZ, "target")}
    nightly = subprocess.check_output([os.path.join(FUZZ, "..", "ci", "toolchain"), "nightly"], text=True).strip()
    subprocess.run(["cargo", f"+{nightly}", "build", "--release", "--locked", "--target", TARGET, "--example", "mutator"],
                   cwd=FUZZ, env=environment, check=True)
    mutator = os.path.join(FUZZ, "target", TARGET, "release", "examples", "mutator")
    # Each part of the trials has seeds of its own.
    seed = program.seed + 2 * (row.share.nth - 1)
    executions = row.count(executions)
    halves = [subprocess.Popen([mutator, str(executions // 2), str(seed)], env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE) for seed in (seed, seed + 1)]
    for half in halves:
        out, err = half.communicate()
        if half.returncode:
            row.add(OTHER, err[-2000:].decode(errors="replace"))
        else:
            row.outcomes[RIGHT] += int(out)
