"""A word in, what it may be in the other number out: regular plurals of languages other than English.

Rules alone, no list of words: what they make is a word if the corpus has it, which the caller looks up. They
are few and narrow, and for queries only; the words of a corpus stay as they are written. English has WordNet
(`lemmas`).
"""

from __future__ import annotations

from collections.abc import Iterator

SHORTEST = 5
"""A shorter singular is left alone: a few letters are too often another word ("Note" is no plural)."""

_Endings = tuple[tuple[str, str], ...]


def _added(endings: str, suffix: str) -> _Endings:
    """Endings of a singular that stay, before a suffix."""
    return tuple((ending, ending + suffix) for ending in endings.split())


ENDINGS: dict[str, _Endings] = {
    "german": (
        *_added("ung heit keit schaft ion tät ik enz anz ist ent ant", "en"),
        *_added("ling eur är ment ekt", "e"),
        *_added("e", "n"),
        ("nis", "nisse"),
        ("in", "innen"),
    ),
    "french": (
        *_added("a b c d e é f g i k l m n o p q r t u", "s"),
        *_added("eau eu", "x"),
        ("al", "aux"),
    ),
    "spanish": (
        *_added("a e i o u á é ó", "s"),
        *_added("d l n r y", "es"),
        ("ión", "iones"),
        ("z", "ces"),
        ("és", "eses"),
    ),
    "italian": (
        *((f"{c}o", f"{c}i") for c in "bdflmnprstvz"),
        ("io", "i"), ("ca", "che"), ("ga", "ghe"), ("ico", "ici"), ("ione", "ioni"), ("ore", "ori"),
        ("ale", "ali"), ("ente", "enti"), ("ante", "anti"), ("ista", "isti"),
    ),
    "dutch": (
        *_added("ing heid schap ist ent ant teit", "en"),
        *_added("er el em je or ie", "s"),
        ("heid", "heden"),
    ),
    "portuguese": (
        *_added("a e i o u á é ó", "s"),
        *_added("r z", "es"),
        ("ão", "ões"), ("m", "ns"), ("al", "ais"), ("el", "eis"), ("ol", "ois"),
    ),
    "swedish": (
        *_added("ing dom lek", "ar"),
        *_added("het ion tet ist ent ant ör", "er"),
        ("a", "or"),
    ),
}  # fmt: skip
"""What a singular and its plural end in, by language."""


_OWN_WORDS_TEXT = """
    franken frieden hessen indien julien linden posten schaden schweden standen steven themen westen
    georges carlos sinais simples immers anders middels brussels hemels christen faktor moderator tempio
"""
_OWN_WORDS = frozenset(_OWN_WORDS_TEXT.split())
"""What looks like a plural and is a word of its own, or of another; from going through the doubtful ones
among the 20,000 most frequent words of each language."""


def plural_forms(word: str, language: str | None) -> tuple[str, ...]:
    """Return what a lower-case word may be in the other number, most of which are no words at all.

    Examples
    --------
    >>> plural_forms("flüchtling", "german"), "elección" in plural_forms("elecciones", "spanish")
    (('flüchtlinge',), True)
    """
    if word in _OWN_WORDS:
        return ()
    forms = _forms(word, ENDINGS.get(language or "", ()))
    return tuple(form for form in dict.fromkeys(forms) if form not in _OWN_WORDS)


def _forms(word: str, endings: _Endings) -> Iterator[str]:
    for singular, plural in endings:
        if word.endswith(singular) and len(word) >= SHORTEST:
            yield word[: len(word) - len(singular)] + plural
        if word.endswith(plural) and len(word) - len(plural) + len(singular) >= SHORTEST:
            yield word[: len(word) - len(plural)] + singular
