"""Titles, several text columns, texts without HTML: what a reader is shown of a document."""

import json
import warnings

import pytest

from qdtm import Corpus, TextPipeline
from qdtm.corpus.markup import readable, strip_markup
from qdtm.corpus.readers.records import CorpusWarning
from qdtm.corpus.stop_word_lists import stop_words, with_own_words
from qdtm.corpus.titles import FIRST_WORDS, MAX_TITLE, first_line, id_beside, title_of
from qdtm.errors import CorpusError
from qdtm.results.passages import Aligner

COLUMNS = ["headline", "body", "party"]
ROWS = [
    ["Fires near Sydney", "Bushfires came near the city on Monday.", "left"],
    ["Cricket won", "Australia won the match by ten wickets.", "left"],
    ["Rain at last", "Heavy rain fell in Queensland all day.", "right"],
]


def write_csv(path, columns=COLUMNS, rows=ROWS):
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def write_jsonl(path):
    path.write_text("".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in ROWS))
    return path


def write_xlsx(path):
    book = pytest.importorskip("openpyxl").Workbook()
    for row in [COLUMNS, *ROWS]:
        book.active.append(row)
    book.save(path)
    return path


def write_parquet(path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {name: [row[c] for row in ROWS] for c, name in enumerate(COLUMNS)}
    parquet.write_table(pyarrow.table(columns), path)
    return path


WRITERS = {".csv": write_csv, ".jsonl": write_jsonl, ".xlsx": write_xlsx, ".parquet": write_parquet}


@pytest.mark.parametrize("ending", WRITERS)
def test_the_title_is_found_and_counts_as_the_first_words(tmp_path, ending):
    path = WRITERS[ending](tmp_path / f"news{ending}")
    corpus = Corpus.read(path)
    documents = corpus.documents
    assert (documents.title_name, documents.text_name) == ("headline", "headline + body")
    assert documents[0].text == "Fires near Sydney\n\nBushfires came near the city on Monday."
    assert [document.title for document in documents] == [row[0] for row in ROWS]
    assert documents[0].fields == {"party": "left"}
    assert "sydney" in corpus.vocabulary
    corpus.save(tmp_path / "index")
    again = Corpus.load(tmp_path / "index").documents
    assert (again.title_name, again.text_name, list(again)) == (
        "headline",
        "headline + body",
        list(documents),
    )


@pytest.mark.parametrize("ending", WRITERS)
def test_a_title_does_not_count_where_the_text_is_named(tmp_path, ending):
    corpus = Corpus.read(WRITERS[ending](tmp_path / f"news{ending}"), text_column="body")
    assert (corpus.documents.title_name, corpus.documents.text_name) == ("headline", "body")
    assert corpus.documents[0].text == ROWS[0][1]
    assert "sydney" not in corpus.vocabulary


def test_what_may_be_whose_text_it_is_does_not_count(tmp_path):
    corpus = Corpus.read(write_csv(tmp_path / "people.csv", ["name", "body", "party"]))
    assert (corpus.documents.title_name, corpus.documents.text_name) == ("name", "body")


def test_a_title_with_which_the_text_begins_counts_once(tmp_path):
    rows = [[headline, f"{headline}. {body}", party] for headline, body, party in ROWS]
    corpus = Corpus.read(write_csv(tmp_path / "news.csv", rows=rows))
    assert corpus.documents[0].text == rows[0][1]


def test_later_tables_are_joined_as_the_first(tmp_path):
    write_csv(tmp_path / "a.csv")
    write_csv(tmp_path / "b.csv", rows=[["Same", "It snowed.", "left"], ["Same", "It froze.", "left"]])
    texts = [document.text for document in Corpus.read(str(tmp_path / "*.csv")).documents]
    assert texts[0].startswith("Fires near Sydney\n\n")
    assert texts[3:] == ["Same\n\nIt snowed.", "Same\n\nIt froze."]


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("wanted", ["headline, body", ["headline", "body"]])
def test_several_columns_are_one_text_and_one_may_be_the_title(tmp_path, ending, wanted):
    corpus = Corpus.read(WRITERS[ending](tmp_path / f"news{ending}"), text_column=wanted)
    document = corpus.documents[0]
    assert document.text == "Fires near Sydney\n\nBushfires came near the city on Monday."
    assert document.title == "Fires near Sydney"
    assert (corpus.documents.title_name, corpus.documents.text_name) == ("headline", "headline + body")
    assert "sydney" in corpus.vocabulary


def test_a_column_whose_name_has_a_comma(tmp_path):
    path = write_csv(tmp_path / "a.csv", ["title", "text, in full"], [["One", "the whole story"]])
    assert Corpus.read(path, text_column="text, in full").documents[0].text == "the whole story"
    both = Corpus.read(path, text_column=["title", "text, in full"])
    assert both.documents[0].text == "One\n\nthe whole story"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text_column": "headline,bdy"}, "Column 'bdy' is not in 'news.csv'. Closest: 'body'."),
        ({"text_column": ","}, "No column is named"),
        ({"title_column": "headlin"}, "Column 'headlin' is not in 'news.csv'. Closest: 'headline'."),
    ],
)
def test_columns_that_are_not_there(tmp_path, options, message):
    with pytest.raises(CorpusError, match=message):
        Corpus.read(write_csv(tmp_path / "news.csv"), **options)


