"""Notices texts in another language than the one that was set.

In: a sample of texts and the pipeline that makes words of them. Out: a sentence with the option that mends
it, or nothing. Stop words tell languages of one script apart; letters tell scripts; and scripts without
spaces need a tokenizer whatever the language is called.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from qdtm.corpus.stop_word_lists import language_codes, stop_words
from qdtm.corpus.text import TextPipeline
from qdtm.corpus.tokenizer import UNSPACED_LANGUAGES, tidy_token, unicode_tokens

N_SAMPLED, MOST_CHARACTERS = 200, 2_000
"""At least so many texts are looked at if there are, spread evenly, and so much of each."""

OWN = 0.35
"""With this share of its own stop words a text is in the language that was set: running English has 0.38 to
0.64, and by the English list no other of 29 languages has more than 0.21."""

FOREIGN, TIMES = 0.1, 2.0
"""The least share of stop words that only another language has, and how much more they must be than those
that only the set one has. By the frequencies of words in 29 languages it is 0.12 (Turkish) to 0.52 of a text
in another language than English; in the language that was set no other has more than 0.06 (Spanish, of
Catalan). Titles and keywords, which have few stop words at all, stay below 0.02. Near relatives (Danish and
Norwegian, Malay and Indonesian) share their stop words, and are not told apart."""

FEWEST = 5
"""Fewer stop words than this are no reason."""

MOSTLY, UNSPACED = 0.5, 0.3
"""From which share of the letters up a text is in a script; one without spaces says more with fewer."""


class Sample:
    """Keeps some of the texts that pass through it, spread evenly over all."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def of(self, texts: Iterable[str]) -> Iterator[str]:
        """Pass texts on."""
        step = 1
        for position, text in enumerate(texts):
            if position % step == 0:
                self.texts.append(text[:MOST_CHARACTERS])
                if len(self.texts) == 2 * N_SAMPLED:
                    del self.texts[1::2]
                    step *= 2
            yield text


def language_note(texts: Iterable[str], pipeline: TextPipeline) -> str:
    """Say that texts are not in the language of a pipeline, and what to do; empty if they are."""
    cleaned = [pipeline.clean(text) for text in texts]
    scripts = _scripts(cleaned)
    is_cut = callable(pipeline.tokenizer) or pipeline.language in UNSPACED_LANGUAGES  # which warns itself
    if not is_cut and (name := _unspaced(scripts)):
        return (
            f"The texts seem to be {name}, without spaces between words: give --tokenizer, such as "
            "jieba:lcut for Chinese (in Python TextPipeline(tokenizer=...)), or ready tokens."
        )
    if pipeline.language is None or pipeline.stop_words != "auto":
        return ""
    return _other_stop_words(cleaned, pipeline.language) or _other_script(scripts, pipeline.language)


# --- stop words --------------------------------------------------------------------------------------------


def other_language(texts: Iterable[str], language: str) -> tuple[str, float] | None:
    """Return the language that texts are in by their stop words, with the share of these, if it is another.

    Parameters
    ----------
    texts : iterable of str
    language : str
        The one that was set.
    """
    counts = Counter(tidy_token(token, language).lower() for text in texts for token in unicode_tokens(text))
    n_words = counts.total()
    if _only(counts, language) >= OWN * n_words:
        return None
    found, best = max((_only(counts, other, language), other) for other in language_codes())
    if found < max(FEWEST, FOREIGN * n_words, TIMES * _only(counts, language, best)):
        return None
    return best, _only(counts, best) / n_words


def _other_stop_words(texts: Iterable[str], language: str) -> str:
    """Say which other language has far more of its stop words in the texts."""
    found = other_language(texts, language)
    if found is None:
        return ""
    name, code = found[0].title(), language_codes()[found[0]]
    return (
        f"The texts seem to be {name}, not {language.title()}: {found[1]:.0%} of their words are {name} stop "
        f"words. Give --language {code} (in Python TextPipeline(language={code!r}))."
    )


def _only(counts: Counter[str], language: str, other: str | None = None) -> int:
    """Count the stop words of a language, but for those of another; single letters say nothing."""
    words = stop_words(language) - (stop_words(other) if other else frozenset())
    return sum(counts[word] for word in words & counts.keys() if len(word) > 1)


# --- scripts -----------------------------------------------------------------------------------------------

_UNSPACED = {
    "CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "THAI": "Thai", "LAO": "Lao",
    "KHMER": "Khmer", "MYANMAR": "Burmese",
}  # fmt: skip
"""Scripts without spaces, by the first word of their letters' names."""


def _unspaced(scripts: Counter[str]) -> str:
    """Return the language of texts in a script without spaces; empty for others."""
    written: Counter[str] = Counter()
    for script, n in scripts.items():
        if script in _UNSPACED:
            written[_UNSPACED[script]] += n
    if written.total() <= UNSPACED * scripts.total():
        return ""
    return "Japanese" if written["Japanese"] > 0.1 * written.total() else written.most_common(1)[0][0]


def _other_script(scripts: Counter[str], language: str) -> str:
    """Say that the letters are not those of a language."""
    if not scripts:
        return ""
    script, n_letters = scripts.most_common(1)[0]
    if script in _scripts_of(language) or n_letters < MOSTLY * scripts.total():
        return ""
    codes = [code for other, code in language_codes().items() if script in _scripts_of(other)]
    given = " or ".join(f"--language {code}" for code in codes[:4])
    hint = f"{given} if that is it, else " if given else ""
    return (
        f"Most letters of the texts are {_UNSPACED.get(script, script.title())}, in which {language.title()} "
        f"is not written; give {hint}--language none (in Python TextPipeline(language=...))."
    )


@cache
def _scripts_of(language: str) -> frozenset[str]:
    """The scripts that a tenth or more of a language's letters are of."""
    scripts = _scripts(stop_words(language))
    return frozenset(script for script, n in scripts.items() if n >= 0.1 * scripts.total())


def _scripts(texts: Iterable[str]) -> Counter[str]:
    """Count letters by script."""
    letters: Counter[str] = Counter()
    for text in texts:
        letters.update(text)
    scripts: Counter[str] = Counter()
    for letter, n in letters.items():
        if letter.isalpha():
            scripts[_script(letter)] += n
    return scripts


@cache
def _script(letter: str) -> str:
    return unicodedata.name(letter, "?").split()[0]
