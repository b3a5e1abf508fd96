"""Text in, tokens out, in any script.

Splitting is what runs over every character of a corpus, so it only finds maximal runs of word characters;
everything that can be decided from a token alone is left to `tidy_token`, which the callers run once for each
distinct token and remember.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cache, lru_cache
from typing import Any

# --- tokens -------------------------------------------------------------------------------------------------

Tokenizer = Callable[[str], list[str]]

_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "\u00ad": None})

# A dot between two single letters, as in "U.S." or "e.g.": taking it away leaves "US" and "eg".
INITIALS_DOT = re.compile(r"\.(?<=\b[^\W\d_]\.)(?=[^\W\d_]\b)")

# What English adds to a word after an apostrophe, and what other languages put before one.
_CLITICS = {
    "english": re.compile(r"(?:'(?:s|d|ll|ve|re|m))+$", re.IGNORECASE),
    "french": re.compile(r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|presqu)'", re.IGNORECASE),
    "italian": re.compile(
        r"^(?:[cdlmnstv]|un|ch|gl|all|coll|dall|dell|nell|sull|quell|quest|bell|sant|dov|com|tutt|anch|senz)'",
        re.IGNORECASE,
    ),
    "catalan": re.compile(r"^[dlmnst]'", re.IGNORECASE),
    "turkish": re.compile(r"'.*$"),
}


_ASCII_WORD = re.compile(
    r"\w[\w']*"
)  # what the expression below comes to in a text of ASCII, three times as fast


CONTINUATIONS = "'’\u200c\u200d\u00ad"
"""What may stand inside or after a word without being of it: apostrophes, joiners and the soft hyphen."""

HYPHENS = "-\u2010\u2011"
LINE_BREAKS = "\n\x0b\x0c\x85\u2028\u2029"

_LAST_MARK = 0x1FFFF  # there are none beyond the first two planes but selectors of emoji


@cache
def _word() -> re.Pattern[str]:
    r"""Compile the expression for a word: word characters, apostrophes inside or after it, marks and joiners.

    `\w` leaves out the combining marks, without which words of many scripts (Devanagari, Thai, Hebrew with
    points) fall apart. They are a class of their own, tried only before a character that is not ASCII, since
    a class of so many ranges is slow to say no.
    """
    marks = "".join(f"{chr(first)}-{chr(last)}" for first, last in combining_marks())
    return re.compile(rf"\w[\w'’]*(?:(?=[^\x00-\x7f])[{marks}\u200c\u200d\u00ad]+[\w'’]*)*")


def combining_marks() -> list[tuple[int, int]]:
    """Return the first and the last code of all runs of combining marks."""
    codes = range(0x300, _LAST_MARK + 1)
    return _runs(code for code in codes if unicodedata.category(chr(code)).startswith("M"))


def word_characters(n_codes: int) -> list[tuple[int, int]]:
    r"""Return the first and the last code of all runs of `\w` among the first `n_codes` characters."""
    characters = "".join(map(chr, range(n_codes)))
    return [(run.start(), run.end() - 1) for run in re.finditer(r"\w+", characters)]


def _runs(codes: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and the last of all runs of consecutive numbers, which come in order."""
    runs: list[tuple[int, int]] = []
    for code in codes:
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return runs


def unicode_tokens(text: str) -> list[str]:
    """Split into runs of letters, digits and marks of any script, apostrophes inside a word included.

    Examples
    --------
    >>> unicode_tokens("The U.S. don't mind naïve हिन्दी, well-known in 1999.")
    ['The', 'US', "don't", 'mind', 'naïve', 'हिन्दी', 'well', 'known', 'in', '1999']
    """
    pattern = _ASCII_WORD if text.isascii() else _word()
    return pattern.findall(INITIALS_DOT.sub("", text))


