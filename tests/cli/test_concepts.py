"""`qdtm concepts`."""

import json

from qdtm.results.tables import CONCEPT_WORDS

from .conftest import TEXTS, write_csv


def test_shows_the_check_and_the_words_with_evidence(run, news):
    text = run("concepts", news, "-q", "fire", "-q", "cricket match", "--text-column", "body").stdout
    assert "fire  answerable" in text
    assert "cricket match  thin" in text
    assert "'cricket' and 'match'" in text
    assert "firefighter" in text
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_json_is_pure_and_complete(run, news):
    result = run("concepts", news, "-q", "fire", "--text-column", "body", "--id-column", "nr", "--json")
    found = json.loads(result.stdout)
    assert found["corpus"]["documents"] == len(TEXTS)
    (query,) = found["queries"]
    assert query["check"]["verdict"] == "fine"
    assert query["check"]["n_retrieved"] == sum(
        "fire " in f"{text.lower()} ".replace(",", " ") for text in TEXTS
    )
    assert query["query"] == "fire"
    words = found["concept_words"]
    assert list(words[0]) == [column.name for column in CONCEPT_WORDS]
    assert (words[0]["query"], words[0]["word"]) == ("fire", "fire")
    assert isinstance(words[0]["score"], float)
    assert words[0]["supported_by"][0].startswith("n")


def test_options_reach_the_query(run, news):
    options = (
        "--add",
        "smoke",
        "--drop",
        "wind",
        "--exclude",
        "forest",
        "--concept-words",
        3,
        "--min-precision",
        0,
    )
    result = run("concepts", news, "-q", "fire", *options, "--text-column", "body", "--json")
    found = json.loads(result.stdout)
    (query,) = found["queries"]
    words = {word["word"]: word["origin"] for word in found["concept_words"] if not word["left_out"]}
    assert words == {"fire": "query", "smoke": "user", "bushfire": "expansion", "firefighter": "expansion"}
    assert query["check"]["n_excluded"] > 0


def test_keywords_alone(run, news):
    result = run("concepts", news, "--keywords", "sport=cricket,wicket*", "--text-column", "body", "--json")
    found = json.loads(result.stdout)
    (query,) = found["queries"]
    assert {word["word"] for word in found["concept_words"]} == {"cricket", "wicket"}
    assert query["check"]["rule"] == "or"


def test_rules_and_expansion(run, news):
    args = ("concepts", news, "-q", "fire wind", "-q", "century team", "--text-column", "body", "--json")
    found = json.loads(run(*args, "--rule", "and", "--rule", "or", "--expansion", "fre").stdout)["queries"]
    assert [query["check"]["rule"] for query in found] == ["and", "or"]
    assert {query["extractor"] for query in found} == {"fre"}
    found = json.loads(run(*args, "--rule", "or", "--expansion", "none").stdout)
    assert [query["check"]["rule"] for query in found["queries"]] == ["or", "or"]
    words = [word["word"] for word in found["concept_words"] if word["query"] == "fire wind"]
    assert words == ["fire", "wind"]


def test_an_absent_query_is_explained(run, news):
    result = run("concepts", news, "-q", "fyre", "--text-column", "body", code=2)
    assert "fyre  absent" in result.stdout
    assert "closest: fire" in result.stdout
    assert result.stderr.startswith("qdtm: Query 'fyre'")
    assert "Closest: 'fire'" in result.stderr
    assert result.stderr.count("\n") == 1
    result = run("concepts", news, "-q", "fyre", "-q", "cricket", "--text-column", "body", "--json", code=2)
    verdicts = [query["check"]["verdict"] for query in json.loads(result.stdout)["queries"]]
    assert verdicts == ["absent", "fine"]


def test_text_options(run, news):
    args = ("concepts", news, "-q", "fire", "--text-column", "body", "--json")
    size = json.loads(run(*args).stdout)["corpus"]["words"]
    assert json.loads(run(*args, "--max-words", 20).stdout)["corpus"]["words"] == 20
    assert json.loads(run(*args, "--min-df", 2).stdout)["corpus"]["words"] < size
    assert json.loads(run(*args, "--min-df", 0.1).stdout)["corpus"]["words"] < size
    assert json.loads(run(*args, "--language", "none").stdout)["corpus"]["words"] > size


def test_a_saved_corpus(run, result, news):
    found = json.loads(run("concepts", result / "corpus", "-q", "fire", "--json").stdout)
    assert found["corpus"]["documents"] == len(TEXTS)
    failed = run("concepts", result / "corpus", "-q", "fire", "--language", "german", code=2)
    assert failed.stderr == "qdtm: A saved corpus has been read already; leave out --language.\n"


def test_a_query_that_is_only_mentioned_is_answered_by_its_documents(run, tmp_path):
    filling = "The players of the rugby team won the match and the crowd sang. " * 5
    towns = [
        "Bath",
        "Cork",
        "Derby",
        "Exeter",
        "Fife",
        "Goole",
        "Hull",
        "Ipswich",
    ]  # copies of a text count once
    texts = [f"{filling}{'They play cricket too. ' * (j == 3)}{town}." for j, town in enumerate(towns)]
    news = write_csv(tmp_path / "news.csv", texts)
    args = ("concepts", news, "-q", "cricket", "-q", "rugby", "--text-column", "body", "--id-column", "nr")
    text = run(*args).stdout
    assert "cricket  in passing" in text
    assert "1 of 8 documents mentions 'cricket' in passing" in text
    assert "n4        [bold]No. 4[/bold]\n            They play cricket too." in text
    assert "rugby  answerable" in text
    assert max(len(line) for line in text.splitlines()) <= 80
    cricket, rugby = json.loads(run(*args, "--json").stdout)["queries"]
    assert set(cricket) == {"query", "check", "mentions"}
    assert cricket["mentions"] == [
        {"nr": "n4", "title": "[bold]No. 4[/bold]", "passage": "They play cricket too."}
    ]
    assert (cricket["check"]["n_named"], cricket["check"]["n_mainly"]) == (1, 0)
    assert (rugby["check"]["named"], rugby["mentions"]) == (list(range(8)), [])
    words = json.loads(run(*args, "--anyway", "--json").stdout)["concept_words"]
    assert (words[0]["query"], words[0]["word"]) == ("cricket", "cricket")

    fit = ("fit", news, "-q", "cricket", "--text-column", "body", "-o", tmp_path / "result")
    failed = run(*fit, code=2)
    assert "They play cricket too." in failed.stdout
    assert "none is mainly about it" in failed.stderr
    assert json.loads(run(*fit, "--json", code=2).stdout)["mentions"][0]["document"] == "4"


def test_a_missing_word_is_refused_unless_told_otherwise(run, news):
    args = ("concepts", news, "-q", "fire unicorn", "--text-column", "body")
    failed = run(*args, code=2)
    assert "fire unicorn  absent" in failed.stdout
    assert "'unicorn' is in no document." in failed.stderr
    text = run(*args, "--anyway").stdout
    assert "fire unicorn  answerable" in text
    assert "'unicorn' is in no document and is left out." in " ".join(text.split())


def test_bad_text_is_one_line(run, news):
    for query in ('""', "fire OR", '"fire', "-fire", "fire " * 50, '"to be or not to be"'):
        failed = run("concepts", news, "-q", query, "--text-column", "body", code=2)
        assert failed.stderr.startswith("qdtm: ")
        assert failed.stderr.count("\n") == 1
