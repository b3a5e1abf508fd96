"""What notebooks show: the same escaping as the report, and nothing of the page around it is touched."""

from qdtm.present.notebook import explanation_html, progress_html, result_html, topic_html
from qdtm.progress import Progress
from qdtm.results.explain import explain_document


def test_topics(hostile):
    shown = result_html(hostile)
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(4)" in shown
    assert shown.lstrip().startswith('<div class="q-notebook"')
    assert ":root" not in shown
    assert hostile.topics[1].name in topic_html(hostile.topics[1])


def test_an_explanation(hostile):
    shown = explanation_html(explain_document(hostile, 0))
    assert "<script>" not in shown
    assert "alert(" in shown
    assert explain_document(hostile, 0)._repr_html_() == shown


def test_progress():
    shown = progress_html(Progress("subtopics", "<b>fire</b>", 30, 120, 7, None))
    assert 'value="25"' in shown
    assert "&lt;b&gt;fire&lt;/b&gt;" in shown
    assert "done" in progress_html(None)
