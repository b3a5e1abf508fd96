"""Entries of bibliographies in, records out: title and abstract are the text, the rest becomes fields.

Here is what exports of different programs call the same thing. `tagged_files`, `bibtex`, `json_files` and
`csv_files` read them.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from qdtm.corpus.readers.records import (
    MAX_TEXT,
    N_PEEKED,
    NO_TITLE,
    ReadOptions,
    Record,
    find_column,
    find_text_columns,
    join_texts,
)

_LONGEST_WORD = 200

_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d|21\d\d)\b")
_NAMES: dict[str, tuple[str, ...]] = {
    "title": ("title", "display_name"),
    "abstract": ("abstract", "abstract note"),
    "authors": ("authors", "author", "author full names", "authorships.author.display_name",
                "authorships_author_display_name"),
    "year": ("year", "publication year", "publication_year", "date", "publication_date"),
    "journal": ("journal", "publication title", "source title", "container-title", "source", "booktitle",
                "primary_location.source.display_name", "primary_location_source_display_name"),
    "doi": ("doi",),
    "keywords": ("keywords", "author keywords", "manual tags", "keyword", "keywords.display_name"),
    "type": ("type", "item type", "document type", "entrytype"),
    "url": ("url", "link"),
    "language": ("language",),
}  # fmt: skip
"""What the parts of an entry are called, ours first."""

WEB_OF_SCIENCE = {
    "TI": "title", "AB": "abstract", "AU": "authors", "PY": "year", "SO": "journal", "DI": "doi",
    "DE": "keywords", "DT": "type", "LA": "language", "UT": "id",
}  # fmt: skip

_TABLES = (
    {"key", "item type", "abstract note"},  # Zotero
    {"pt", "au", "ti", "so", "ut"},  # Web of Science
    {"eid", "source title", "abstract"},  # Scopus
    {"id", "display_name", "publication_year", "abstract"},  # OpenAlex
)


def is_table_of_references(names: Sequence[str]) -> bool:
    """Return whether the columns of a table are those of a known program's bibliography."""
    folded = {name.strip().casefold().lstrip("\ufeff") for name in names}
    return any(known <= folded for known in _TABLES)


def reference_of_row(names: Sequence[str], row: Sequence[str], number: int) -> Record:
    """Return the entry that a row of such a table is."""
    known = {name.upper(): ours for name, ours in WEB_OF_SCIENCE.items()} if "PT" in names else {}
    values = {known.get(name, name): value for name, value in zip(names, row, strict=False) if value.strip()}
    return reference(values, str(number))


def reference(values: Mapping[str, str], number: str) -> Record:
    """Return an entry as a record.

    Parameters
    ----------
    values : mapping of str to str
        By any of the names that are known, and by others, which become fields as they are.
    number : str
        Its name if it has none of its own.
    """
    left = {name.strip().casefold(): value for name, value in values.items() if value.strip()}
    parts: dict[str, str] = {}
    for ours, names in _NAMES.items():
        said = next((left[name].strip() for name in names if name in left), "")
        year = _YEAR.search(said) if ours == "year" else None
        parts[ours] = (year[0] if year else "") if ours == "year" else said
        for name in names:  # what says more stays a field of its own, such as the date beside the year
            if name == ours or left.get(name, "").strip() == parts[ours]:
                left.pop(name, None)
    identity = next((left.pop(name) for name in ("id", "key", "eid", "citation-key") if name in left), "")
    title, abstract = " ".join(parts.pop("title").split()), parts.pop("abstract")
    text = "\n\n".join(part for part in (title, abstract) if part)
    identity = identity.strip()
    return Record(
        identity or number, text, parts | left, title=title, title_name="title", is_numbered=not identity
    )


def arranged(records: Iterable[Record], options: ReadOptions, path: Path) -> Iterator[Record]:
    """Give records whose parts are known the columns that the user asks for: those parts by name."""
    asked = (options.text_column, options.id_column, options.title_column)
    if asked == (None, None, None) and not options.all_fields:
        yield from records
        return
    rest = iter(records)
    peeked: list[Record] = []
    while len(peeked) < N_PEEKED and sum(len(each.text) for each in peeked) < MAX_TEXT:
        if (record := next(rest, None)) is None:
            break
        peeked.append(record)
    names = list(dict.fromkeys(name for record in peeked for name in _every(record)))
    if not names:
        return
    source = repr(path.name)
    texts = [names[c] for c in find_text_columns(names, [], options.text_column or "text", source)]
    identity = names[find_column(names, options.id_column or "id", source)]
    called = "title" if options.title_column in (None, "", NO_TITLE) else str(options.title_column)
    title = names[find_column(names, called, source)]
    apart = () if options.all_fields else {*texts, identity, title, "text", "id"}
    for record in itertools.chain(peeked, rest):
        every = _every(record)
        yield dataclasses.replace(
            record,
            id=every.get(identity) or record.id,
            text=every.get(texts[0], "")
            if len(texts) == 1
            else join_texts(every.get(each, "") for each in texts),
            title=every.get(title, ""),
            fields={name: value for name, value in every.items() if name not in apart},
        )


