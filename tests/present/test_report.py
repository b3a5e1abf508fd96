"""The report: everything the issue asks for is on it, nothing of the user's is markup, and it stays small."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.errors import StorageError
from qdtm.present.methods import ending
from qdtm.present.report import MAX_BYTES, isolated, percent, render_report, write_report
from qdtm.present.report_builder import Limits, build_report, view_contrast
from qdtm.queries import build_concepts
from qdtm.results.contrast import ContrastWord, contrast_queries
from qdtm.results.result import Result
from qdtm.results.stability import QueryStability, Stability, SubtopicStability
from results.synthetic import make_corpus, make_fit, make_trace

VOID = {"meta", "link", "br", "img", "input"}


class Page(HTMLParser):
    """Collects tags, attributes and text, and checks that elements are closed in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.texts, self.ids = [], [], [], [], []
        self.feed(text)
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def page(result):
    return Page(render_report(result))


def test_everything_is_there(page, result):
    check = result.fit.concepts[0].check
    for said in (
        "cricket", f"{check.shown.capitalize()}. {check.reason}", result.relevance(0).summary(),
        result.relevance(1).near_summary(), "Concept words", "Subtopics",
        "Words", "How the subtopics relate", "Documents", "What lies outside", "How it was made",
        "Did it converge?", "Methods, and how to cite", "Every setting",
        "A Query-Driven Topic Model", "random_state",
        result.fit.corpus_fingerprint, "version of qdtm", "doc-0", "year",
    ):  # fmt: skip
        assert said in page.text, said
    for topic in result.all_topics():
        assert topic.short_name in page.text


def test_it_asks_for_nothing(page):
    loading = {"src", "href", "srcset", "action", "data", "poster"}
    for tag, name, value in page.attributes:
        if name in loading:
            assert value.startswith("#") or value == "data:,", (tag, name, value)
    assert page.tags.count("script") == 1
    assert not {"iframe", "object", "embed", "form", "img"} & set(page.tags)
    assert not any("url(" in text or "@import" in text for text in page.texts)


def test_links_lead_somewhere_and_ids_are_unique(page):
    assert len(page.ids) == len(set(page.ids))
    for tag, name, value in page.attributes:
        if tag == "a" and name == "href":
            assert value[1:] in page.ids


def test_the_same_result_gives_the_same_page(result):
    assert render_report(result) == render_report(result)


def test_hostile_text_is_text(hostile_page):
    page = Page(hostile_page)
    assert page.tags.count("script") == 1
    assert "img" not in page.tags
    assert not any(name.startswith("on") for _, name, _ in page.attributes)
    assert "<script>alert(4)</script>" in page.text
    assert "{{ 7*7 }}" in page.text
    assert "49" not in page.text.split("{{ 7*7 }}")[0]
    assert "\x00" not in hostile_page
    assert "\x07" not in hostile_page


