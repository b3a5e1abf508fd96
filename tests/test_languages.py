"""The whole way, corpus to report, in languages other than English."""

import json
import re

import pytest

from languages import WORDS, cut_words, write_texts
from qdtm import Corpus, QueryDrivenTopicModel, TextPipeline
from qdtm.app.explorer import Explorer
from qdtm.app.pages.reader import read_document
from qdtm.app.templating import render
from qdtm.present.report import render_report
from qdtm.queries import check_query
from qdtm.results.codes import Codes


def pipeline_of(language):
    return TextPipeline(language=language, tokenizer=cut_words if language == "chinese" else "unicode")


@pytest.fixture(scope="module", params=sorted(WORDS))
def fitted(request):
    language = request.param
    corpus = Corpus.from_texts(write_texts(language), pipeline=pipeline_of(language))
    model = QueryDrivenTopicModel(WORDS[language].query, max_sweeps=40).fit(corpus)
    return language, model


def words_of(language, name):
    pipeline = pipeline_of(language)
    return {word for token in getattr(WORDS[language], name) for word in pipeline(token)}


def test_the_topic_has_the_words_of_its_documents(fitted):
    language, model = fitted
    water = words_of(language, "floods") | words_of(language, "supply")
    found = [word for word, _ in model.topics_[0].top_words(15)]
    assert len(water & set(found)) >= 13
    assert not set(found) & words_of(language, "filler")
    assert model.concepts_[0].check.verdict == "fine"


def test_its_two_parts_are_its_subtopics(fitted):
    language, model = fitted
    largest = [{word for word, _ in each.top_words(8)} for each in model.topics_[0].subtopics[:2]]
    parts = [words_of(language, name) for name in ("floods", "supply")]
    overlaps = sorted(max(len(words & part) for part in parts) for words in largest)
    assert overlaps[0] >= 6


def test_vectors_are_learned_from_the_corpus(fitted):
    _, model = fitted
    assert model.fit_.threshold is not None
    assert "vectors “corpus”" in render_report(model.result_)


def test_documents_about_it_come_first(fitted):
    _, model = fitted
    assert all(int(row.id) % 2 == 0 for row in model.documents(n=20))


def marked(page):
    return re.findall(r"<mark[^>]*>([^<]*)</mark>", page)


def test_words_are_marked_in_the_report_also_after_loading(fitted, tmp_path):
    language, model = fitted
    model.save(tmp_path / "model")
    again = QueryDrivenTopicModel.load(tmp_path / "model")
    for page in (render_report(model.result_), render_report(again.result_)):
        found = marked(page)
        assert len(found) > 500
        assert WORDS[language].query in found
        assert 'dir="auto"' in page


def test_a_document_is_explained_after_loading(fitted, tmp_path):
    language, model = fitted
    model.save(tmp_path / "model")
    explanation = QueryDrivenTopicModel.load(tmp_path / "model").explain("0")
    texts = [piece.text for piece in explanation.passage(2_000).pieces if piece.is_concept]
    assert WORDS[language].query in texts


def test_the_app_shows_text_in_its_own_direction(fitted):
    _, model = fitted
    reading = read_document(Explorer(model.result_), 0, 0)
    page = render("reader_text.html", reading=reading, blocks=reading.blocks(Codes()))
    assert '<div class="block" dir="auto"' in page


# --- queries -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "typed", "meant"),
    [
        ("german", "strasse", "straße"),
        ("german", "STRASSE", "straße"),
        ("french", "reservoir", "réservoir"),
        ("spanish", "inundacion", "inundación"),
        ("arabic", "فَيَضَان", "فيضان"),
        ("arabic", "أطفاء", "اطفاء"),
    ],
)
def test_a_word_typed_without_its_accents_is_found(language, typed, meant):
    corpus = Corpus.from_texts(write_texts(language), pipeline=pipeline_of(language))
    check = check_query(corpus, typed, "and")
    assert check.words[0].matches == (meant,)
    assert check.n_and > 5


def test_ready_tokens_of_a_language_without_spaces(tmp_path):
    texts = write_texts("chinese")
    corpus = Corpus.from_tokens(map(cut_words, texts), texts=texts)
    model = QueryDrivenTopicModel("洪水水库", rule="or", embeddings="corpus", max_sweeps=20).fit(corpus)
    assert [word.word for word in model.concepts_[0].check.words] == ["洪水", "水库"]
    assert "洪水" in marked(render_report(model.result_))


def test_a_query_to_a_corpus_whose_tokenizer_is_gone(tmp_path):
    Corpus.from_texts(write_texts("chinese"), pipeline=pipeline_of("chinese")).save(tmp_path / "corpus")
    corpus = Corpus.load(tmp_path / "corpus")
    check = check_query(corpus, "洪水水库", "or")
    assert [(word.word, word.status) for word in check.words] == [("洪水", "known"), ("水库", "known")]


# --- the command line --------------------------------------------------------------------------------------


@pytest.fixture
def run():
    from click.testing import CliRunner

    from qdtm.cli.main import cli

    def run_qdtm(*args, code=0):
        result = CliRunner().invoke(cli, [str(arg) for arg in args], prog_name="qdtm")
        assert result.exit_code == code, result.output
        return result

    return run_qdtm


@pytest.mark.parametrize(("code", "language"), [("de", "german"), ("ar", "arabic"), ("zh", "chinese")])
def test_the_whole_way_on_the_command_line(code, language, run, tmp_path):
    texts, out = tmp_path / "texts.txt", tmp_path / "out"
    texts.write_text("\n".join(write_texts(language)), encoding="utf-8")
    query = WORDS[language].query
    reading = ["--language", code, *(["--tokenizer", "languages:cut_words"] if code == "zh" else [])]
    assert "answerable" in run("concepts", texts, "-q", query, *reading).stdout
    run("fit", texts, "-q", query, "-o", out, "--max-sweeps", "20", *reading)
    shown = json.loads(run("show", out, "--json").stdout)
    assert shown["queries"][0]["query"] == query
    assert query in run("docs", out, "-n", "3").stdout
    assert query in run("explain", out, "--doc", "1").stdout
    assert query in marked((out / "report.html").read_text(encoding="utf-8"))


def test_what_the_command_line_refuses(run, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(write_texts("chinese")), encoding="utf-8")
    refused = run("concepts", texts, "-q", "洪水", "--language", "zh", code=2)
    assert "no spaces between words; give --tokenizer" in refused.stderr
    for name in ("nowhere:cut", "languages:nothing", "languages", ""):
        refused = run("concepts", texts, "-q", "洪水", "--language", "zh", "--tokenizer", name, code=2)
        assert "--tokenizer is" in refused.stderr
