"""What the comparisons with other programs share: columns, and how a program is run and watched."""

import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

INDIV = """CMTE_ID AMNDT_IND RPT_TP TRANSACTION_PGI IMAGE_NUM TRANSACTION_TP ENTITY_TP NAME CITY STATE ZIP_CODE EMPLOYER
OCCUPATION TRANSACTION_DT TRANSACTION_AMT OTHER_ID TRAN_ID FILE_NUM MEMO_CD MEMO_TEXT SUB_ID""".split()

CONTRIBUTIONS = "10 10J 11 11J 15 15E 15J 30 30E 30J 30T 31 31E 31J 31T 32 32E 32J 32T".split()


def run(command):
    """Runs a program. Returns its output, the seconds, and its most anonymous memory in MB (RssAnon, without mapped files)."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    most = 0
    done = threading.Event()

    def watch():
        nonlocal most
        while not done.wait(0.003):
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
            except OSError:
                return
            for line in status.splitlines():
                if line.startswith("RssAnon"):
                    most = max(most, int(line.split()[1]) // 1024)

    watcher = threading.Thread(target=watch)
    watcher.start()
    out, err = process.communicate()
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    if process.returncode != 0:
        sys.exit(f"{command[:4]}: {err.decode()}")
    return out.decode("latin-1"), seconds, most
