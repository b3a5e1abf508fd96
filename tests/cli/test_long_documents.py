"""Long documents: judged by passage unless the user says otherwise, and a note that says so."""

import pytest

from qdtm import Corpus
from qdtm.cli import opening, run_fit
from qdtm.corpus import load_demo_corpus

SPLIT = "so they are judged by passage; --split none judges them whole."
WHOLE = "; --split paragraphs judges them by passage."


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A folder of forty files of several demo articles each."""
    articles = [document.text for document in load_demo_corpus().documents]
    folder = tmp_path_factory.mktemp("long")
    for i in range(40):
        (folder / f"file-{i:02}.txt").write_text("\n\n".join(articles[7 * i : 7 * i + 7]), encoding="utf-8")
    return folder


@pytest.fixture
def opened(monkeypatch):
    """The corpora that commands opened."""
    found, open_corpus = [], opening.open_corpus

    def remember(*args, **options):
        found.append(open_corpus(*args, **options))
        return found[-1]

    monkeypatch.setattr(opening, "open_corpus", remember)
    return found


@pytest.mark.parametrize("command", [("concepts", "-q", "cricket"), ("kwic", "cricket")])
@pytest.mark.parametrize("split", [(), ("--split", "auto")])
def test_they_are_split_and_that_is_said(run, long, opened, command, split):
    printed = run(command[0], long, *command[1:], *split)
    assert f"words), {SPLIT}" in printed.stderr
    assert opened[0].fingerprint == Corpus.read(long, split="paragraphs").fingerprint


@pytest.mark.parametrize("split", ["none", "paragraphs", "200"])
def test_the_user_may_say_how(run, long, opened, split):
    printed = run("concepts", long, "-q", "cricket", "--split", split)
    assert "The documents are long" not in printed.stderr
    assert opened[0].fingerprint == Corpus.read(long, split=split).fingerprint


def test_the_papers_preset_does_not_split(run, long, opened, tmp_path):
    fast = ("--max-sweeps", 6, "--min-sweeps", 4, "--no-subtopics", "--no-report")
    printed = run("fit", long, "-q", "cricket", "--preset", "paper", "-o", tmp_path / "out", *fast)
    assert WHOLE in printed.stderr
    assert opened[0].passages is None


def test_short_documents_stay_whole(run, news, opened):
    printed = run("concepts", news, "-q", "fire", "--text-column", "body")
    assert "passage" not in printed.stderr
    assert opened[0].fingerprint == Corpus.read(news, text_column="body").fingerprint
    assert opened[0].passages is None


def test_an_index_says_it_once(run, long, tmp_path):
    assert SPLIT in run("index", long, "-o", tmp_path / "index").stderr
    assert len(Corpus.load(tmp_path / "index").passages) > 40
    assert "passage" not in run("concepts", tmp_path / "index", "-q", "cricket").stderr
    refused = run("concepts", tmp_path / "index", "-q", "cricket", "--split", "none", code=2)
    assert "has been read already; leave out --split" in refused.stderr


@pytest.mark.parametrize("split", [(), ("--split", "auto"), ("--split", "none")])
def test_an_index_in_parts_has_them_whole(run, long, monkeypatch, tmp_path, split):
    def index_on_cluster(_paths, _output, options, _console):
        assert opening.make_pipeline(options).split_documents is None  # which is refused
        return Corpus.read(long, split="none"), 1

    monkeypatch.setattr(run_fit, "index_on_cluster", index_on_cluster)
    printed = run("index", long, "-o", tmp_path / "index", "--engine", "ray", *split)
    assert "an index in parts judges them as a whole" in printed.stderr
