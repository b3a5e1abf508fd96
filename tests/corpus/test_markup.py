"""Files that stand in a text as text leave no words, and words that look odd stay."""

import base64
import binascii
import dataclasses
import re

import numpy as np
import pytest

from qdtm import Corpus, TextPipeline
from qdtm.corpus.demo import load_demo_corpus
from qdtm.corpus.markup import readable, strip_encoded, strip_markup
from qdtm.queries import check_query

LETTER = "Dear reader, here is the picture.\n\n{}\n\nGreetings from Sydney.\n"
WORDS = TextPipeline()(LETTER.format(""))


def some_bytes(n_bytes, seed=0):
    """Return random bytes, with a stretch of zeros in the middle as files have."""
    data = np.random.default_rng(seed).bytes(n_bytes)
    return data[: n_bytes // 2] + bytes(200) + data[n_bytes // 2 :]


def uuencoded(data, *, backtick=True, stripped=False):
    pieces = [data[at : at + 45] for at in range(0, len(data), 45)]
    lines = [binascii.b2a_uu(piece, backtick=backtick).decode().rstrip("\n") for piece in pieces]
    return "\n".join([line.rstrip() if stripped else line for line in lines] + ["`", "end"])


def mime(data):
    return base64.encodebytes(data).decode()


def armoured(data):
    text = base64.b64encode(data).decode()
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return "\n".join([*lines, "=" + base64.b64encode(data[:3]).decode()])


def dumped(data, *, by_four=False):
    """Return a dump as `hexdump -C` prints it, or as `xxd` does."""
    lines = []
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        characters = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        if by_four:
            lines.append(f"{at:08x}: {row.hex(' ', 2):<39}  {characters}")
        else:
            left, right = row[:8].hex(" "), row[8:].hex(" ")
            lines.append(f"{at:08x}  {left:<23}  {right:<23}  |{characters}|")
    return "\n".join([*lines, f"{len(data):08x}"])


def table(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(40, 6)) * 10.0 ** rng.integers(-9, 9, size=(40, 6))
    return "\n".join(" ".join(f"{value:.2e}" for value in row) for row in rows)


FORMS = {
    "uuencode": uuencoded,
    "uuencode with spaces": lambda data: uuencoded(data, backtick=False),
    "uuencode that lost spaces": lambda data: uuencoded(data, backtick=False, stripped=True),
    "base64": mime,
    "PGP": armoured,
    "one line of base64": lambda data: base64.b64encode(data).decode(),
    "hexadecimal": lambda data: "\n".join(data[at : at + 32].hex() for at in range(0, len(data), 32)),
    "hexdump -C": dumped,
    "xxd": lambda data: dumped(data, by_four=True),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_left_of_an_encoded_file(form, seed):
    encoded = FORMS[form](some_bytes(2_000 + seed, seed))
    assert TextPipeline()(LETTER.format(encoded)) == WORDS
    assert len(TextPipeline(strip_markup=False)(LETTER.format(encoded))) > len(WORDS)


@pytest.mark.parametrize("form", ["uuencode", "base64", "PGP"])
def test_little_is_left_of_one_that_is_quoted_or_whose_lines_were_joined(form):
    encoded = FORMS[form](some_bytes(2_000))
    quoted = "\n".join("> " + line for line in encoded.split("\n"))
    assert TextPipeline()(LETTER.format(quoted)) == WORDS
    joined = TextPipeline()(LETTER.format(encoded).replace("\n", " "))
    assert len(joined) <= len(WORDS) + 20  # of the last line
    assert set(joined) >= set(WORDS)


def test_words_directly_after_one_stay():
    data = base64.b64encode(some_bytes(500)).decode()
    assert strip_encoded(f"{data[:76]}\n{data[76:152]}\nGreetings from Sydney").split() == [
        "Greetings",
        "from",
        "Sydney",
    ]


def test_a_dirty_corpus_has_the_words_of_the_clean_one():
    clean = load_demo_corpus()
    texts = [document.text for document in clean.documents]
    files = [make(some_bytes(3_000, seed)) for seed in range(5) for make in FORMS.values()]
    dirt = [*files, *(table(seed) for seed in range(5))]
    dirty = Corpus.from_texts([*texts, *dirt])
    assert dirty.vocabulary == clean.vocabulary
    assert np.array_equal(dirty.tokens, clean.tokens)
    kept = Corpus.from_texts([*texts, *dirt], pipeline=TextPipeline(strip_markup=False))
    assert len(set(kept.vocabulary) - set(clean.vocabulary)) > 500
    for query in ("fire", "cricket", "israeli palestinian"):
        before, after = check_query(clean, query), check_query(dirty, query)
        assert before.n_and > 0
        assert dataclasses.replace(after, n_corpus=before.n_corpus, reason=before.reason) == before


ODD_WORDS = """
    NASA GOP PhD WWII vlk smrt krv cwm prst čtvrthrst mp3 covid19 h1n1 b2b g20 4k u2 gpt4 r2d2 c8h10n4o2
    CYP2C19/CYP3A4/CYP2D6 BRCA1 p16INK4a ENSG00000139618 #MeToo #ThrowbackThursday mother-in-law xtaddcallback
    Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz
    Lentokonesuihkuturbiinimoottoriapumekaanikkoaliupseerioppilas
    Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch pneumonoultramicroscopicsilicovolcanoconiosis
    getTheLongestNameOfAllTheFunctionsInTheWholeProgramFromTheRegistry
    usr/local/share/documentation/packages/architecture/independent/files2
    Nghiêng nghiêng đường phố العربية ภาษาไทย हिन्दी 한국어 中文维基百科 日本語の文章
    2001 1.5 12:30 0x1f e2e f-15e 2e"""


def test_odd_words_stay():
    assert strip_encoded(ODD_WORDS) == ODD_WORDS
    assert strip_encoded(" ".join(ODD_WORDS.split())) == " ".join(ODD_WORDS.split())


@pytest.mark.parametrize(
    "text",
    [
        "MOTOROLA EXPO VHF 2WATT/2CHAN. HT--------------------$1200.00\nwith a charger",
        "MILITARY WEAPONS ACQUIRED FOR A PROPER PURPOSE\nMUST BE REGISTERED WITH THE MARSHALL",
        "sizes\nA0 A1 A2 A3 A4 A5 A6 A7 A8",
        "1981 1982 1983 1984 1985 1986 1987 1988 1989  babies\n" * 3,
        "12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42  fed\n" * 3,
        "a\n" + "+" * 72 + "\n" + "/" * 72,
        "a\n" + "ab cd " * 20,
    ],
)
def test_lines_that_only_look_alike_stay(text):
    assert strip_encoded(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "M" + "M" * 300_000,
        ("M" + "A" * 60 + "\n") * 5_000 + "a",
        "M " * 150_000,
        "A1" * 200_000 + "\u00e9",
        ("A1" * 40 + "\n") * 5_000 + "\u00e9",
        "\n" + "a1 " * 100_000,
        "\n" + ("12345 " + "a1 " * 16 + "\n") * 5_000 + "\u00e9",
        "\n" + "0000 " * 100_000,
        "\n" + "1e-" * 100_000,
    ],
)
def test_the_time_is_linear(text):
    assert isinstance(strip_encoded(text), str)


def test_exponents_leave_no_words():
    row = "1.25e-05 3.75E+02 f-15e\n"
    assert TextPipeline()(row * 3) == ["15e"] * 3
    assert not re.search("[a-z]", strip_encoded(table(0)))


def test_a_page_without_what_leads_around_its_site_and_with_its_title_once():
    page = (
        "<html><head><title>Floods</title></head><body><nav><a href='/'>Home</a></nav><h1>Floods</h1>"
        "<p>The river rose.</p><footer>Imprint</footer></body></html>"
    )
    assert readable(page) == "Floods\n\nThe river rose."
    assert strip_markup(page).split() == ["Floods", "Floods", "The", "river", "rose."]
    assert "Home" in readable("<nav>Home<p>never closed</p>")
