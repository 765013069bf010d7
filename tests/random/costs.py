"""Questions that must not take much longer than others: an order or a limit of groups costs little beside the groups themselves."""
import os
import random
import subprocess
import tempfile

ROWS, GROUPS = 400_000, 10_000
MOST_TIMES, MOST_MORE = 3, 0.5
GROUPED = ("by", "k", "--header", "--types", "v=number", "-f", "csv", "-j", "1", "rows.csv")
# A question, and what may be added to it.
PAIRS = (
    (("--agg", "median(v)"), ("--sort", "median(v) DESC", "--top", "10")),
    (("--agg", "median(v)"), ("--top", "10")),
    (("--agg", "quantile_disc(v, 0.9)"), ("--sort", "quantile_disc(v, 0.9)")),
    (("--agg", "count(DISTINCT v)"), ("--sort", "count(DISTINCT v) DESC", "--top", "10")),
    (("--sum", "v"), ("--sort", "sum(v) DESC, k", "--top", "10")),
)


def problems(program, seed):
    """Returns a text for each question that takes too long."""
    rng = random.Random(f"{seed} costs")
    with tempfile.TemporaryDirectory(prefix="fecscan-costs-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        with open(os.path.join(folder, "rows.csv"), "w") as file:
            file.write("k,v\n")
            file.writelines(f"{rng.randrange(GROUPS)},{rng.randrange(10 ** 8)}\n" for _ in range(ROWS))
        found = []
        for asked, more in PAIRS:
            less, longer = seconds(program, folder, asked), seconds(program, folder, (*asked, *more))
            if longer > MOST_TIMES * less + MOST_MORE:
                found.append(f"{' '.join((*asked, *more))} takes {longer:.1f} s of a processor, and {' '.join(asked)} {less:.1f} s: "
                             f"{ROWS:,} different numbers in {GROUPS:,} groups")
        return found


def seconds(program, folder, asked):
    """Returns the time of a processor that a question takes, whatever else runs."""
    child = subprocess.Popen([program, *GROUPED, *asked], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, asked
    return usage.ru_utime + usage.ru_stime
