"""`qdtm fit`, for real."""

import csv
import json
import signal

import pytest

from qdtm import QueryDrivenTopicModel
from qdtm.cli.progress_display import FitDisplay

from .conftest import TEXTS


@pytest.fixture
def fit(run, news, fast, tmp_path):
    """Return a function that runs `qdtm fit` into a new folder."""

    def run_fit(*args, queries=("fire",), code=0):
        asked = [part for query in queries for part in ("-q", query)]
        return run("fit", news, *asked, "-o", tmp_path / "out", *fast, *args, code=code)

    return run_fit


def test_writes_a_model_and_tables(fit, tmp_path):
    result = fit("--id-column", "nr", "--all-documents", queries=("fire", "cricket match"))
    out = tmp_path / "out"
    assert sorted(path.name for path in out.iterdir()) == [
        *("corpus", "documents.csv", "model.safetensors", "qdtm.json", "report.html", "topics.csv"),
    ]
    rows = list(csv.DictReader((out / "documents.csv").open(encoding="utf-8-sig", newline="")))
    fire, cricket = ([row for row in rows if row["query"] == q] for q in ("fire", "cricket match"))
    assert [row["nr"] for row in fire] == [f"n{number}" for number in range(1, len(TEXTS) + 1)]
    assert "[bold]No. 1[/bold]" in rows[0].values()
    assert any(row["passage"] for row in rows)
    assert rows[0]["year"] == "2001"
    assert float(fire[0]["relevance"]) > float(fire[1]["relevance"])
    assert float(cricket[1]["relevance"]) > float(cricket[0]["relevance"])
    topics = list(csv.DictReader((out / "topics.csv").open(encoding="utf-8-sig", newline="")))
    assert [row["name"] for row in topics if row["query"] and not row["parent"]] == ["fire", "cricket match"]
    assert "parent topics: " in result.stderr
    assert result.stdout.startswith("fire\n6 of 18 documents are about it (3 to 9): all name it.\n")
    assert "\x1b" not in result.stdout
    assert QueryDrivenTopicModel.load(out).topics_[1].name == "cricket match"


