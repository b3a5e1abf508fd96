"""The examples in the pages about results, figures and stability are run, and must print what they say."""

import doctest
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.docs

DOCS = Path(__file__).parents[2] / "docs"


_PAGES = ("results.md", "figures.md", "stability.md", "evidence.md", "languages.md")


@pytest.mark.parametrize("name", _PAGES)
def test_examples_run(name, tmp_path, monkeypatch):
    pytest.importorskip("plotly", reason="plotly is not installed")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / name).read_text("utf-8")
    examples = "\n".join(re.findall(r"```pycon\n(.*?)```", text, flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, name, name, 0)
    report = []
    failed, attempted = doctest.DocTestRunner().run(test, out=report.append)
    assert attempted > 5
    assert failed == 0, "".join(report)
