"""Text in, text out: take away what is not language (encoded files, web addresses, HTML).

`strip_markup` is for the model, which needs words; `readable` for people, who need lines and addresses too.
"""

from __future__ import annotations

import html
import re
import string
from collections.abc import Iterator
from contextlib import suppress

# --- encoded files ------------------------------------------------------------------------------------------
#
# Text in, text out: take away files that stand in it as text (uuencode, base64, PGP's armour, hex dumps).
#
# A piece of such a file looks like a short word ("g9v", "b8f", "5d"), which nobody can tell by itself; but
# the lines it stands in have a form that no language has. Nearly all texts have no such lines, so that each
# form is looked for only after a test of the whole text that costs next to nothing.

_BREAK = r"[ \t]*\r?\n[ \t>|:]*"  # the end of a line, and what a mail puts before one that it quotes
_END = r"(?=[ \t]*(?:\r?\n|$))"
_SPACE = r"[\s>|:]+"  # the same where line breaks may have become spaces
# Groups that never go back are atomic: before Python 3.11.5, possessive quantifiers of groups stop early.

# A full line of uuencode is an "M" (for 45 bytes) and 60 characters, none of them a small letter; some
# programs add a check sum. One line may be a heading in capitals, so two are asked for. Once inside, lines
# may have lost the spaces at their end; the last one has any length, and is known by the "end" after it.
_FULL_LINE = r"M[ -`]{60,61}(?!\S)"
_UUENCODED = re.compile(
    rf"M(?<![^\s>|:]M)[ -`]{{60,61}}(?!\S)(?>(?:{_SPACE}{_FULL_LINE})+)"
    rf"(?>(?:{_SPACE}{_FULL_LINE}|{_BREAK}M[ -`]{{0,60}}(?=\r?\n))*)"
    rf"(?:{_BREAK}[ -`]{{1,61}}(?:{_BREAK}`?)?{_BREAK}end\b)?"
)

# The lines of base64 and of PGP have 60 to 76 characters each but for the last one; PGP adds a check sum. In
# random bytes letters and digits change places 25 times in 100 characters, in hexadecimal ones 47 times; in
# words written together, in names of programs and in paths hardly ever. Zeros in a file make it fewer.
_BASE64_LINE = 60
_CHANGES = 0.1
_RUN = rf"[A-Za-z0-9+/]{{{_BASE64_LINE},}}+={{0,2}}"
_BASE64 = re.compile(
    rf"(?<![\w+/]){_RUN}(?>(?:{_SPACE}{_RUN})*)"
    rf"(?:{_BREAK}[A-Za-z0-9+/]++={{0,2}}{_END}|{_SPACE}[A-Za-z0-9+/]++=)?"
    rf"(?:{_SPACE}=[A-Za-z0-9+/]{{4}}(?!\S))?"
)
_CHANGE = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")

# A line of a hex dump has 16 bytes, by two or by four digits; before them a place, after them the characters.
_TWO, _FOUR, _PLACE = (rf"[0-9A-Fa-f]{{{n}}}\b" for n in ("2", "4", "5,16"))
_CHARACTERS = r"(?:[ \t]{2,}\S.{0,17})?"
_HEX_DUMP = re.compile(
    rf"\b(?:{_PLACE}:?[ \t]+)?"
    rf"({_TWO}(?:[ \t:]{{1,3}}{_TWO}){{15,}}|{_FOUR}(?:[ \t:]{{1,3}}{_FOUR}){{7,}}){_CHARACTERS}"
    rf"(?:{_BREAK}{_PLACE}:?(?:[ \t]{{1,3}}(?:{_TWO}|{_FOUR}))*{_CHARACTERS}{_END})*"
)
# Of a table with 1.25e-05 there would be left the word "25e".
_EXPONENT = re.compile(r"(?<=\d)[eE][-+](?=\d)")


def _shapes(**characters: str) -> bytes:
    """Return the table that turns characters into the letter of their kind, and all others into a dot."""
    kinds = {ord(c): ord(kind) for kind, members in characters.items() for c in members}
    return bytes(kinds.get(code, ord(".")) for code in range(256))


_BASE64_SHAPE = _shapes(x=string.ascii_letters + string.digits + "+/")
_HEX_SHAPE = _shapes(x=string.hexdigits, s=" \t:")
_NUMBER_SHAPE = _shapes(x=string.digits, e="eE", s="+-")


