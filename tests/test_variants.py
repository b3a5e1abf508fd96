"""A fitted model asked in other ways."""

import json
import signal

import pytest

from planted import plant_parts
from qdtm import Query, QueryDrivenTopicModel
from qdtm.errors import ParameterError
from qdtm.present.report import render_comparison
from qdtm.results.result import Result
from qdtm.variants import Ways, changed_model, changes


@pytest.fixture(scope="module")
def model():
    return QueryDrivenTopicModel("planet", embeddings=None, max_sweeps=40, n_chains=2).fit(
        plant_parts(0, 3, n_documents=60)
    )


@pytest.fixture(scope="module")
def sensitivity(model):
    return model.compare(also=["a00 <b>"], rules=["and", "or"], seeds=2)


def test_one_thing_is_changed_at_a_time(model):
    ways = Ways(also=("shared00",), extractors=("kld", "fre", "none"), rules=("and", "or"), n_seeds=1)
    found = list(changes(model.result_, 0, ways))
    assert [change.label for change in found] == [
        "asked “shared00”",
        "extractor fre",
        "extractor none",
        "rule or",
        "seed 1",
    ]
    assert [change.query.text for change in found] == ["shared00", *["planet"] * 4]
    assert [change.query.rule for change in found] == [None, None, None, "or", None]
    assert found[1].query.expansion == "fre"
    assert found[2].query.expansion is None
    other = changed_model(model, 0, found[4])
    assert (other.random_state, other.n_chains, other.max_sweeps) == (1, 1, 40)


def test_every_subtopic_has_a_fate_in_every_variant(model, sensitivity):
    assert [each.label for each in sensitivity.variants] == ["asked “a00 <b>”", "rule or", "seed 1", "seed 2"]
    ids = [each.id for each in model.topics_[0].subtopics]
    assert [id for id, _ in sensitivity.subtopics] == ids
    assert all(len(sensitivity.fates(id)) == 4 for id in ids)
    assert sensitivity.n_stays("0.1") == sum(each.fate == "stays" for each in sensitivity.fates("0.1"))


def test_a_rule_that_changes_nothing_keeps_everything(sensitivity):
    """A query of one word is the same by "and" and by "or"."""
    one_word = sensitivity.variants[1].comparison
    assert {each.fate for each in one_word.fates} == {"stays"}
    assert (one_word.documents.n_gained, one_word.documents.n_lost) == (0, 0)


def test_other_words_lose_documents(sensitivity):
    assert sensitivity.variants[0].comparison.documents.n_lost > 5


def test_tables(sensitivity):
    frame = sensitivity.to_frame()
    assert len(frame) == 4 * len(sensitivity.subtopics)
    assert set(frame["fate"]) <= {"stays", "splits", "merges", "vanishes"}
    documents = sensitivity.documents_frame()
    assert list(documents["variant"]) == [each.label for each in sensitivity.variants]
    assert (documents["n_both"] + documents["n_lost"] == documents["n_left"]).all()
    assert json.loads(json.dumps(sensitivity.to_json()))["n_stays"]["0.1"] == sensitivity.n_stays("0.1")


def test_a_page_about_it(sensitivity):
    page = render_comparison(sensitivity)
    assert "asked “a00 &lt;b&gt;”" in page
    assert "<b>" not in page
    assert f"{sensitivity.n_stays('0.1')} of 4" in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_figure_of_it(sensitivity):
    pytest.importorskip("plotly", reason="plotly is not installed")
    from qdtm.present.figures import fates

    trace = fates(sensitivity).data[0]
    assert len(trace.y) == len(sensitivity.subtopics)
    assert trace.x[0] == "asked “a00 &lt;b&gt;”"
    assert trace.z[0][1] == pytest.approx(1.0)


def test_fitted_models_and_results_can_be_given(model):
    found = model.compare(model, Result(model.fit_, model.corpus_))
    assert [each.label for each in found.variants] == ["result 1", "result 2"]
    assert found.n_stays("0.1") == 2


def test_one_of_several_queries_is_changed():
    corpus = plant_parts(0, 2, n_documents=30)
    model = QueryDrivenTopicModel(["planet", Query("x00")], embeddings=None, max_sweeps=10).fit(corpus)
    found = model.compare(query="x00", also=["y00"])
    assert found.name == "x00"
    assert "y00" in found.variants[0].comparison.right_words


def test_what_makes_no_sense_is_refused(model):
    for refused, message in (
        ({"rules": ["xor"]}, "rules has 'xor'; give some of and, or."),
        ({"extractors": ["tfidf"]}, "extractors has 'tfidf'"),
        ({"seeds": -1}, "seeds is -1"),
        ({"rules": ["and"]}, "nothing to compare"),
    ):
        with pytest.raises(ParameterError, match=message.replace(".", r"\.")):
            model.compare(**refused)
    with pytest.raises(ParameterError, match="str is no fitted model"):
        model.compare("a folder")


def test_ctrl_c_keeps_the_variants_that_are_complete():
    seen = []

    def press(progress):
        seen.append(progress)
        if armed and progress.stage == "subtopics":
            armed.pop()
            if not armed:
                signal.raise_signal(signal.SIGINT)

    armed: list[int] = []
    model = QueryDrivenTopicModel("planet", embeddings=None, max_sweeps=4, progress=press)
    model.fit(plant_parts(0, 2, n_documents=30))
    armed += [0] * (len([each for each in seen if each.stage == "subtopics"]) + 1)
    found = model.compare(seeds=3)
    assert len(found.variants) == 1