def test_the_policy_allows_our_script_alone(hostile_page):
    import base64
    import hashlib

    script = re.search(r"<script>(.*?)</script>", hostile_page, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in hostile_page
    assert "default-src 'none'" in hostile_page


def test_long_right_to_left_and_empty_documents(hostile_page):
    page = Page(hostile_page)
    assert len(hostile_page) < 400_000  # the document of 1 MB is cut
    assert "المباراة" in page.text
    assert "🏏" in page.text
    assert ("p", "dir", "auto") in page.attributes
    assert "1 document has no known word" in page.text


def test_missing_dates_are_said(hostile_page):
    text = Page(hostile_page).text
    assert "2 of 10 documents have no date in '<b>when</b>'." in text
    assert "Over time" in text


def test_dates_that_cannot_be_read_become_a_note(result):
    page = Page(render_report(result.with_columns(time_column="year", date_format="%d.%m.%Y")))
    assert "No date in 'year' can be read" in page.text
    assert "Over time" not in page.text


def test_a_query_without_subtopics(hostile):
    assert "This topic was not split into subtopics." in Page(render_report(hostile)).text


def test_one_subtopic_has_no_map():
    corpus = make_corpus()
    page = Page(render_report(Result(make_fit(corpus, n_subtopics=(1, 1)), corpus)))
    assert "How the subtopics relate" not in page.text


def test_a_topic_that_is_one_group_is_a_sentence():
    corpus = make_corpus()
    result = Result(make_fit(corpus, n_subtopics=(1, 2)), corpus)
    shown = render_report(result)
    page = Page(shown)
    assert page.text.count("No subtopics: the documents about it are one group.") == 1
    assert 't0.1"' not in shown  # neither a card nor a link to one
    assert {"t1.1", "t1.2"} <= set(page.ids)
    named = Page(render_report(result.with_labels({"0.1": "the game"})))
    assert "t0.1" in named.ids  # what somebody named is shown
    assert "one group" not in named.text


def test_without_background_or_traces():
    corpus = make_corpus()
    changes = {"subtopic_traces": (), "parent_trace": make_trace(0), "threshold": None, "related": ()}
    fit = make_fit(corpus, n_background=0, n_subtopics=(0, 0), **changes)
    assert "no background topics" in Page(render_report(Result(fit, corpus))).text


def test_an_interrupted_fit_says_so():
    corpus = make_corpus()
    fit = make_fit(corpus, parent_trace=make_trace(interrupted=True, settled=False))
    text = Page(render_report(Result(fit, corpus))).text
    assert "stopped before it was done" in text
    assert "stopped by the user" in text


def test_fifty_queries_stay_small():
    words = [f"word{w:02d}" for w in range(50)]
    rng = np.random.default_rng(0)
    corpus = make_corpus([" ".join(rng.choice(words, 60)) for _ in range(300)])
    fit = make_fit(corpus, queries=words, n_subtopics=(4,) * 50)
    page = render_report(Result(fit, corpus))
    assert len(page.encode()) < 5_000_000
    assert len(re.findall('class="query"', page)) == 50


def test_a_page_that_is_too_large_shows_less(monkeypatch, result):
    whole = render_report(result)
    monkeypatch.setattr("qdtm.present.report.MAX_BYTES", len(whole.encode()) - 1)
    assert len(render_report(result)) < len(whole)
    assert MAX_BYTES < 5_000_000


def test_only_the_documents_shown_are_read(monkeypatch):
    corpus = make_corpus([f"cricket match fire wind test {j % 7} crew" for j in range(3_000)])
    store, read = corpus.documents, []

    class Watched:
        field_names, title_name = store.field_names, store.title_name

        def __len__(self):
            return len(store)

        def select(self, rows):
            rows = list(rows)
            read.extend(rows)
            return store.select(rows)

        def __iter__(self):
            raise AssertionError("the page read every document")

    fit = make_fit(corpus)
    watched = replace(corpus, documents=Watched())
    watched.__dict__["first_copy"] = corpus.first_copy  # known since the fit
    build_report(Result(fit, watched))
    assert 0 < len(read) < 300


def test_limits_are_kept(result):
    view = build_report(result, Limits(documents=2, typical=1, sentences=1, cards=1, words=6))
    for query in view.queries:
        assert len(query.documents) <= 2
        assert len(query.subtopics) == 1
        assert len(query.subtopics[0].documents) <= 1
        assert all(len(word.sentences) <= 1 for word in query.concept_words)


def test_evidence_has_the_word(result):
    for query in build_report(result).queries:
        for word in query.concept_words:
            assert word.sentences
            for sentence in word.sentences:
                marked = [piece.text.lower() for piece in sentence.passage.pieces if piece.level == 3]
                assert any(text.startswith(word.word[:4]) for text in marked)


def test_words_with_markup_in_a_query_and_unknown_words():
    corpus = make_corpus()
    concepts = build_concepts(corpus, ["cricket <b>zzz</b>", "fire"], n_concept_words=3, refuse=False)
    fit = replace(make_fit(corpus), concepts=concepts, related=())
    assert "cricket <b>zzz</b>" in Page(render_report(Result(fit, corpus))).text


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0.0%"), (0.123, "12.3%"), (0.0004, "0.04%"), (0.00001, "<0.01%"), (1, "100.0%")]
)
def test_shares_as_text(share, text):
    assert percent(share) == text


def test_an_unwritable_place_is_one_line(tmp_path, result):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "r.html", tmp_path):
        with pytest.raises(StorageError) as raised:
            write_report(result, path)
        assert "\n" not in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_failure_leaves_the_old_page(tmp_path, result, monkeypatch):
    path = write_report(result, tmp_path / "r.html")
    before = path.read_text("utf-8")

    def fail(_):
        raise OSError(28, "full")

    monkeypatch.setattr("qdtm.present.report.render_report", fail)
    with pytest.raises(StorageError, match="full"):
        write_report(result, path)
    assert path.read_text("utf-8") == before
    assert [each.name for each in tmp_path.iterdir()] == ["r.html"]


