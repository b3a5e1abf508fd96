"""What a document is called for a reader: its title and its text in, one line out."""

from __future__ import annotations

import re

from qdtm.corpus.markup import readable

MAX_TITLE = 300
"""Characters that are shown of a title of the user's own, which nearly all have fewer of."""

FIRST_WORDS = 100
"""Characters of the text's first line or sentence, where there is no title."""

_SHORTEST_SENTENCE = 20
_LOOKED_AT = 1_000
_SENTENCE = re.compile(
    r".{%d,%d}?(?:[.!?…]+[\"'”’»)]*(?=\s)|[。！？]+)" % (_SHORTEST_SENTENCE - 1, FIRST_WORDS)
)


def title_of(given: str, text: str) -> str:
    """Return the title of a document in one line: the given one, else how its text begins.

    Parameters
    ----------
    given : str
        May have HTML in it, and be empty.
    text : str
        Without HTML.

    Examples
    --------
    >>> title_of(" Fish &amp; chips ", "Batter the fish.")
    'Fish & chips'
    >>> title_of("", "Floods in Queensland\\nHeavy rain has fallen since Monday.")
    'Floods in Queensland'
    """
    if given and (title := " ".join(readable(given[: 4 * MAX_TITLE]).split())):
        return shortened(title, MAX_TITLE)
    return beginning(text)


def beginning(text: str) -> str:
    """Return the first line of a text; of a long line the first sentence, or as many words as fit."""
    begun = text[:_LOOKED_AT].lstrip() or text.lstrip()[:_LOOKED_AT]
    line = " ".join(begun.partition("\n")[0].split())
    if len(line) <= FIRST_WORDS:
        return line
    sentence = _SENTENCE.match(line)
    return sentence[0] if sentence and len(sentence[0]) <= FIRST_WORDS else shortened(line, FIRST_WORDS)


def shortened(line: str, n_characters: int) -> str:
    """Return a line cut after a word, with a mark where it was; one without spaces is cut anywhere."""
    if len(line) <= n_characters:
        return line
    cut = line[: n_characters - 1]
    words = cut.rpartition(" ")[0] if " " in cut[n_characters // 2 :] else cut
    return f"{words.rstrip(' ,;:-')} …" if " " in line else f"{cut}…"