def test_the_user_chooses_the_title(tmp_path):
    path = write_csv(tmp_path / "news.csv")
    assert Corpus.read(path, title_column="party").documents[2].title == "right"
    without = Corpus.read(path, title_column="none").documents
    assert without.title_name is None
    assert without[0].title == ROWS[0][1]
    assert without[0].fields["headline"] == "Fires near Sydney"


def test_what_is_called_like_a_title_and_is_none_is_a_field(tmp_path):
    rows = [
        [f"d{j}", ("politics", "sport")[j % 2], str(j), f"A text of its own, number {j}"] for j in range(8)
    ]
    path = write_csv(tmp_path / "a.csv", ["id", "subject", "title", "text"], rows)
    documents = Corpus.read(path).documents
    assert documents.title_name is None  # categories, and numbers
    assert documents.field_names == ("subject", "title")


def test_an_only_text_that_is_called_title_is_the_text(tmp_path):
    path = write_csv(tmp_path / "a.csv", ["id", "title"], [["1", "Fires near Sydney"]])
    documents = Corpus.read(path).documents
    assert (documents.title_name, documents[0].text) == (None, "Fires near Sydney")


def test_titles_of_texts_tables_and_many_files(tmp_path):
    pandas = pytest.importorskip("pandas")
    texts = [row[1] for row in ROWS]
    given = Corpus.from_texts(iter(texts), titles=["One", None, float("nan")]).documents
    assert [document.title for document in given] == ["One", *texts[1:]]
    with pytest.raises(CorpusError, match="'titles' has 1 values for 3 documents"):
        Corpus.from_texts(texts, titles=["One"])
    frame = pandas.DataFrame(ROWS, columns=COLUMNS)
    assert Corpus.from_dataframe(frame).documents[1].title == "Cricket won"
    joined = Corpus.from_dataframe(frame, ["headline", "body"], title_column="party").documents
    assert (joined[1].title, joined[1].text.split("\n\n")) == ("left", ROWS[1][:2])
    for name in "ab":
        write_csv(tmp_path / f"{name}.csv")
    many = Corpus.read(str(tmp_path / "*.csv"), text_column="headline,body").documents
    assert (len(many), many[5].title, many.text_name) == (6, "Rain at last", "headline + body")


