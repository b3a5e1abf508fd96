"""A word in, what it may be in the other number out: plurals of languages other than English.

Rules for what is regular, and of German a list of the nouns that change their vowel or are short, which end
compounds too ("Krankenhaus"). What they make is a word if the corpus has it, which the caller looks up. They
are narrow, and for queries only; the words of a corpus stay as they are written. English has WordNet
(`lemmas`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

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


_GERMAN = {
    "ä er": (
        "amt bad blatt buch dach dorf fach fass glas grab gras haus horn huhn kalb kraut lamm loch mann "
        "rad schloss tal volk wald wort wurm bundesland nachbarland entwicklungsland industrieland "
        "mitgliedsland"
    ),
    "ä e": (
        "angst arzt ast bach ball band bart baum brand bruch darm fall fluss flug frucht fuß gang gast "
        "grund hals hand haut hof hut kampf kauf knopf koch kopf korb kraft kuh kunst kuss lauf lohn "
        "macht markt maus nacht nuss plan platz rat raum sack satz schatz schlag schluss schrank schuss "
        "sohn sprung stadt stall stamm stand stock strand strom stuhl sturm sturz tanz ton topf trag "
        "traum turm wand wunsch wurf wurst zahn zaun zug"
    ),
    "ä": (
        "apfel boden bruder garten graben hafen kasten kloster laden mangel mantel mutter nagel ofen "
        "tochter vater vogel"
    ),
    "er": "bild feld geld glied kind kleid lied nest rind schild",
    "e": (
        "berg bericht betrieb bezirk brief dienst film freund gebiet gericht gesetz gespräch hund jahr "
        "kreis krieg pferd preis problem programm schiff schritt schwein spiel stein stoff system tag "
        "text tier tisch verein weg wert ziel"
    ),
    "en": "bahn bank frau mensch partei person schrift staat tat tür uhr wahl welt zeit",
}
"""German nouns by what makes their plural: a changed vowel ("ä"), an ending, or both."""

_FIRST_PART = 2
"""Letters that stand before the last part of a compound at least: "Brand" is none of "Rand"."""

_LAST_VOWEL = re.compile(r"au(?=[^aou]*$)|[aou](?=[^aou]*$)")


def _plural_of(noun: str, change: str) -> str:
    """Make the plural of a German noun by a changed vowel, an ending, or both."""
    stem = _LAST_VOWEL.sub(lambda v: {"au": "äu", "a": "ä", "o": "ö", "u": "ü"}[v[0]], noun, count=1)
    return (stem if "ä" in change else noun) + change.removeprefix("ä").strip()


_Nouns = dict[str, tuple[str, ...]]


def _nouns() -> dict[str, tuple[_Nouns, ...]]:
    """Plurals by singular and singulars by plural, by language."""
    pairs = [(noun, _plural_of(noun, change)) for change, nouns in _GERMAN.items() for noun in nouns.split()]
    plurals, singulars = dict[str, tuple[str, ...]](), dict[str, tuple[str, ...]]()
    for noun, plural in [*pairs, ("land", "länder")]:
        plurals[noun] = (*plurals.get(noun, ()), plural)
        singulars[plural] = (*singulars.get(plural, ()), noun)
    return {"german": (plurals, singulars)}


NOUNS = _nouns()
_ALONE = frozenset({"land", "länder"})  # "Ausländer" are no plural of "Ausland"

_OWN_WORDS_TEXT = """
    montage franken frieden hessen indien julien linden posten schaden schweden standen steven themen westen
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
    by_noun = (form for nouns in NOUNS.get(language or "", ()) for form in _forms_of_nouns(word, nouns))
    forms = chain(by_noun, _forms(word, ENDINGS.get(language or "", ())))
    return tuple(form for form in dict.fromkeys(forms) if form not in _OWN_WORDS)


def _forms_of_nouns(word: str, nouns: _Nouns) -> Iterator[str]:
    """Yield the other number of a noun, or of a compound that ends in one."""
    for at in (0, *range(_FIRST_PART, len(word) - 1)):
        if not at or word[at:] not in _ALONE:
            yield from (word[:at] + form for form in nouns.get(word[at:], ()))


def _forms(word: str, endings: _Endings) -> Iterator[str]:
    for singular, plural in endings:
        if word.endswith(singular) and len(word) >= SHORTEST:
            yield word[: len(word) - len(singular)] + plural
        if word.endswith(plural) and len(word) - len(plural) + len(singular) >= SHORTEST:
            yield word[: len(word) - len(plural)] + singular
