"""What a query, its concept and its check say of themselves at a prompt and in a notebook."""

from qdtm import Corpus, Query, QueryDrivenTopicModel

FIRE = ["fire in the forest <b>", "fire and smoke", "smoke of the fire"]
TEXTS = [*FIRE, "cricket match", "cricket captain"] * 6


def test_a_query_says_what_was_asked():
    assert repr(Query("fire")) == "Query('fire')"
    assert repr(Query("fire", name="bush", expansion=None)) == "Query('fire', name='bush', expansion=None)"
    assert repr(Query(keywords=("fire", "smoke"))) == "Query(keywords=('fire', 'smoke'))"
    assert len(repr(Query("fire", exclude=["word" * 20] * 50))) <= 200
    assert eval(repr(Query("fire", rule="or", reading=2))) == Query("fire", rule="or", reading=2)


def test_concepts_and_documents_are_tables_in_a_notebook():
    model = QueryDrivenTopicModel("fire", min_sweeps=5, max_sweeps=5).fit(Corpus.from_texts(TEXTS))
    concept = model.concepts_[0]
    assert repr(concept).startswith("Concept('fire': ")
    assert repr(concept.words[0]).startswith("ConceptWord('fire', query, in ")
    assert repr(concept.check).startswith("QueryCheck('fire': ")
    assert "<table" in concept._repr_html_()
    page = model.documents(n=20)._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert [">title<" in page, ">passage<" in page, ">text<" in page] == [True, True, False]
    assert all(len(repr(row)) <= 200 for row in model.documents(n=20))