def test_documents_are_those_about_a_query(fit, tmp_path):
    fit("--quiet")
    with (tmp_path / "out" / "documents.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    model = QueryDrivenTopicModel.load(tmp_path / "out")
    assert len(rows) == model.relevance("fire").about.sum() < len(TEXTS)
    assert {row["about"] for row in rows} == {"yes"}


def test_json_is_pure(fit, tmp_path):
    found = json.loads(fit("--json").stdout)
    assert found["path"] == str(tmp_path / "out")
    assert found["corpus"]["documents"] == len(TEXTS)
    assert (found["queries"][0]["query"], found["topics"][0]["topic"]) == ("fire", "0")
    assert 0 < found["topics"][0]["share"] < 1
    assert found["interrupted"] is False
    assert found["convergence"]["parents"]["n_sweeps"] <= 12


def test_quiet_prints_nothing(fit):
    result = fit("--quiet")
    assert (result.stdout, result.stderr) == ("", "")


def test_the_same_seed_gives_the_same_bytes(run, news, fast, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run("fit", news, "-q", "fire", "-o", tmp_path / name, *fast, "--seed", seed, "--quiet")
    a, b, c = ({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.*")} for name in "abc")
    assert a == b
    assert a["model.safetensors"] != c["model.safetensors"]


def test_all_options_reach_the_model(fit, tmp_path):
    options = {
        "--expansion": "fre", "--rule": "or", "--concept-words": 4, "--candidates": 50, "--alpha": 0.9,
        "--embeddings": "none", "--similarity-threshold": 0.7, "--promotion-weight": 0.2, "--beta": 0.4,
        "--gamma": 1.1, "--background-topics": 3, "--seed": 5, "--jobs": 1,
    }  # fmt: skip
    fit(*(part for pair in options.items() for part in pair), "--no-filtering", "--no-subtopics")
    found = QueryDrivenTopicModel.load(tmp_path / "out").fit_.parameters
    expected = {
        "expansion": "fre", "rule": "or", "n_concept_words": 4, "n_candidates": 50, "embeddings": None,
        "similarity_threshold": 0.7, "promotion_weight": 0.2, "alpha": 0.9, "beta": 0.4, "gamma": 1.1,
        "n_background_topics": 3, "random_state": 5, "word_filtering": False,
        "subtopics": False, "min_sweeps": 4, "max_sweeps": 12, "preset": "default",
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected


def test_no_promotion_and_the_papers_preset(fit, tmp_path):
    fit("--no-promotion", "--preset", "paper")
    model = QueryDrivenTopicModel.load(tmp_path / "out")
    assert model.fit_.threshold is None
    assert model.fit_.parameters["promotion_weight"] == 0.0
    assert model.fit_.parameters["preset"] == "paper"


def test_the_corpus_of_a_result_can_be_fitted(run, result, tmp_path):
    run("fit", result / "corpus", "-q", "election", "-o", tmp_path / "out", "--max-sweeps", 8, "--quiet")
    assert QueryDrivenTopicModel.load(tmp_path / "out").topics_[0].name == "election"
    assert (tmp_path / "out" / "corpus").is_dir()  # that of another result is not relied upon


def test_force_replaces_an_earlier_result(fit, tmp_path):
    fit("--quiet")
    before = (tmp_path / "out" / "qdtm.json").read_bytes()
    failed = fit(code=2)
    assert "--force" in failed.stderr
    assert (tmp_path / "out" / "qdtm.json").read_bytes() == before
    fit("--force", "--seed", 3, "--quiet")
    assert QueryDrivenTopicModel.load(tmp_path / "out").fit_.parameters["random_state"] == 3
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_thin_query_is_noted(fit):
    result = fit(queries=("enemy",))
    assert "qdtm: note: query 'enemy': Only 1 of 18 documents has 'enemy'." in result.stderr


def test_ctrl_c_saves_what_there_is(fit, tmp_path, monkeypatch):
    def press_ctrl_c(self, progress):
        if progress.stage == "parents" and progress.sweep == 3:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(FitDisplay, "__call__", press_ctrl_c)
    result = fit("--json", code=130)
    assert json.loads(result.stdout)["interrupted"] is True
    assert result.stderr.splitlines()[-1].startswith(
        "qdtm: interrupted; what was found until then is saved to"
    )
    assert QueryDrivenTopicModel.load(tmp_path / "out").fit_.interrupted


def test_ctrl_c_while_reading_leaves_nothing(fit, tmp_path, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("qdtm.corpus.Corpus.read", interrupted)
    lines = fit(code=130).stderr.splitlines()
    assert lines[0].startswith("reading ")
    assert lines[1:] == ["qdtm: interrupted; nothing was written."]
    assert list(tmp_path.iterdir()) == []


def test_the_defaults_are_the_models_own(run, news, tmp_path):
    run("fit", news, "-q", "fire", "--text-column", "body", "-o", tmp_path / "out", "--quiet")
    parameters = QueryDrivenTopicModel.load(tmp_path / "out").fit_.parameters
    defaults = QueryDrivenTopicModel("fire").get_params(deep=False)
    assert parameters == {name: defaults[name] for name in parameters}


def test_chains_say_what_is_found_again(fit, run, tmp_path):
    result = fit("--chains", "3")
    assert "run 3 of 3, parent topics: " in result.stderr
    shown = run("show", tmp_path / "out").stdout
    for page in (result.stdout, shown):
        assert "how firm this is  3 independent runs" in page
        assert "found in" in page
    found = json.loads(run("show", tmp_path / "out", "--json").stdout)["stability"]
    assert (found["n_chains"], len(found["seeds"])) == (3, 3)
    first = found["queries"][0]["subtopics"][0]
    assert first["id"] == "0.1"
    assert f"{first['n_found']} of 2" in shown
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f" in {first['n_found']} of 2 runs" in page
    assert "Do independent runs agree?" in page


def test_without_chains_nothing_is_said_of_them(fit):
    result = fit()
    assert "how firm" not in result.stdout
    assert "run 1" not in result.stderr


def test_a_folder_that_another_process_writes(run, news, fast, tmp_path):
    from threading import Event, Thread

    from qdtm.storage.atomic import reserve

    taken, over = Event(), Event()

    def hold():
        with reserve(tmp_path / "out"):
            taken.set()
            over.wait(60)

    holder = Thread(target=hold)
    holder.start()
    taken.wait(60)
    for command in (("fit", news, "-q", "fire", *fast), ("index", news, *fast[:2]), ("demo",)):
        refused = run(*command, "-o", tmp_path / "out", code=2).stderr.splitlines()
        assert refused[-1].startswith("qdtm: Another process is writing ")
    over.set()
    holder.join()
    assert list(tmp_path.iterdir()) == []
