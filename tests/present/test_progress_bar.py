"""The progress bar: a line on a terminal, an element in a notebook, nothing elsewhere."""

import io
import sys
import types

from sklearn.base import clone

from qdtm import ProgressBar, QueryDrivenTopicModel
from qdtm.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_line_on_a_terminal_and_nothing_in_a_file():
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        ProgressBar(stream)(Progress("parents", None, 1, 10, 5, None))
    assert terminal.getvalue().startswith("\rparents: sweep 1 of at most 10, 5 topics")
    assert file.getvalue() == ""


def test_its_line_is_taken_away_at_the_end():
    terminal = Terminal()
    bar = ProgressBar(terminal)
    bar(Progress("parents", None, 1, 10, 5, None))
    bar.close()
    assert terminal.getvalue().endswith("\r" + 78 * " " + "\r")
    before = terminal.getvalue()
    bar.close()
    assert terminal.getvalue() == before


def test_an_element_in_a_notebook_is_made_once_and_updated(monkeypatch):
    made, updated = [], []
    handle = types.SimpleNamespace(update=updated.append)

    class ZMQInteractiveShell:
        pass

    def display(element, display_id):
        made.append(element)
        return handle

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = ZMQInteractiveShell
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.HTML, ipython.display.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    bar = ProgressBar()
    bar(Progress("parents", None, 1, 10, 5, None))
    bar(Progress("subtopics", "fire", 1, 10, 5, None))
    assert len(made) == len(updated) == 1
    assert "subtopics of fire" in updated[0]
    bar.close()
    assert "done" in updated[1]


def test_a_model_with_a_bar_can_be_cloned():
    model = QueryDrivenTopicModel("fire", progress=ProgressBar(Terminal()))
    assert isinstance(clone(model).progress, ProgressBar)