def test_stability_is_on_the_cards_and_below(result):
    each = SubtopicStability("0.1", 0.62, (0.9, 0.2, 0.76), ("<b>run",), ("wicket",))
    lost = SubtopicStability("0.2", 0.0, (0.0, 0.0, 0.0), (), ("test",))
    queries = (
        QueryStability("cricket", (each, lost), (2, 3, 2, 4), (0.2, 0.21, 0.19, 0.2), 1.02),
        QueryStability("fire", (), (3, 3, 3, 3), (0.1,) * 4, None),
    )
    stability = Stability(5, (0, 1, 2, 3), queries, (-7.0, -7.2, -7.1, -7.0), 1.5)
    page = Page(render_report(Result(replace(result.fit, stability=stability), result.corpus)))
    for said in (
        "Fair : found in 2 of 3 runs.",
        "In every run: <b>run . Only in some: wicket .",
        "Weak : found in 0 of 3 runs.",
        "4 independent runs found 2 to 4 subtopics;",
        "4 of 5 runs from different random seeds",
        "the corpus’ words in cricket 19.0% 21.0% R-hat 1.02: the runs agree",
        "R-hat 1.50: the runs stay apart",
        "too few draws",
        "Of 2 subtopics, 0 were found in all of 4 runs.",
    ):
        assert said in page.text


def test_headings_go_down_a_level_at_a_time(page, result):
    for each in (page, Page(render_report(Result(make_fit(result.corpus, queries=["fire"]), result.corpus)))):
        levels = [int(tag[1]) for tag in each.tags if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == levels.count(1) == 1
        assert all(below - above <= 1 for above, below in pairwise(levels))


def test_several_queries_are_summed_up_before_the_first(page, result):
    first = page.text.index("2 queries, 10 documents")
    assert first < page.text.index(result.relevance(0).summary())
    alone = Result(make_fit(result.corpus, queries=["fire"], n_subtopics=(2,)), result.corpus)
    text = Page(render_report(alone)).text
    assert "queries, 10 documents" not in text
    assert text.index(alone.relevance(0).summary()) < text.index("Words")


def test_bars_of_a_contrast_are_in_the_order_of_their_numbers(result):
    words = tuple(ContrastWord(f"w{i}", -odds, 0.1, 1.0, 1.0) for i, odds in enumerate((1.0, 3.0, 2.0)))
    found = replace(contrast_queries(result, 0, 1), right_words=words)
    bars = view_contrast(result, 0, 1, found).sides[1].words
    assert [bar.probability for bar in bars] == [3.0, 2.0, 1.0]
    assert [bar.word for bar in bars] == ["w1", "w2", "w0"]
    assert bars[0].width == 100.0


def test_groups_and_cards_count_the_documents_that_are_listed(result):
    for q, query in enumerate(build_report(result.with_columns(group_column="year")).queries):
        assert sum(row.about for row in query.groups) == query.relevance.n_listed
        mainly = [int(result.scores(q).mainly_in(s).sum()) for s in range(len(query.subtopics))]
        assert [topic.n_documents for topic in query.subtopics] == mainly
        assert [
            sum(counts) for counts in zip(*(row.subtopics for row in query.groups), strict=True)
        ] == mainly


def test_quoted_words_of_a_right_to_left_script_keep_to_themselves():
    found = isolated("35 documents have 'مدرسة', 26 <b> of them; 'a&b' has none.")
    assert str(found).startswith("35 documents have <bdi>&#39;مدرسة&#39;</bdi>, 26 &lt;b&gt; of them")
    assert str(found).endswith("; &#39;a&amp;b&#39; has none.")


def test_a_few_documents_have_no_topics_of_the_rest(tmp_path, few_documents):
    texts = [f"the fire burned the {word} house" for word in ("old", "red", "new", "tall", "low", "blue")] * 2
    others = [f"a {word} swimmer won the race" for word in ("young", "slow", "fast", "tired", "proud")]
    model = QueryDrivenTopicModel(["fire"], embeddings=None).fit([*texts, *others])
    page = model.report(tmp_path / "report.html").read_text("utf-8")
    assert model.result_.is_too_small_to_split
    assert model.background_topics_
    assert "What lies outside" not in page


def test_a_name_that_is_the_title_too_is_shown_once():
    corpus = make_corpus()
    texts = [document.text for document in corpus.documents]
    names = [f"file-{j:02}" for j in range(len(texts))]
    named = Corpus.from_texts(texts, ids=names, titles=names, pipeline=corpus.pipeline)
    page = render_report(Result(make_fit(named), named))
    assert re.search(r"<strong[^>]*>file-\d\d</strong></p>", page)
    assert 'class="id">file-' not in page


@pytest.mark.parametrize(
    ("n_looks", "settled", "said"),
    [
        (10, True, "converged"),
        (10, False, "as many as it is given, too few to tell whether it converged"),
        (30, False, "not converged when its sweeps were over"),
    ],
)
def test_a_few_sweeps_are_not_said_to_have_failed(n_looks, settled, said):
    assert ending(make_trace(n_looks, settled=settled)) == said