def _every(record: Record) -> dict[str, str]:
    return {"id": record.id, "title": record.title, "text": record.text, **record.fields}


# --- entries as JSON ----------------------------------------------------------------------------------------


def is_reference(entry: Mapping[str, Any]) -> bool:
    """Return whether a JSON object is an entry of CSL JSON, an item of Zotero, or a work of OpenAlex."""
    if "abstract_inverted_index" in entry and ("display_name" in entry or "title" in entry):
        return True
    if "itemType" in _item(entry) and "title" in _item(entry):
        return True
    return (
        "title" in entry and "type" in entry and bool({"issued", "container-title", "author"} & entry.keys())
    )


def reference_of_json(entry: Mapping[str, Any], number: str) -> Record:
    """Return such an object as a record."""
    if "abstract_inverted_index" in entry:
        return reference(_of_openalex(entry), number)
    return reference(_of_zotero(_item(entry)) if "itemType" in _item(entry) else _of_csl(entry), number)


def _item(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an item of Zotero: Better BibTeX has it as it is, Zotero's web API under "data"."""
    data = entry.get("data")
    return data if isinstance(data, dict) else entry


def _of_zotero(item: Mapping[str, Any]) -> dict[str, str]:
    names = {"abstractNote": "abstract", "publicationTitle": "journal", "itemType": "type", "DOI": "doi"}
    values = {names.get(name, name): _plain(value) for name, value in item.items()}
    people = [
        {"family": each.get("lastName"), "given": each.get("firstName"), "literal": each.get("name")}
        for each in _objects(item.get("creators"))
    ]
    values["authors"] = "; ".join(map(_person, people))
    values["keywords"] = "; ".join(_plain(each.get("tag")) for each in _objects(item.get("tags")))
    return values


def _of_csl(entry: Mapping[str, Any]) -> dict[str, str]:
    values = {name: _plain(value) for name, value in entry.items()}
    values["authors"] = "; ".join(_person(each) for each in _objects(entry.get("author")))
    values.pop("author", None)
    issued = entry.get("issued")
    if isinstance(issued, dict):
        values["year"] = _plain(issued.get("date-parts")) or _plain(
            issued.get("raw") or issued.get("literal")
        )
    values.pop("issued", None)
    return values


def _person(person: Mapping[str, Any]) -> str:
    parts = [_plain(person.get(name)) for name in ("family", "given")]
    return ", ".join(part for part in parts if part) or _plain(person.get("literal"))


def _of_openalex(entry: Mapping[str, Any]) -> dict[str, str]:
    names = ("id", "doi", "title", "display_name", "publication_year", "type", "language", "cited_by_count")
    values = {name: _plain(entry.get(name)) for name in names}
    values["abstract"] = _uninverted(entry.get("abstract_inverted_index"))
    authors = [_within(each, "author", "display_name") for each in _objects(entry.get("authorships"))]
    values["authors"] = "; ".join(author for author in authors if author)
    values["journal"] = _within(entry, "primary_location", "source", "display_name")
    keywords = [_plain(each.get("display_name")) for each in _objects(entry.get("keywords"))]
    values["keywords"] = "; ".join(word for word in keywords if word)
    return values


def _uninverted(index: Any) -> str:
    """Put an abstract together of which is known at which places each word stands.

    A place takes two characters of a file, so a long word that has many would grow without bound.
    """
    if not isinstance(index, dict):
        return _plain(index)
    places = [
        (place, word if len(found) == 1 else word[:_LONGEST_WORD])
        for word, found in index.items()
        if isinstance(found, list)
        for place in found
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(places))


def _within(value: Any, *names: str) -> str:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return _plain(value)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _plain(value: Any) -> str:
    """Return a value as text: lists side by side, no objects."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, list):
        return "; ".join(str(each) for each in value if isinstance(each, str | int | float))
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
