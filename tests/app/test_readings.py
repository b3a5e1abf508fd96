"""Readings on the query page: shown with an example, chosen by a click, kept in the address."""

import numpy as np
import pytest

from qdtm.app.drafts import Draft, drafts_from_text, drafts_to_text
from qdtm.app.templating import render
from qdtm.corpus import Corpus

from .texts import look_up

SHOWN = {"open_word": "", "sentences": (), "stale": False, "before": None, "several": False}
SUBJECTS = ["cat", "ship", "bread", "chess", "opera", "mine", "glacier", "loom"]
SUBJECTS += ["piano", "bridge", "vine", "comet", "judge", "tram", "saddle", "pottery"]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Documents about sixteen subjects; for two of them, "blick" is a word."""
    rng = np.random.default_rng(0)
    texts = []
    for j in range(30):
        for subject in SUBJECTS:
            words = [f"{subject}{letter}" for letter in rng.choice(list("abcdefghijklmnopqrst"), 20)]
            texts.append(
                " ".join([*words, "blick", "blick"] if subject in SUBJECTS[:2] and j < 12 else words)
            )
    return Corpus.from_texts(texts)


def page(draft: Draft, corpus: Corpus) -> str:
    (found,) = look_up(corpus, [draft])
    return render("looked_up.html", draft=draft, found=found, **SHOWN)


def test_readings_are_shown_and_one_is_chosen(corpus: Corpus) -> None:
    whole, second = page(Draft("blick"), corpus), page(Draft("blick", reading=2), corpus)
    assert whole.count('data-act="reading"') == 2
    assert whole.count("12 documents") >= 2
    assert 'aria-pressed="true"' not in whole
    assert second.count('aria-pressed="true"') == 1
    assert "12 of 480 documents" in second
    assert 'data-act="reading"' not in page(Draft("cata"), corpus)


def test_a_reading_that_is_not_there_can_be_taken_back(corpus: Corpus) -> None:
    shown = page(Draft("blick", reading=4), corpus)
    assert "no reading 4" in shown
    assert 'data-act="reading" data-value="0"' in shown


def test_a_reading_stays_in_the_address_and_goes_with_other_names() -> None:
    draft = Draft("blick", reading=2)
    assert drafts_from_text(drafts_to_text([draft])) == (draft,)
    assert drafts_from_text('[{"text":"a","reading":"2"},{"text":"a","reading":-1}]') == (Draft("a"),) * 2
    assert Draft.of(draft.query()) == draft
    assert draft.with_word("add", "cat").reading == 2
    assert draft.with_word("exclude", "cat").reading == 0
