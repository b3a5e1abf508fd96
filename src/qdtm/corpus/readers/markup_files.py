"""A web page, or a text in Markdown, in; its contents out."""

from __future__ import annotations

import re
from pathlib import Path

from qdtm.corpus.markup import readable, without_other_elements
from qdtm.corpus.readers.contents import Contents, read_text

_HEAD = 2**18
"""Characters in which the title and the date of a page are looked for."""

_TITLE = re.compile(r"<title\b[^<>]{0,200}>([^<]{0,1000})</title", re.IGNORECASE)
_HEADING = re.compile(r"<h1\b[^<>]{0,1000}>(.{0,1000}?)</h1", re.IGNORECASE | re.DOTALL)
_META = re.compile(r"<meta\s([^<>]{0,2000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""([\w:.-]{1,100})\s{0,9}=\s{0,9}(?:"([^"]{0,1000})"|'([^']{0,1000})'|([^\s"'>]{1,1000}))"""
)
_DATES = (
    "article:published_time", "citation_publication_date", "citation_date", "dc.date", "dcterms.date",
    "dcterms.created", "dcterms.issued", "datepublished", "date", "pubdate", "publish-date",
)  # fmt: skip
_AUTHORS = ("author", "citation_author", "dc.creator", "dcterms.creator", "article:author")
_UNSHOWN = re.compile(r"<(head|script|style|template|noscript)\b", re.IGNORECASE)

_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_SETTING = re.compile(r"^([A-Za-z][\w -]{0,60}?)[ \t]*:[ \t]*(\S.{0,1000})$", re.MULTILINE)
_MARKDOWN_HEADING = re.compile(r"^#{1,2}[ \t]+(\S.{0,500}?)[ \t#]*$|^(\S.{0,500})\n=+[ \t]*$", re.MULTILINE)


def read_html(path: Path, encoding: str | None) -> Contents:
    """Read a web page: what a browser would show, and what its head says."""
    source, found = read_text(path, encoding)
    return html_contents(source, found)


def html_contents(source: str, encoding: object = None) -> Contents:
    """Return the contents of a web page that is a text already."""
    from qdtm.corpus.readers.encoding import Encoding

    head = source[:_HEAD]
    said = _meta(head)
    title = _TITLE.search(head) or _HEADING.search(head)
    return Contents(
        text=readable(without_other_elements(_without_head(source))),
        title=readable(title[1]) if title else said.get("og:title", ""),
        date=next((said[name] for name in _DATES if name in said), ""),
        author=next((said[name] for name in _AUTHORS if name in said), ""),
        encoding=encoding if isinstance(encoding, Encoding) else None,
    )


def _meta(head: str) -> dict[str, str]:
    said: dict[str, str] = {}
    for tag in _META.finditer(head):
        values = {a[1].lower(): readable(a[2] or a[3] or a[4] or "") for a in _ATTRIBUTE.finditer(tag[1])}
        name = values.get("name") or values.get("property") or values.get("itemprop") or ""
        said.setdefault(name.lower(), values.get("content", ""))
    return said


def _without_head(source: str) -> str:
    """Return a page without its head and whatever else no browser shows; one pass."""
    shown: list[str] = []
    at = 0
    lower = source.lower()
    lower = lower if len(lower) == len(source) else source  # some capitals become two letters
    while found := _UNSHOWN.search(source, at):
        end = lower.find(f"</{found[1].lower()}", found.end())
        shown.append(source[at : found.start()])
        if end < 0:  # never closed: only the tag itself goes
            at = found.end()
            shown.append(f"<{found[1]}")
            if found[1].lower() != "head":
                break
            continue
        at = source.find(">", end) + 1 or len(source)
    shown.append(source[at:])
    return "".join(shown)


def read_markdown(path: Path, encoding: str | None) -> Contents:
    """Read a text in Markdown as it is; its front matter or first heading says what it is called."""
    source, found = read_text(path, encoding)
    front = _FRONT_MATTER.match(source)
    said = {m[1].lower(): m[2].strip().strip("\"'") for m in _SETTING.finditer(front[1])} if front else {}
    text = source[front.end() :] if front else source
    heading = _MARKDOWN_HEADING.search(text[:_HEAD])
    title = said.get("title") or ((heading[1] or heading[2]) if heading else "")
    return Contents(text.strip(), title, said.get("date", ""), said.get("author", ""), found)
