"""Results that try a page: hostile documents, many queries, nothing to show."""

import pytest

from qdtm.corpus import Corpus, TextPipeline
from qdtm.results.result import Result
from results.synthetic import make_corpus, make_fit

HOSTILE = (
    "<script>alert('cricket')</script><img src=x onerror=alert(1)> cricket match \u202e</p></body>"
    " <image/src=x onerror=alert(1)> &lt;script&gt;alert('cricket')"  # which stays
)
RIGHT_TO_LEFT = "cricket اللاعب ضرب الكرة في المباراة ثم cricket match مرة أخرى"
EMOJI = "cricket 🏏🔥 match 👩‍👩‍👧 \x00\x07 test"
TEXTS = [
    HOSTILE, RIGHT_TO_LEFT, EMOJI, "", "cricket match test wicket " * 40_000, "fire wind cricket match",
    "fire and wind and the test match", "cricket test", "the wicket fell in the cricket match", "fire crew",
]  # fmt: skip


@pytest.fixture(scope="session")
def result():
    corpus = make_corpus()
    return Result(make_fit(corpus), corpus)


@pytest.fixture(scope="session")
def hostile():
    """A result whose texts, names, columns and labels are all meant to break a page."""
    fields = {
        "<b>when</b>": ["2001-02-03", "", "soon", *[f"2002-0{j}-01" for j in range(1, 8)]],
        "party": ["<script>alert(2)</script>", "=1+1", *["B"] * 8],
    }
    ids = ['"><script>alert(3)</script>', *(f"doc-{j}" for j in range(1, 10))]
    corpus = Corpus.from_texts(TEXTS, ids=ids, fields=fields, pipeline=TextPipeline())
    fit = make_fit(corpus, queries=["cricket", "fire"], n_subtopics=(3, 0))
    shown = Result(fit, corpus).with_labels({"0.1": "<script>alert(4)</script>", "0": "{{ 7*7 }}"})
    return shown.with_columns(time_column="<b>when</b>", group_column="party")


@pytest.fixture(scope="session")
def hostile_page(hostile):
    from qdtm.present.report import render_report

    return render_report(hostile)
