"""What scripts ask for: letters that are one letter in many forms, and words without spaces between them.

In: words and texts. Out: the same, folded; bare forms, for finding a word that was typed otherwise; and
whether a text is written without spaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container
from functools import lru_cache
from typing import Any

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
