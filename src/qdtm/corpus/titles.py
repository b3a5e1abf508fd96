"""What a document is called for a reader: its title and its text in, one line out."""

from __future__ import annotations

import re

from qdtm.corpus.markup import readable

MAX_TITLE = 300
"""Characters that are shown of a title of the user's own, which nearly all have fewer of."""

FIRST_WORDS = 100
"""Characters of the text's first line or sentence, where there is no title."""

_LOOKED_AT = 1_000
_WRAPPED = 50  # characters of a line that goes on in the next one
_NO_END = "".join(  # "my hon. Friend" and "J. Biden" go on
    rf"(?<!\b{each}\.)"
    for each in ("[A-Z]", "[Hh]on", "Mr", "Mrs", "Ms", "Dr", "Prof", "Sen", "Gen", "St", "No")
)
_SENTENCE = re.compile(rf".{{20,99}}?(?<=[.!?…。！？]){_NO_END}[\"'”’»)]*(?=\s|(?<=[。！？]))")
_END = (*".!?…。！？:",)

# What stands before the first line that says something, in mails above all.
_PREAMBLE = 4_000  # characters in which a text should have begun
_SUBJECT = re.compile(r"(?:Subject|Betreff|Objet|Asunto|Oggetto|Onderwerp|Assunto):\s*(\S.*)", re.IGNORECASE)
_HEADER = re.compile(
    r"(?:From|To|Cc|Bcc|Sent|Date|URL|Subject|Message-ID|Reply-To|In-Reply-To|References|Organi[sz]ation|Lines|"
    r"Newsgroups|Distribution|NNTP-[\w-]+|X-[\w-]+|Article-I\.?D\.?|Return-Path|Received|"
    r"Von|Gesendet|Betreff|Envoyé|Objet|Enviado|Asunto|Inviato|Oggetto|Verzonden|Onderwerp|Assunto):\s.*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[>|].*|--.*|https?://\S+")
_ATTRIBUTION = re.compile(
    r".{,200}\b(?:wrote|writes|mentioned|schrieb|écrit|escribió|scritto|schreef|escreveu)\s*(?::|\.\.\.)",
    re.IGNORECASE,
)
_GREETING = re.compile(  # those that are no other word; "Liebe Anna," is known by its comma
    r"(?:dear|hi|hello|hey|greetings|hallo|sehr geehrte[rs]?|guten tag|bonjour|hola|estimad[oa]s?|ciao|"
    r"egregio|buongiorno|geachte|hoi|olá|prezad[oa]s?)\b",
    re.IGNORECASE,
)
_SALUTATION = 5  # words of a line that is one, at most

# What stands before the first sentence that says something, in speeches.
_VOCATIVE = r"(?:(?:sehr )?(?:ge|ver)ehrte[rs]?|herr|frau|meine|liebe[rs]?|werte[rs]?)\b[^.!?,\n]{0,70}"
_ADDRESSED = r"(?=[^.!?\n]*(?:präsident|kolleg|damen|herren|freund|minister|gäste))"
_ADDRESS = re.compile(
    rf"(?:{_ADDRESSED}{_VOCATIVE}(?:, ?{_VOCATIVE})*!\s*|"
    r"(?:thank you|good (?:morning|afternoon|evening))\b"
    r"(?: (?:so|very) (?:very )?much| all)?(?:, [\w ,]{1,40})?[!.]\s*)+",
    re.IGNORECASE,
)


def title_of(given: str, text: str) -> str:
    r"""Return the title of a document in one line: the given one, else how its text begins.

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
    >>> title_of("", "Floods in Queensland\nHeavy rain has fallen since Monday.")
    'Floods in Queensland'
    """
    if given and (title := " ".join(readable(given[: 4 * MAX_TITLE]).split())):
        return shortened(title, MAX_TITLE)
    return beginning(text)


def id_beside(id: str, title: str) -> str:
    """Return an id to show beside a title: nothing where that says the same, as of files without a title.

    Examples
    --------
    >>> id_beside("letter-7", "To my brother"), id_beside("letter-7", "letter-7")
    ('letter-7', '')
    """
    return "" if " ".join(id.split()) == title else id


def beginning(text: str) -> str:
    """Return the first line of a text; of a long or wrapped one the first sentence, or what fits.

    Headers, salutations, quotations and rules before it are passed over; the subject of a mail is its title.
    """
    lines = _first_paragraph(text)
    if title := _short_line(lines):
        return title
    line = " ".join(lines)
    sentence = _SENTENCE.match(line)
    return sentence[0] if sentence else shortened(line, FIRST_WORDS)


def first_line(text: str) -> str:
    """Return the first line of a text if it is short and stands for itself, as a title does; else nothing."""
    return _short_line(_first_paragraph(readable(text)))


def _past_preamble(text: str) -> str:
    """Return a text without headers, salutations, quotations and rules before it; of a mail, its subject."""
    at = 0
    for line in text[:_PREAMBLE].splitlines(keepends=True):
        if subject := _SUBJECT.match(line.strip()):
            return subject[1]
        if line.strip() and not _says_nothing(line.strip()):
            return text[at:]
        at += len(line)
    return text


def _says_nothing(line: str) -> bool:
    if not any(map(str.isalnum, line)):
        return True
    if any(kind.fullmatch(line) for kind in (_HEADER, _QUOTED, _ATTRIBUTION)):
        return True
    is_short = len(line.split()) <= _SALUTATION and len(line) < _WRAPPED
    return is_short and (line.endswith((",", "，")) or _GREETING.match(line) is not None)


def _past_address(text: str) -> str:
    """Return a speech without those whom it greets and thanks first, if it says more."""
    address = _ADDRESS.match(text[:_LOOKED_AT].lstrip())
    return address.string[address.end() :] or text if address else text


def _first_paragraph(text: str) -> list[str]:
    text = _past_address(_past_preamble(text))
    begun = text[:_LOOKED_AT].lstrip() or text.lstrip()[:_LOOKED_AT]
    return [" ".join(line.split()) for line in re.split(r"\n\s*\n", begun, maxsplit=1)[0].splitlines()]


def _short_line(lines: list[str]) -> str:
    if not lines or len(lines[0]) > FIRST_WORDS:
        return ""
    first, after = lines[0], max(map(len, lines[1:4]), default=0)
    is_wrapped = len(first) >= _WRAPPED and 4 * len(first) >= 3 * after > 0 and not first.endswith(_END)
    return "" if is_wrapped else first


def shortened(line: str, n_characters: int) -> str:
    """Return a line cut after a word, with a mark where it was; one without spaces is cut anywhere."""
    if len(line) <= n_characters:
        return line
    cut = line[: n_characters - 1]
    words = cut.rpartition(" ")[0] if " " in cut[n_characters // 2 :] else cut
    return f"{words.rstrip(' ,;:-')} …" if " " in line else f"{cut}…"
