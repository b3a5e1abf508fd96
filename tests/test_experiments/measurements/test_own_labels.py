"""The benchmark of labels of one's own finds planted categories, and says so in a table."""

import json

import pytest

from experiments.measurements.own_labels import measure_own_labels


@pytest.fixture
def texts(tmp_path):
    about = {
        "fire": ["smoke", "flame", "forest", "firefighter", "burn", "rescue"],
        "cricket": ["bat", "ball", "wicket", "bowler", "innings", "umpire"],
        "law": ["court", "judge", "verdict", "appeal", "lawyer", "trial"],
    }
    rows = [
        {"text": " ".join([label, *words[j % 3 :], words[j % 5]]), "labels": label if j % 2 else [label]}
        for label, words in about.items()
        for j in range(20)
    ]
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


@pytest.mark.experiments
def test_planted_categories_are_found(texts, capsys):
    arguments = [str(texts), "fire", "cricket=bowler wicket"]
    measure_own_labels(arguments)
    head, _, fire, cricket, mean = capsys.readouterr().out.splitlines()
    assert head.startswith("| query | share | relevance | p(z\\|d) |")
    assert fire.startswith("| fire | 33.3% | 1.000 |")
    assert cricket.startswith("| bowler wicket | 33.3% |")
    assert "inside" in mean


def test_a_label_that_no_text_has_is_named(texts, capsys):
    arguments = [str(texts), "zoo"]
    with pytest.raises(SystemExit):
        measure_own_labels(arguments)
    assert "no text has the label 'zoo'" in capsys.readouterr().err