def strip_encoded(text: str) -> str:
    """Return `text` without the lines of encoded files.

    Every pattern is bounded or never goes back, so that the time is linear in the length of the text.

    Examples
    --------
    >>> strip_encoded("my key: iQCVAgUBK9h5ymv14aSAK9PNAQHUPQP0VJ3fNzRljlIXkjU2BnDC0mZEh1im2vM1 thanks")
    'my key:   thanks'
    """
    if len(text) < _BASE64_LINE:
        return text
    text = _UUENCODED.sub(" ", text)
    written = text.encode("latin-1", "replace")
    if b"x" * _BASE64_LINE in written.translate(_BASE64_SHAPE):
        text = _BASE64.sub(_unless_words, text)
    return _strip_printed(text, written) if "\n" in text else text  # what is printed has lines


def _strip_printed(text: str, written: bytes) -> str:
    """Return `text` without hex dumps and without the exponents of numbers."""
    groups = written.translate(_HEX_SHAPE)
    if b"sxx" * 7 in groups or b"sxxxx" * 7 in groups:
        text = _HEX_DUMP.sub(_unless_numbers, text)
    if b"xesx" in written.translate(_NUMBER_SHAPE):
        text = _EXPONENT.sub(" ", text)
    return text


def _unless_words(found: re.Match[str]) -> str:
    """Return a long run of letters and digits if it may be words, else a space."""
    run = found[0]
    return " " if len(_CHANGE.findall(run)) >= _CHANGES * len(run) else run


def _unless_numbers(found: re.Match[str]) -> str:
    """Return groups of hexadecimal digits if all are numbers or all letters, else a space."""
    digits = "".join(found[1].split()).replace(":", "")
    return found[0] if digits.isdecimal() or digits.isalpha() else " "


# --- HTML for a reader --------------------------------------------------------------------------------------
#
# Only what is HTML for certain: elements by their names, in a text that closes one; entities with their
# semicolon. "<joe@example.org>", "git checkout <source>" and "?id=1&section=2" stay as they are. Every
# pattern passes over a text once.

_BLOCKS = (
    "address|article|aside|blockquote|body|center|div|dl|fieldset|figcaption|figure|form|h[1-6]|head|header|hr|html|"
    "main|ol|p|pre|section|table|tbody|tfoot|thead|title|ul"
)
_LINES = "br|caption|dd|dt|li|tr"
_INLINE = (
    "a|abbr|acronym|audio|b|base|big|button|cite|code|col|colgroup|del|dfn|em|embed|font|i|iframe|img|input|ins|"
    "kbd|label|legend|link|mark|meta|noscript|object|option|picture|q|s|samp|select|small|source|span|strike|"
    "strong|sub|sup|svg|textarea|time|tt|u|var|video|wbr"
)
_HIDDEN = "script|style|template|nav|footer"  # what a browser does not show, and what no page is about
_NAMES = rf"{_BLOCKS}|{_LINES}|{_INLINE}|{_HIDDEN}|td|th"
_IS_HTML = re.compile(rf"</(?:{_NAMES})\s*>|<!--|<(?:br|p|hr|img|!doctype)\b[^<>]*+>", re.IGNORECASE)
_FLAGS = "async|checked|compact|controls|defer|disabled|hidden|nowrap|open|required|selected"
_ATTRIBUTES = rf"(?:\s[^<>=]*+=[^<>]*+|\s+(?:{_FLAGS})\s*|\s*)"
_ELEMENT = re.compile(
    r"<!--|<(?:!doctype|\?xml)\b[^<>]*+>|"
    rf"<(?P<end>/?)(?:(?P<block>{_BLOCKS})|(?P<line>{_LINES})|(?P<cell>td|th)|(?P<hidden>{_HIDDEN})|{_INLINE})"
    rf"{_ATTRIBUTES}/?>",
    re.IGNORECASE,
)
_CLOSES = {
    "-->": re.compile("-->"),
    **{f"</{name}": re.compile(rf"</{name}\b[^<>]*+>", re.IGNORECASE) for name in _HIDDEN.split("|")},
}
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ESCAPED = re.compile(r"&lt;/[a-z][a-z0-9]{0,10}&gt;", re.IGNORECASE)
_BLANKS = re.compile(r"(?<![ \t])[ \t]*+\n[ \t]*+(\n\s*+)?")
_ODD_SPACES = str.maketrans({"\xa0": " ", "\xad": "", "\u200b": ""})


