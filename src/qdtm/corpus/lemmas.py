"""A lower-case English word in, its noun lemma out: "armies" becomes "army", "geese" becomes "goose".

The words are those of WordNet 3.0 (bundled), the endings those of its `morphy`. WordNet alone makes "u" of
"us" and "specie" of "species", since uranium and coined money are nouns too; the short tables below say which
plurals are words of their own. They come from going through the doubtful ones among the 30,000 most frequent
words.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from functools import cache
from importlib import resources

Lemmatizer = Callable[[str], str]

_ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"),
    ("ies", "y"),
)  # fmt: skip
"""WordNet's endings for nouns, in its order."""

_PAPER_ENDINGS = (*_ENDINGS[:2], ("ves", "f"), *_ENDINGS[2:])

_SHORTEST_LEMMA = 3
"""A shorter "lemma" is nearly always a symbol or an abbreviation: "us" is not the plural of "u"."""

# Plural in form, words of their own in use; and names that end in s.
_OWN_WORDS_TEXT = """
    acoustics adams aesthetics affairs aids aires alamos alas alps andrews appalachians ares argos arms
    ashes balkans basics bellows belongings billings blues bok bounds briefs capita carolinas ceres childs
    classics commons contras corps costas customs davies dumas dynamics edwards eighties elias ellis ethics
    fatigues fifties folks forties frances franks futures gens georges glasses goods graphics greens grimes
    grits hanks hans helens hicks himalayas humanities innings isis jacobs jeans johns judas jura kansas
    laos laurels lees lloyds lopes lyons majors marines maris mars marseilles martins mays mechanics media
    michaels minas minors morales mores nils nineties optics ora ottomans outskirts owens pants pence
    philippines philips physics poitiers premises reeves reis riches rios roberts salinas samuels sanders
    savings scots securities seventies shambles shears shorts simons sixties slacks sola species spectacles
    statistics sunglasses takings talks taos thebes thirties throes trappings troops tropics trousers tufts
    twenties vegas wales walters winnings woods workings
"""
_OWN_WORDS = frozenset(_OWN_WORDS_TEXT.split())

# Where the first ending that fits, or the table of irregular plurals, gives the rarer of two words.
_CORRECTIONS = {
    "bunches": "bunch", "crosses": "cross", "dominoes": "domino", "elves": "elf",
    "fungi": "fungus", "guilders": "guilder", "lenses": "lens", "lures": "lure", "marches": "march",
    "masses": "mass", "men": "man", "oxen": "ox", "soles": "sole", "teeth": "tooth",
}  # fmt: skip


def noun_lemma(word: str) -> str:
    """Return the noun lemma of a lower-case English word, or the word itself if there is none.

    Examples
    --------
    >>> [noun_lemma(word) for word in ("armies", "geese", "women", "news", "us", "gas", "species", "said")]
    ['army', 'goose', 'woman', 'news', 'us', 'gas', 'species', 'said']
    """
    exception = _exceptions().get(word)
    if exception is not None:
        return exception
    if not word.endswith("ss"):
        for lemma in _singulars(word):
            if len(lemma) >= _SHORTEST_LEMMA and lemma in _nouns():
                return lemma
    return word


def number_forms(word: str) -> tuple[str, ...]:
    """Return what a lower-case English word may be in the other number, most of which are no words at all.

    What WordNet knows decides; where it knows neither form, an ending is enough, but not for short words.

    Examples
    --------
    >>> number_forms("bushfire")[:1], "new" in number_forms("news"), number_forms("woman")[-1:]
    (('bushfires',), False, ('women',))
    """
    plurals = (word + "s", word + "es", word[:-1] + "ies", word[:-3] + "men", *_irregular_of().get(word, ()))
    pairs = [(word, plural) for plural in plurals] + [(lemma, word) for lemma in _singulars(word)]
    pairs += [(lemma, word) for lemma in _irregular_plurals().get(word, ())]
    forms = (
        plural if singular == word else singular for singular, plural in pairs if _agree(singular, plural)
    )
    return tuple(form for form in dict.fromkeys(forms) if form != word)


def _agree(singular: str, plural: str) -> bool:
    """Return whether one is the other's plural, and not a word of its own ("news")."""
    if noun_lemma(plural) == singular:
        return True
    unheard = plural not in _nouns() and plural not in _exceptions() and singular not in _nouns()
    return unheard and len(singular) > _SHORTEST_LEMMA and singular in _singulars(plural)


def shortest_noun_lemma(word: str) -> str:
    """Return the shortest of the noun forms of a word, as the paper's experiments did.

    That is what NLTK's lemmatizer gives: it has one more ending, and applies the endings again as long as no
    form is a noun.

    Examples
    --------
    >>> [shortest_noun_lemma(word) for word in ("armies", "media", "species", "data", "serves")]
    ['army', 'medium', 'specie', 'data', 'serf']
    """
    forms = list(_irregular_plurals().get(word) or _singulars(word, _PAPER_ENDINGS))
    found = [form for form in (word, *forms) if form in _nouns()]
    while forms and not found:
        forms = [shorter for form in forms for shorter in _singulars(form, _PAPER_ENDINGS)]
        found = [form for form in forms if form in _nouns()]
    return min(found, key=len, default=word)


def _singulars(word: str, endings: tuple[tuple[str, str], ...] = _ENDINGS) -> Iterable[str]:
    """Return what the endings make of a word, in their order."""
    if not word.endswith(("s", "men")):  # most words have none of them
        return ()
    return (word[: -len(old)] + new for old, new in endings if word.endswith(old))


@cache
def _exceptions() -> dict[str, str]:
    """Return the lemmas of the words that the endings would do wrong to."""
    irregular = {
        plural: plural if plural in _nouns() else lemmas[0] for plural, lemmas in _irregular_plurals().items()
    }
    return irregular | _CORRECTIONS | {word: word for word in _OWN_WORDS}


@cache
def _irregular_of() -> dict[str, tuple[str, ...]]:
    """Return the irregular plurals of each lemma."""
    plurals: dict[str, tuple[str, ...]] = {}
    for plural, lemma in _exceptions().items():
        plurals[lemma] = (*plurals.get(lemma, ()), plural)
    return plurals


@cache
def _nouns() -> frozenset[str]:
    return frozenset(_read_table("wordnet30_single_word_nouns.txt.gz"))


@cache
def _irregular_plurals() -> dict[str, tuple[str, ...]]:
    entries = (line.split() for line in _read_table("wordnet30_noun_exc.txt.gz"))
    return {plural: tuple(lemma for lemma in lemmas if "_" not in lemma) for plural, *lemmas in entries}


def _read_table(name: str) -> list[str]:
    data = resources.files("qdtm").joinpath("data", name).read_bytes()
    return gzip.decompress(data).decode("utf-8").splitlines()


LEMMATIZERS: dict[str, Lemmatizer] = {
    "wordnet": noun_lemma,
    "wordnet-shortest": shortest_noun_lemma,
}
"""The lemmatizers that have a name, and so can be saved with a corpus."""
