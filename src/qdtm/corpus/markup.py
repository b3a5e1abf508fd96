"""Text in, text out: take away what is not language (encoded files, web addresses, HTML)."""

from __future__ import annotations

import html
import re
from contextlib import suppress

from qdtm.corpus.encoded import strip_encoded

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>|<!--[^<>]{0,1000}-->")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")


def strip_markup(text: str) -> str:
    """Return `text` without encoded files, HTML tags and addresses, and with HTML entities as characters.

    Every pattern is bounded, so that the time is linear in the length of the text whatever it holds.

    Examples
    --------
    >>> strip_markup("Fish &amp; chips<br/>see https://example.org/menu?id=1 today")
    'Fish & chips see   today'
    """
    text = strip_encoded(text)  # first, since "<" and "&" are letters there
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "&" in text:
        with suppress(ValueError):  # "&#" before thousands of digits
            text = html.unescape(text)
    if "://" in text or "www." in text:
        text = _ADDRESS.sub(" ", text)
    if "@" in text:
        text = _MAIL.sub(" ", text)
    return text
