"""The examples of docs/corpus.md run, in order, and print what it says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "corpus.md"
BLOCK = re.compile(r"```(python|text)\n(.*?)```", re.DOTALL)


@pytest.mark.docs
@pytest.mark.skipif(not PAGE.is_file(), reason="the documentation is not here")
def test_examples_print_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    n_compared = 0
    for kind, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(block, names)
            printed = output.getvalue()
        else:
            assert printed == block
            n_compared += 1
    assert n_compared >= 3