def test_a_folder_has_first_lines_or_the_names_of_files(tmp_path):
    long = "This line is far too long for a title, " * 4
    wrapped = (
        "The owner of a resort in the north of the state has been\ntold that the road to it will be closed."
    )
    for name, text in {"a": "Floods\n\nHeavy rain fell.", "b": long, "c": wrapped}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    assert [document.title for document in Corpus.read(tmp_path).documents] == ["Floods", "b", "c"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("", ""),
        (" \n ", ""),
        ("\n\n  Short  line \nand more", "Short line"),
        ("A first sentence of some length. " + "word " * 50, "A first sentence of some length."),
        ("It was said by Mr. " + "word " * 50, ("It was said by Mr. " + "word " * 50)[:98].strip() + " …"),
        ("字" * 300, "字" * (FIRST_WORDS - 1) + "…"),
    ],
)
def test_how_texts_begin(text, title):
    assert title_of("", text) == title
    assert len(title) <= FIRST_WORDS + 1


def test_given_titles_are_one_line_without_html():
    assert title_of(" <b>Fish</b> &amp;\n chips", "text") == "Fish & chips"
    assert len(title_of("word " * 10_000, "text")) <= MAX_TITLE + 1
    assert first_line("<p>Fish &amp; chips</p><p>Batter the fish.</p>") == "Fish & chips"


def test_a_group_may_be_the_column_of_titles():
    from qdtm.corpus.document_store import column_names, column_values

    texts = [row[1] for row in ROWS]
    documents = Corpus.from_texts(texts, fields={"year": [1, 2, 3]}).documents
    assert column_names(documents) == ("year",)
    assert column_values(documents, "year") == ["1", "2", "3"]


# --- HTML ---------------------------------------------------------------------------------------------------

HTML = (
    "<!DOCTYPE html><html><head><title>Fires</title><style>p { color: red }</style></head><body>"
    "<!-- hidden <b>comment</b> --><p class='a'>Bushfires &amp; <b>wind</b> near&nbsp;Sydney.</p>"
    "<script>var tracker = '<p>';</script><ul><li>crew<li>smoke</ul></body></html>"
)


def test_a_page_reads_as_a_browser_shows_it():
    assert readable(HTML) == "Fires\n\nBushfires & wind near Sydney.\n\ncrew\nsmoke"
    words = TextPipeline()(HTML)
    assert words == TextPipeline()(readable(HTML))
    assert not {"tracker", "hidden", "comment", "color"} & set(words)


@pytest.mark.parametrize(
    "text",
    [
        "mail <joe@example.org> & co", "git checkout <source> <b and c>", "?id=1&section=2", "AT&T, R&D",
        "a < b > c", "<unknown>x</unknown>", "", "5 &lt 6", "line  one\n\n\n  line two",
    ],
)  # fmt: skip
def test_what_is_not_html_stays(text):
    assert readable(text) == text


def test_escaped_pages_are_pages_too():
    assert readable("&lt;p&gt;Fish &amp;amp; chips&lt;/p&gt;") == "Fish & chips"
    assert readable("&#233;t&eacute; &lt; 5") == "été < 5"


@pytest.mark.parametrize(
    "text",
    [
        "<script>" * 50_000 + "</b>", "<!--" * 50_000 + "</p>", "<a " * 50_000 + "</p>", "</p>" * 50_000,
        "</b>" + " " * 100_000 + "x", "</b>" + "</script " * 50_000, "<a b=c " * 50_000,
        "&lt;/p&gt;" * 20_000,
    ],
)  # fmt: skip
def test_long_hostile_texts_are_passed_over_once(text):
    # Quadratic time would take minutes.
    readable(text)
    strip_markup(text)


def test_documents_are_clean_marks_stand_right_and_the_original_stays(tmp_path):
    corpus = Corpus.from_texts([HTML, "fire crew smoke wind"] * 3, ids=list("abcdef"))
    document = corpus.documents[0]
    assert (document.text, document.original, document.title) == (readable(HTML), HTML, "Fires")
    spans = Aligner(corpus).spans(0, document.text)
    found = [document.text[span[0] : span[1]].lower() for span in spans if span is not None]
    assert {"wind", "crew", "smoke"} <= set(found)
    corpus.save(tmp_path / "index")
    assert Corpus.load(tmp_path / "index").documents[0] == document


# --- stop words ---------------------------------------------------------------------------------------------


