"""Regular plurals of other languages, and queries that find either number."""

import pytest

from qdtm import Corpus, TextPipeline
from qdtm.corpus.plurals import ENDINGS, plural_forms
from qdtm.queries import check_query

PAIRS = {
    "german": (
        "flüchtling flüchtlinge, regierung regierungen, ministerin ministerinnen, kirche kirchen, haus "
        "häuser, krankenhaus krankenhäuser, arzt ärzte, mutter mütter, kindergarten kindergärten, baum "
        "bäume, kind kinder, spiel spiele, frau frauen, fußballspiel fußballspiele, stadt städte, land "
        "länder, zug züge, bundesland bundesländer, unfall unfälle, vertrag verträge, palast paläste, "
        "verband verbände"
    ),
    "french": "élection élections, journal journaux, bateau bateaux",
    "spanish": "elección elecciones, ciudad ciudades, maestro maestros",
    "italian": "governo governi, elezione elezioni, banca banche",
    "dutch": "vluchteling vluchtelingen, minister ministers",
    "portuguese": "eleição eleições, homem homens, jornal jornais",
    "swedish": "flykting flyktingar, fråga frågor",
}
CASES = [(language, *pair.split()) for language, pairs in PAIRS.items() for pair in pairs.split(", ")]


@pytest.mark.parametrize(("language", "singular", "plural"), CASES)
def test_each_number_leads_to_the_other(language, singular, plural):
    assert plural in plural_forms(singular, language)
    assert singular in plural_forms(plural, language)
    assert plural_forms(singular, "english") == plural_forms(singular, None) == ()


APART = (
    "ausland ausländer, england engländer, brand bränder, blut blüte, gut güte, montag montage, zahl zahlen"
)


@pytest.mark.parametrize("pair", APART.split(", "))
def test_what_looks_like_a_plural_and_is_another_word_is_none(pair):
    one, other = pair.split()
    assert other not in plural_forms(one, "german")
    assert one not in plural_forms(other, "german")


def test_short_words_and_words_of_their_own_are_left_alone():
    assert "note" not in plural_forms("not", "german")
    assert plural_forms("westen", "german") == ()
    assert "westen" not in plural_forms("weste", "german")
    assert set(ENDINGS) == set(PAIRS)


def test_a_query_finds_the_number_that_the_corpus_has():
    texts = ["Die Flüchtlinge warten am Hafen.", "Ein Konzert im Hafen.", "Flüchtlinge an der Grenze."] * 4
    corpus = Corpus.from_texts(texts, pipeline=TextPipeline(language="de"))
    found = check_query(corpus, "Flüchtling").words[0]
    assert (found.status, found.matches) == ("known", ("flüchtlinge",))
    assert "flüchtlinge" in corpus.vocabulary
    assert check_query(corpus, "Konzert").words[0].matches == ("konzert",)
    own = Corpus.from_texts(texts, pipeline=TextPipeline(language="de", lemmatizer=str))
    assert check_query(own, "Flüchtling", refuse=False).words[0].matches == ()
