"""The examples in the documents are run, and their output is compared, as doctest does."""

import doctest
import re
import shutil

import pytest
from conftest import FIXTURES, ROOT

import fecscan

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.filterwarnings("ignore::fecscan.Note")
@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "python/README.md"])
def test_examples_print_what_the_document_says(name, tmp_path, monkeypatch):
    blocks = re.findall(r"^```pycon\n(.*?)^```$", (ROOT / name).read_text(), re.DOTALL | re.MULTILINE)
    shutil.copy(FIXTURES / "indiv18.zip", tmp_path)
    fecscan.generate(tmp_path / "itcont.txt", 1000)
    fecscan.generate(tmp_path / "cm.txt", 10_000, schema="cm")
    monkeypatch.chdir(tmp_path)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, name, 0)
    assert example.examples
    said = []
    doctest.DocTestRunner(optionflags=FLAGS).run(example, out=said.append)
    assert not said, "".join(said)
