"""Files that the tests share, and slow answers to compare with."""

import contextlib
import gzip
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

import fecscan

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
COLUMNS = (
    "CMTE_ID AMNDT_IND RPT_TP TRANSACTION_PGI IMAGE_NUM TRANSACTION_TP ENTITY_TP NAME CITY STATE ZIP_CODE EMPLOYER "
    "OCCUPATION TRANSACTION_DT TRANSACTION_AMT OTHER_ID TRAN_ID FILE_NUM MEMO_CD MEMO_TEXT SUB_ID"
).split()
ROWS = 20_000


class Files(NamedTuple):
    """The same rows, plain and compressed."""

    plain: Path
    gzip: Path
    zip: Path

    def rows(self):
        """Returns the rows as Python splits them: dicts of texts."""
        lines = self.plain.read_text("ascii").splitlines()
        return [dict(zip(COLUMNS, line.split("|"), strict=True)) for line in lines]


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    files = Files(folder / "itcont.txt", folder / "itcont.txt.gz", folder / "indiv18.zip")
    fecscan.generate(files.plain, ROWS)
    raw = files.plain.read_bytes()
    files.gzip.write_bytes(gzip.compress(raw, 1))
    with zipfile.ZipFile(files.zip, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("itcont.txt", raw)
    return files


@pytest.fixture(scope="session")
def rows(files):
    return files.rows()


@pytest.fixture
def long(files, tmp_path):
    """More rows than the pipe and a batch hold: the program can't be done before they are read."""
    copies = [tmp_path / f"itcont{number}.txt" for number in range(20)]
    for copy in copies:
        copy.write_bytes(files.plain.read_bytes())
    return copies


@pytest.fixture(scope="session")
def sliced(files, tmp_path_factory):
    """An archive with the rows a second time, in slices, as the FEC's have."""
    path = tmp_path_factory.mktemp("sliced") / "indiv18.zip"
    lines = files.plain.read_bytes().splitlines(keepends=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("itcont.txt", b"".join(lines))
        for number, start in enumerate(range(0, ROWS, 3000)):
            archive.writestr(f"by_date/itcont_{number}.txt", b"".join(lines[start : start + 3000]))
    return path


def children():
    """Returns the processes that this one has started and not waited for, zombies included."""
    while True:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # A thread has ended meanwhile.
            return [int(child) for task in Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()]


def open_files():
    """Returns how many files this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def nothing_left():
    """Checks that no process and no open file is left."""
    before = open_files()
    assert children() == []
    yield
    assert children() == []
    assert open_files() == before


def pytest_addoption(parser):
    parser.addoption("--kills", type=int, default=2, help="how many executors test_spark.py kills, one in each run")


@pytest.fixture
def kills(request):
    return request.config.getoption("--kills")
