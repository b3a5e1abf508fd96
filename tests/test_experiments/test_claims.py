"""What the README and the pages say in numbers is what the JSON files of docs/results have."""

import json
import re
from pathlib import Path

import pytest

from experiments.harness.records import of_json
from experiments.harness.summary import Summary, unique
from experiments.headline import PAPER_ROWS, natural
from experiments.pages import RESULTS
from experiments.paper import published
from experiments.systems.answers import REFERENCE, RETRIEVAL

ROOT = Path(__file__).parents[2]
CORPORA = ("20news", "tagmynews", "searchsnippets")
FILES = {path.stem: json.loads(path.read_text("utf-8")) for path in RESULTS.glob("*.json")}
TWO_FIGURES = ("accuracy", "precision_at_k")


def page(name):
    """Return a page on one line."""
    return re.sub(r"\s+", " ", (ROOT / name).read_text("utf-8"))


def line_of(name, start, section=""):
    """Return the cells of a section's table line that begins so, without what makes them bold."""
    text = (ROOT / name).read_text("utf-8").replace("**", "")
    if section:
        text = text.partition(section)[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith(f"| {start}")]
    assert len(lines) == 1, (start, lines)
    return [cell.strip() for cell in lines[0].strip().strip("|").split("|")]


def figure(table, dataset, model, metric, query=None):
    wanted = {"dataset": dataset, "model": model, "metric": metric}
    found = [
        row["mean"]
        for row in FILES[table]
        if row.get("query") == query and all(row[name] == value for name, value in wanted.items())
    ]
    assert len(found) == 1, wanted
    return found[0]


def pairs(table, model):
    """Return accuracy and precision at K of a row on each corpus, as a page has them."""
    return [
        " / ".join(f"{figure(table, corpus, model, metric):.3f}" for metric in TWO_FIGURES)
        for corpus in CORPORA
    ]


# --- queries asked together -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "model"),
    [
        ("qdtm, by relevance", "qdtm-relevance"),
        ("qdtm with MiniLM", "qdtm-encoder"),
        ("BERTopic with MiniLM", "bertopic"),
        ("keyATM", "keyatm"),
    ],
)
def test_precision_of_the_readme(start, model):
    said = [f"{figure('table1', corpus, model, 'precision_at_k'):.3f}" for corpus in CORPORA]
    assert line_of("README.md", start)[1:] == said


def test_the_papers_best_row_of_the_readme():
    best = [max(published(model, corpus, "precision_at_k") for model in PAPER_ROWS) for corpus in CORPORA]
    assert line_of("README.md", "the paper, best row")[1:] == [f"{value:.3f}" for value in best]


@pytest.mark.parametrize("model", ["kld", "expert", "relevance", "encoder"])
def test_our_rows_of_the_reproduction(model):
    said = line_of("docs/reproduction.md", f"`qdtm-{model}` | 0", "## Table 1")[1:]
    assert said == pairs("table1", f"qdtm-{model}")


@pytest.mark.parametrize("model", ["keyatm", "bertopic"])
def test_peers_of_the_reproduction(model):
    assert line_of("docs/reproduction.md", f"`{model}` | 0", "## Table 1")[1:] == pairs("table1", model)


@pytest.mark.parametrize(
    ("table", "heading"), [("table1", "## Table 1"), ("table1-paper", "### With the paper's sweeps")]
)
def test_how_many_figures_are_the_papers_or_better(table, heading):
    both = [
        (round(row["mean"], 3), row["paper"])
        for row in FILES[table]
        if row["model"] in PAPER_ROWS and row["metric"] in TWO_FIGURES
    ]
    reached = sum(ours >= paper for ours, paper in both)
    text = page("docs/reproduction.md").partition(heading)[2]
    said = re.search(r"Of the(?:se)? (\d+) figures[^.]*, (\d+) are the paper's or better", text)
    assert said is not None
    assert [int(number) for number in said.groups()] == [len(both), reached]


def test_runs_that_are_said_are_those_of_the_files():
    of_ours = {row["runs"] for row in FILES["table1"] if row["model"].startswith("qdtm-")}
    assert of_ours == {5}


# --- one query alone --------------------------------------------------------------------------------------


def best_retrieval(corpus):
    known = {
        model: figure("alone", corpus, model, "precision_at_k") for model in RETRIEVAL if model != REFERENCE
    }
    best = max(known, key=known.__getitem__)
    return best, known[best]


def alone_corpora():
    return unique(row["dataset"] for row in FILES["alone"])