def test_own_words_go_with_their_plurals():
    words = with_own_words(["Company", "woman", "AG"], "english")
    assert stop_words("en") < words
    assert {"company", "companies", "women", "ag"} <= words
    assert with_own_words(["firma"], "de") == stop_words("german") | {"firma"}
    assert with_own_words(["x"], None) == {"x"}
    pipeline = TextPipeline(stop_words=words)
    assert pipeline("The companies of women fire") == ["fire"]


def test_no_warning_for_a_title_that_was_found(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error", CorpusWarning)
        Corpus.read(write_csv(tmp_path / "news.csv"))


def test_an_id_stands_beside_a_title_that_says_something_else():
    assert id_beside("letter-7", "To my brother") == "letter-7"
    assert id_beside("letter-7", "") == "letter-7"
    assert id_beside("letter  7", "letter 7") == ""


BODY = "The pump fails when it is cold.\nWhat can be done about it?"


@pytest.mark.parametrize(
    "before",
    [
        "Dear Sir,", "Dear Sir", "Hi all,", "Hello!", "Liebe Anna,", "Sehr geehrte Damen und Herren,",
        "Bonjour", "Estimado señor:",
        "您好，", "> Why does it fail?", "| Why?", "----- Original Message -----", "**********", "https://example.org/7",
        "On Fri, 23 Aug 2002, Tom wrote:", "In article <7@example.org> tom@example.org writes:",
        "Anna schrieb:",
        "From: tom@example.org\nDate: Fri, 23 Aug 2002\nX-Mailer: 7", "Hi,\n\nTom wrote:\n> Why?\n> Who?",
    ],
)  # fmt: skip
def test_a_title_is_what_a_text_says_first(before):
    assert title_of("", f"{before}\n\n{BODY}") == "The pump fails when it is cold."
    assert title_of("", before)  # where there is nothing else


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (f"From: tom@example.org\nSubject: Re: the pump\nLines: 7\n\n{BODY}", "Re: the pump"),
        (f"Von: Anna\nBetreff: Die Pumpe\n\n{BODY}", "Die Pumpe"),
        (f"Floods\n\n{BODY}", "Floods"),
        (f"Care of pumps\n\n{BODY}", "Care of pumps"),
        (f"Liebe und Tod\n\n{BODY}", "Liebe und Tod"),
        ("Dear readers of this paper will know what happened, and why.", None),
        ("Hello again from the town hall, where nobody has slept", None),
        ("Results: a third of them failed", None),
    ],
)
def test_a_line_that_says_something_stays_the_title(text, title):
    assert title_of("", text) == (title or text)


def test_a_letter_of_a_folder_is_not_called_by_its_salutation():
    assert first_line("Dear Sir,\n\nThe pump fails.\n") == "The pump fails."


MORE = " Then they went on with the debate, hour after hour, until the night was over and all were tired."


@pytest.mark.parametrize(
    ("address", "title"),
    [
        ("Herr Präsident ! Meine sehr geehrten Damen und Herren ! ", "Das Erbrecht ist sehr alt ."),
        ("Sehr geehrte Frau Präsidentin, liebe Kolleginnen und Kollegen! ", "Wir reden heute über den Wald."),
        ("Good evening. Thank you. Thank you so much.\n", "I come from a small town."),
        ("", "Herr Kollege, kommen Sie bitte zum Ende!"),
        ("", "Liebe macht blind, sagt man von jeher!"),
    ],
)
def test_a_speech_is_called_by_what_it_says(address, title):
    assert title_of("", address + title + MORE) == title


def test_a_speech_that_only_thanks_is_called_so():
    assert title_of("", "Thank you. Thank you very much.") == "Thank you. Thank you very much."


@pytest.mark.parametrize(
    "title",
    [
        "I thank my right hon. Friend for that answer.",
        "The vote was called by Mr. J. Biden of Delaware.",
        "We come to amendment No. 12 of the second group.",
    ],
)
def test_a_title_does_not_end_with_an_abbreviation(title):
    assert title_of("", title + MORE) == title