def unicode_spans(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the tokens of `unicode_tokens`, and where each stands, quotes around it left out.

    Examples
    --------
    >>> list(unicode_spans("The U.S. don't"))
    [('The', (0, 3)), ('US', (4, 8)), ("don't", (9, 14))]
    """
    token, start, end = "", 0, -1
    for match in (_ASCII_WORD if text.isascii() else _word()).finditer(text):
        first, last = match.span()
        if first == end + 1 and text[end] == "." and token and INITIALS_DOT.match(text, end):
            token, end = token + match[0], last
            continue
        if token:
            yield token, (start, _before_quotes(text, start, end))
        token, start, end = match[0], first, last
    if token:
        yield token, (start, _before_quotes(text, start, end))


def token_around(text: str, at: int) -> tuple[str, tuple[int, int]] | None:
    """Return the token that has the character `at`, and where it stands; initials are not put together.

    Examples
    --------
    >>> token_around("all (firefighters')", 9)
    ("firefighters'", (5, 17))
    """
    while at > 0 and _is_inside(text[at - 1]):
        at -= 1
    return next_token(text, at)


def next_token(text: str, at: int) -> tuple[str, tuple[int, int]] | None:
    """Return the first token at or after a character between two, and where it stands, likewise."""
    match = (_ASCII_WORD if text.isascii() else _word()).search(text, at)
    return None if match is None else (match[0], (match.start(), _before_quotes(text, *match.span())))


def _is_inside(letter: str) -> bool:
    """Return whether a character may stand inside of a token."""
    return letter.isalnum() or letter in "_'’\u200c\u200d\u00ad" or unicodedata.category(letter)[0] == "M"


def _before_quotes(text: str, start: int, end: int) -> int:
    """Return where a token ends: without quotes after it; the last dot of initials belongs to it."""
    if text[end : end + 1] == "." and "." in text[start:end]:
        return end + 1
    while end > start + 1 and text[end - 1] in "'’":
        end -= 1
    return end


def split_joined(text: str) -> tuple[list[str], list[bool]]:
    r"""Split as `unicode_tokens`; say of each token whether it stands side by side with the one before it.

    Between two such tokens there is a hyphen, or spaces with one line break at most. A capital after a line
    break begins something else: a heading, a list's entry, a header's field.

    Examples
    --------
    >>> split_joined("South Africa, the\nfree-trade zone")
    (['South', 'Africa', 'the', 'free', 'trade', 'zone'], [False, True, False, True, True, True])
    """
    text = INITIALS_DOT.sub("", text)
    pattern = _ASCII_WORD if text.isascii() else _word()
    tokens = pattern.findall(text)
    joined = [
        is_joining(gap, token) for gap, token in zip(pattern.split(text)[: len(tokens)], tokens, strict=True)
    ]
    return tokens, [False, *joined[1:]] if joined else joined


def is_joining(gap: str, token: str) -> bool:
    """Return whether what stands before a token leaves it side by side with the one before that."""
    if gap == " " or (len(gap) == 1 and gap in HYPHENS):
        return True
    n_breaks = sum(map(gap.count, LINE_BREAKS))
    return gap.isspace() and (n_breaks == 0 or (n_breaks == 1 and not token[0].isupper()))


def may_go_on(token: str) -> bool:
    """Return whether a token may begin a phrase; one with a possessive or a quotation mark ends it."""
    return "'" not in token and "’" not in token


def tidy_token(token: str, language: str | None) -> str:
    """Return a token of `unicode_tokens` in composed form, without quotes around it and without clitics.

    Examples
    --------
    >>> tidy_token("government’s", "english"), tidy_token("l'État", "french"), tidy_token("don't", "english")
    ('government', 'État', "don't")
    """
    if not token.isascii():
        token = unicodedata.normalize("NFC", token).translate(_APOSTROPHES)
    token = token.strip("'_")
    if "'" in token and language in _CLITICS:
        return _CLITICS[language].sub("", token)
    return token


_COMPOUND = re.compile(r"'?[\w-]+(?:[./][\w-]+)*")
_WORD_CHARACTERS = re.compile(r"\w+")


def word_character_tokens(text: str) -> list[str]:
    """Split as the paper's experiments did, keeping only tokens that are word characters throughout.

    A compound ("non-profit", "n.f.l", "and/or") is one token, and so is what follows an apostrophe; none of
    these is kept. The authors' bags of words come out the same for all documents of SearchSnippets, 99.8 % of
    TagMyNews and 88 % of 20 Newsgroups (where the rest is mostly "mr", "st" and "dr", which they lack).

    Examples
    --------
    >>> word_character_tokens("the non-profit's boss won't sell")
    ['the', 'boss', 'wo', 'sell']
    """
    tokens = _COMPOUND.findall(text.replace("n't", " n't"))
    return [token for token in tokens if len(token) > 1 and _WORD_CHARACTERS.fullmatch(token)]


TOKENIZERS: dict[str, Tokenizer] = {
    "unicode": unicode_tokens,
    "word-characters": word_character_tokens,
}
"""The tokenizers that have a name, and so can be saved with a corpus."""


# --- scripts ------------------------------------------------------------------------------------------------
#
# What scripts ask for: letters that are one letter in many forms, and words without spaces between them.
#
# In: words and texts. Out: the same, folded; bare forms, for finding a word that was typed otherwise; and
# whether a text is written without spaces.

UNSPACED_LANGUAGES = ("chinese", "japanese")
"""Languages whose words nothing parts: they need a tokenizer of their own."""

# Thai, Lao, Burmese, Khmer, kana and the Chinese characters, with their extensions.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)

# Vowel signs, the dagger alef and the lengthening stroke are mostly left out; some letters have many forms.
_SIGNS: dict[int, str | None] = dict.fromkeys([*range(0x64B, 0x660), 0x670, 0x640])
_ARABIC = _SIGNS | str.maketrans("أإآٱى", "ااااي")
_PERSIAN = _SIGNS | str.maketrans("أإٱيىك", "اااییک")
_FORMS = {"arabic": _ARABIC, "persian": _PERSIAN}

OWN_LETTERS = ("turkish", *_FORMS)
"""Languages whose words differ from what is written by more than capitals."""

_LONGEST_PIECE = 12  # characters of a word that is looked for inside a longer run


def fold_letters(language: str | None) -> Callable[[str], str]:
    """Return the function that turns a word of a language to lower case, and its letters to one form each.

    Examples
    --------
    >>> fold_letters("turkish")("IŞIK"), fold_letters("arabic")("أُسْتَاذ"), fold_letters(None)("ÉTÉ")
    ('ışık', 'استاذ', 'été')
    """
    if language == "turkish":  # a dotted and a dotless i
        return lambda word: word.replace("İ", "i").replace("I", "ı").lower()
    if language in _FORMS:
        forms = _FORMS[language]
        return lambda word: word.lower().translate(forms)
    return str.lower


@lru_cache(maxsize=65_536)
def bare_form(word: str) -> str:
    """Return a word without capitals, accents and the like: what people type on another keyboard.

    Examples
    --------
    >>> bare_form("Straße"), bare_form("École"), bare_form("inundación"), bare_form("İzmir")
    ('strasse', 'ecole', 'inundacion', 'izmir')
    """
    apart = unicodedata.normalize("NFKD", word.translate(_ARABIC).casefold())
    return "".join(c for c in apart if not unicodedata.combining(c)).replace("ı", "i")


def is_unspaced(text: str) -> bool:
    """Tell whether a text is (also) in a script that puts no spaces between words."""
    return _UNSPACED.search(text) is not None


def is_right_to_left(text: str) -> bool:
    """Tell whether a text has letters that are written from right to left."""
    return any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text)


def known_pieces(run: str, known: Container[Any]) -> list[str] | None:
    """Cut a run of characters into known words, the longest first; None if that does not use all of it.

    Examples
    --------
    >>> known_pieces("洪水水库", {"洪水", "水库", "水"})
    ['洪水', '水库']
    """
    pieces, at = [], 0
    while at < len(run):
        ends = range(min(len(run), at + _LONGEST_PIECE), at, -1)
        end = next((end for end in ends if run[at:end] in known), None)
        if end is None:
            return None
        pieces.append(run[at:end])
        at = end
    return pieces