def test_the_mean_margin_over_retrieval():
    margins = [
        figure("alone", corpus, "qdtm", "precision_at_k") - best_retrieval(corpus)[1]
        for corpus in alone_corpora()
    ]
    mean = sum(margins) / len(margins)
    assert f"answered {mean:.2f} above" in page("README.md")
    assert f"by {mean:.3f} on average" in page("docs/alone.md")
    assert min(margins) > 0


@pytest.mark.parametrize("corpus", alone_corpora())
def test_a_line_of_the_page_on_queries_alone(corpus):
    name, best = best_retrieval(corpus)
    metrics = ("precision_at_k", "precision_by_share", "size_ratio", "count_ratio", "inside", "width",
               "calibration_error", "own_words")  # fmt: skip
    forms = ("{:.3f}", "{:.3f}", "{:.2f}", "{:.2f}", "{:.0%}", "{:.0f}", "{:.3f}", "{:.2f}")
    said = [form.format(figure("alone", corpus, "qdtm", metric))
            for metric, form in zip(metrics, forms, strict=True)]  # fmt: skip
    cells = [cell.replace(" %", "%") for cell in line_of("docs/alone.md", f"{corpus} | ", "## Results")]
    assert cells[2:] == [f"{best:.3f} (`{name}`)", *said]
    assert cells[1].startswith(f"{figure('alone', corpus, 'qdtm', 'answered'):.0f} of ")


# --- all queries of a corpus at once ----------------------------------------------------------------------


@pytest.mark.parametrize("corpus", CORPORA)
def test_calibration_and_counts_together(corpus):
    metrics = ("precision_by_share", "precision_at_k", "calibration_error", "count_ratio", "inside")
    forms = ("{:.3f}", "{:.3f}", "{:.3f}", "{:.2f}", "{:.0%}")
    said = [form.format(figure("together", corpus, "qdtm", metric))
            for metric, form in zip(metrics, forms, strict=True)]  # fmt: skip
    cells = line_of("docs/evidence.md", f"{corpus} | ", "## How well")[1:]
    assert [cell.replace(" %", "%") for cell in cells] == said


@pytest.mark.parametrize("corpus", ["ohsumed23", "uscongress", "clinc150-domains"])
def test_natural_categories_at_once(corpus):
    rows = [of_json(Summary, row) for row in FILES["together"]]
    values = [figures.get(corpus) for figures in natural(rows).values.values()]
    said = ["" if value is None else f"{value:.3f}" for value in values]
    assert line_of("docs/alone.md", f"{corpus} | ", "## All categories at once")[1:] == said


# --- the others -------------------------------------------------------------------------------------------


def test_answers_that_stay_with_the_query():
    whole = {
        (row["dataset"], row["kind"]): f"{row['n_acceptable']} of {row['n_asked']}"
        for row in FILES["staying"]
        if row["model"] == "qdtm" and "n_asked" in row
    }
    assert f"{whole['all', 'all']} questions" in page("README.md")
    for corpus in unique(corpus for corpus, _ in whole):
        cells = line_of("docs/staying.md", f"{corpus} | ")
        assert cells[1].partition(" (")[0] == whole[corpus, "all"]
        assert cells[2:] == [whole[corpus, kind] for kind in ("specific", "passing")]


@pytest.mark.parametrize(
    "model",
    ["qdtm", "lda-same", "hdp", "lda-true", "bertopic-glove", "kmeans-glove", "kmeans-svd",
     "qdtm-encoder", "bertopic", "keynmf", "kmeans-minilm"],
)  # fmt: skip
def test_subtopics_beside_true_ones(model):
    ami = {
        row["dataset"]: f"{row['ami']:.3f}"
        for row in FILES["subtopics"]
        if row["model"] == model and "n_counted" in row
    }
    said = line_of("docs/subtopics.md", f"`{model}` | 0")[1:]
    assert said == [ami[corpus] for corpus in ("clinc150", "clinc150-words", "20news")]


@pytest.mark.parametrize("model", ["htm", "qdtm-kld"])
def test_overall_of_subtopics(model):
    said = {
        row["dataset"]: f"{row['mean']:.3f} ± {row['sd']:.3f}"
        for row in FILES["table3"]
        if (row["model"], row["metric"]) == (model, "overall")
    }
    cells = line_of("docs/reproduction.md", f"`{model}` | 0", "## Table 3")
    assert cells[1:] == [said[corpus] for corpus in CORPORA]