_OTHER = re.compile(
    rf"<annotation\b[^<>]{{0,300}}>[^<]{{0,5000}}</annotation>|"
    rf"</?(?!(?:{_NAMES})\b)[A-Za-z][\w:-]{{0,40}}(?:\s[^<>]{{0,1000}})?/?>",
    re.IGNORECASE,
)


def without_other_elements(page: str) -> str:
    """Return a web page without the tags of what is no HTML: formulas, drawings, fields of programs."""
    return _OTHER.sub("", page)


def readable(text: str) -> str:
    r"""Return `text` as a browser would show it: without HTML, its paragraphs as lines; else as it is.

    What only leads around a site (`nav`, `footer`) goes as well.

    Examples
    --------
    >>> readable("<p>Fish &amp; <b>chips</b></p><script>track()</script><p>Today: a < b</p>")
    'Fish & chips\n\nToday: a < b'
    """
    if "<" in text:
        text = _without_elements(text)
    if "&" not in text:
        return text
    if _ESCAPED.search(text):  # HTML that was escaped as a whole, as feeds have it
        text = _without_elements(_ENTITY.sub(_character, text))
    return _ENTITY.sub(_character, text)


def _without_elements(text: str) -> str:
    if not _IS_HTML.search(text):
        return text
    shown = "".join(f"{before}{_space(element)}" for before, element in _between(text, _ELEMENT))
    shown = _BLANKS.sub(lambda blank: "\n\n" if blank[1] else "\n", shown).strip()
    title, _, rest = shown.partition("\n\n")  # which a page has in its head, and again as its first heading
    return rest if rest.startswith(f"{title}\n") or rest == title else shown


def _space(element: re.Match[str] | None) -> str:
    """Return what stands in the place of an element."""
    if element is None:
        return ""
    if element["block"]:
        return "\n\n"
    return "" if element["end"] else "\n" if element["line"] else " " if element["cell"] else ""


def _between(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, re.Match[str] | None]]:
    """Yield what stands before each element and it, and the rest; comments and scripts are part of theirs."""
    at = 0
    endless: set[str] = set()  # what is opened and not closed any more
    while found := pattern.search(text, at):
        yield text[at : found.start()], found
        at = found.end()
        close = "-->" if found[0] == "<!--" else f"</{found['hidden'].lower()}" if found["hidden"] else ""
        if close and close not in endless and not found[0].startswith("</"):
            end = _CLOSES[close].search(text, at)
            endless |= {close} if end is None else set()
            at = at if end is None else end.end()
    yield text[at:], None


def _character(entity: re.Match[str]) -> str:
    return html.unescape(entity[0]).translate(_ODD_SPACES)


# --- all that is not language -------------------------------------------------------------------------------

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>")
_UNSEEN = re.compile(rf"<!--|<!doctype\b[^<>]*+>|<(?P<hidden>{_HIDDEN})\b[^<>]*+>", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")


def address_spans(text: str) -> list[tuple[int, int]]:
    """Return where a text has addresses, of the web and of mail, which `strip_markup` takes away."""
    web = _ADDRESS.finditer(text) if "://" in text or "www." in text else ()
    mail = _MAIL.finditer(text) if "@" in text else ()
    return [match.span() for match in (*web, *mail)]


def strip_markup(text: str) -> str:
    """Return `text` without encoded files, HTML and addresses, and with HTML entities as characters.

    Every pattern is bounded, so that the time is linear in the length of the text whatever it holds.

    Examples
    --------
    >>> strip_markup("Fish &amp; chips<br/>see https://example.org/menu?id=1 today")
    'Fish & chips see   today'
    """
    text = strip_encoded(text)  # first, since "<" and "&" are letters there
    if "<" in text:
        text = _TAG.sub(" ", " ".join(before for before, _ in _between(text, _UNSEEN)))
    if "&" in text:
        with suppress(ValueError):  # "&#" before thousands of digits
            text = html.unescape(text)
    if "://" in text or "www." in text:
        text = _ADDRESS.sub(" ", text)
    if "@" in text:
        text = _MAIL.sub(" ", text)
    return text
