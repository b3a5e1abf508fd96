"""What the user asks.

In: what a user types or passes: a phrase, keywords, words to add, drop or exclude. Out: `Query`, checked and
normalised, but not yet compared with any corpus.

In a query's text, words stand for documents that have all of them, `"a phrase"` for those that have its words
side by side, `OR` parts alternatives, `econom*` stands for every vocabulary word of that shape, and `-word`
or `-"a phrase"` excludes documents that have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from qdtm.errors import ParameterError, QueryError
from qdtm.reprs import on_screen, quoted

Rule = Literal["and", "or"]
Extractor = Literal["kld", "fre", "rel"]
Expansion = Literal["kld", "fre", "rel", "inherit"]
Kind = Literal["word", "pattern", "phrase"]

MOST_WORDS = 20
"""What is longer is a text and no query: no document has all of its words."""

_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″＂", '"'))
_PIECE = re.compile(r'(?P<minus>-?)"(?P<phrase>[^"]*)"|(?P<chunk>[^\s"]+)')


@dataclass(frozen=True, repr=False)
class Query:
    """A request for one parent topic.

    Parameters
    ----------
    text : str
        One or more words, such as "middle east", which may have quoted phrases, `OR`, `-word` and `econom*`.
        May be empty if there are `keywords`.
    name : str
        What the topic is called; the text by default.
    rule : {"and", "or"}, optional
        Whether a document must have all of the text's words or any of them. None leaves it to the model.
    expansion : {"inherit", "kld", "fre", "rel"} or None
        How the text becomes concept words. "inherit" leaves it to the model, unless there are `keywords`,
        which then take the place of expansion. None expands nothing.
    keywords : tuple of str
        The user's own concept words.
    add : tuple of str
        Words that become concept words whatever the expansion proposes.
    drop : tuple of str
        Words that do not become concept words; the next best take their place.
    exclude : tuple of str
        Documents with one of these words are not retrieved, and the words never become concept words.
    reading : int, optional
        Where documents mean several things by the text: which of them is asked for, a number from 1 as in
        `Concept.readings`. None or 0: all of them.
    """

    text: str = ""
    name: str = ""
    rule: Rule | None = None
    expansion: Expansion | None = "inherit"
    keywords: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    reading: int | None = None

    def __post_init__(self) -> None:
        for field in ("text", "name"):
            object.__setattr__(self, field, _one_line_text(getattr(self, field), field))
        for field in ("keywords", "add", "drop", "exclude"):
            object.__setattr__(self, field, _words(getattr(self, field), field))
        if not self.text and not self.keywords:
            raise QueryError("A query is empty; give it a word or keywords.")
        if not self.phrase.alternatives and not self.keywords:
            raise QueryError(
                f"The query '{self.text}' only says what to leave out; add a word that is sought."
            )
        if not self.name:
            object.__setattr__(self, "name", self.text or " ".join(self.keywords))
        check_rule(self.rule)
        check_expansion(self.expansion)
        object.__setattr__(self, "reading", _reading(self.reading))

    def __repr__(self) -> str:
        first = quoted(self.text) if self.text else f"keywords={quoted(self.keywords)}"
        said = {f.name: getattr(self, f.name) for f in fields(self)[1:] if getattr(self, f.name) != f.default}
        if self.name == (self.text or " ".join(self.keywords)):
            del said["name"]
        if not self.text:
            del said["keywords"]
        return on_screen(f"Query({', '.join([first, *(f'{name}={quoted(v)}' for name, v in said.items())])})")

    @property
    def phrase(self) -> ParsedText:
        """The text with its shorthand taken apart."""
        return parse_text(self.text)

    @property
    def words(self) -> str:
        """What is asked for, without shorthand: as one would say it."""
        said = [item.text.strip("*?") for item in self.phrase.items]
        return " ".join(dict.fromkeys([*said, *self.keywords])) or self.name


@dataclass(frozen=True)
class Item:
    """One thing that a text asks for or excludes: a word, a pattern such as "econom*", or a phrase."""

    text: str
    kind: Kind = "word"

    def __str__(self) -> str:
        return f'"{self.text}"' if self.kind == "phrase" else self.text


@dataclass(frozen=True)
class ParsedText:
    """A query's text, taken apart.

    Parameters
    ----------
    alternatives : tuple of tuple of Item
        What `OR` parts; a document must have all items of one of them. Empty if nothing is asked for.
    excluded : tuple of Item
        What a document must not have.
    """

    alternatives: tuple[tuple[Item, ...], ...]
    excluded: tuple[Item, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """All that is asked for, each once."""
        return tuple(dict.fromkeys(item for items in self.alternatives for item in items))


def parse_text(text: str) -> ParsedText:
    """Take the shorthand of a query's text apart.

    A hyphen inside a word ("e-mail") or on its own is no shorthand, and neither is "or" in small letters.

    Raises
    ------
    QueryError
        If the text is too long, a quotation mark has no partner, quotes have no word between them, or `OR`
        has nothing on one side.
    """
    plain = text.translate(_QUOTES)
    if plain.count('"') % 2:
        raise QueryError(
            f"The query '{text}' has a quotation mark without its partner; close the phrase, or take it out."
        )
    alternatives: list[list[Item]] = [[]]
    excluded: list[Item] = []
    for item, is_excluded in _pieces(plain):
        if item is None:
            alternatives.append([])
        else:
            (excluded if is_excluded else alternatives[-1]).append(item)
    _refuse_long(text, [*excluded, *(item for items in alternatives for item in items)])
    if len(alternatives) == 1 and not alternatives[0]:
        return ParsedText((), tuple(excluded))
    if not all(alternatives):
        raise QueryError(f"In the query '{text}' an OR has nothing on one side; give it a word on both.")
    return ParsedText(tuple(tuple(dict.fromkeys(items)) for items in alternatives), tuple(excluded))


def parse_entry(entry: str) -> tuple[Item, ...]:
    """Take an entry of a word list apart: its words and patterns; all in quotes, it is a phrase."""
    plain = entry.translate(_QUOTES).strip().lstrip("-")
    bare = plain.replace('"', " ").split()
    if plain.startswith('"') and plain.endswith('"') and len(bare) > 1:
        return (Item(" ".join(bare), "phrase"),)
    return tuple(_word(chunk) for chunk in bare)


def _pieces(text: str) -> Iterator[tuple[Item | None, bool]]:
    """Yield each item and whether it is excluded; None for OR."""
    for match in _PIECE.finditer(text):
        phrase, chunk = match["phrase"], match["chunk"]
        if phrase is not None:
            yield _phrase(phrase), bool(match["minus"])
        elif chunk == "OR":
            yield None, False
        elif is_exclusion(chunk):
            yield _word(chunk[1:]), True
        else:
            yield _word(chunk), False


def _phrase(text: str) -> Item:
    words = text.split()
    if not any(letter.isalnum() for letter in text):
        raise QueryError("A query has quotes without a word between them; fill them, or take them out.")
    if "*" in text:
        raise QueryError(f"The phrase \"{' '.join(words)}\" has a '*'; write such a word outside of quotes.")
    return Item(" ".join(words), "phrase")


def _word(chunk: str) -> Item:
    return Item(chunk, "pattern" if "*" in chunk else "word")


def _refuse_long(text: str, items: Iterable[Item]) -> None:
    n_words = sum(len(item.text.split()) for item in items)
    if n_words > MOST_WORDS:
        raise QueryError(
            f"The query '{text[:30].rstrip()}...' has {n_words:,} words, and at most {MOST_WORDS} are "
            "allowed; keep those that matter most."
        )


def is_exclusion(chunk: str) -> bool:
    """Tell whether a piece of text is `-word`."""
    return chunk.startswith("-") and chunk.strip("-") != ""


def as_queries(spec: Any) -> tuple[Query, ...]:
    """Turn what users pass as queries into `Query` objects.

    Parameters
    ----------
    spec : str, Query, mapping, or an iterable of these
        A mapping is {name: [keyword, ...]} or {name: "query text"} and may have several entries.

    Returns
    -------
    tuple of Query
        In the order given; their names differ.
    """
    items = [spec] if isinstance(spec, (str, Query, Mapping)) else spec
    if not isinstance(items, Iterable):
        raise QueryError(
            f"Queries cannot be {spec!r}; give a text, a list of texts, or {{name: [keyword, ...]}}."
        )
    queries = tuple(query for item in items for query in _from_item(item))
    if not queries:
        raise QueryError("There is no query; give at least one, such as 'middle east'.")
    _refuse_twins(queries)
    return queries


def check_rule(rule: str | None) -> None:
    """Refuse a rule that is neither "and" nor "or" (None: the model's)."""
    if rule is not None and rule not in get_args(Rule):
        raise ParameterError(f"The rule is {rule!r}; give 'and' or 'or'.")


def check_expansion(expansion: str | None) -> None:
    """Refuse an expansion that nobody knows."""
    if expansion is not None and expansion not in get_args(Expansion):
        raise ParameterError(f"The expansion is {expansion!r}; give 'kld', 'fre', 'rel' or None.")


def _from_item(item: Any) -> list[Query]:
    """Return the queries of one entry of the user's list."""
    if isinstance(item, Query):
        return [item]
    if isinstance(item, str):
        return [Query(item)]
    if isinstance(item, Mapping):
        return [_from_entry(name, value) for name, value in item.items()]
    raise QueryError(f"A query cannot be {item!r}; give a text, {{name: [keyword, ...]}} or a Query.")


def _from_entry(name: Any, value: Any) -> Query:
    if isinstance(value, str):
        return Query(value, name=name)
    return Query(name=name, keywords=value)


def _refuse_twins(queries: tuple[Query, ...]) -> None:
    """Each query needs a name of its own: it is how the user finds its topic again."""
    seen: set[str] = set()
    for query in queries:
        key = query.name.casefold()
        if key in seen:
            raise QueryError(
                f"The query '{query.name}' is there twice; remove one, or give them different names."
            )
        seen.add(key)


def _reading(value: Any) -> int | None:
    """Return the number of a reading; None for all of them."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise QueryError(f"A query's reading is {value!r}; give its number, from 1.")
    return value or None


def _one_line_text(value: Any, field: str) -> str:
    if not isinstance(value, str):
        raise QueryError(f"A query's {field} is {value!r}; give a text.")
    return " ".join(value.split())


def _words(value: Any, field: str) -> tuple[str, ...]:
    """Return the words as a tuple; a single text is taken as words parted by spaces."""
    words = tuple(value.split() if isinstance(value, str) else value) if isinstance(value, Iterable) else None
    if words is None or not all(isinstance(word, str) for word in words):
        raise QueryError(f"A query's {field} is {value!r}; give a list of words.")
    return tuple(" ".join(word.split()) for word in words if word.strip())
