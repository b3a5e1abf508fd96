"""Two people at one result, and a reader beside them: nobody's work is lost, and nobody reads half of it."""

import os
import signal
import sys
import time
from contextlib import suppress

import pytest

from qdtm import Corpus
from qdtm.errors import StorageError
from qdtm.results.journal import Journal
from qdtm.results.result import Result

from .steps import make_steps, run_qdtm

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform == "win32", reason="copies processes with fork"),
]

N_WRITERS, N_ACTS = 6, 40


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    return make_steps(tmp_path_factory.mktemp("steps"))


@pytest.fixture
def place(steps):
    steps["rename"].make_old()
    return steps["rename"].place


def in_the_background(run):
    """Run something in a copy of this process; return its number."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            run()
            code = 0
        finally:
            os._exit(code)
    return process


def exit_codes(processes):
    return [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]


def test_no_act_of_many_writers_is_lost(place):
    def write(who):
        journal = Journal(place)
        for n in range(N_ACTS):
            journal.append("tag", {"tag": f"{who} {n}"}, by=str(who))

    assert (
        exit_codes([in_the_background(lambda who=who: write(who)) for who in range(N_WRITERS)])
        == [0] * N_WRITERS
    )
    history = Journal(place).history
    assert not history.n_damaged
    assert {act.values["tag"] for act in history.acts} == {
        f"{who} {n}" for who in range(N_WRITERS) for n in range(N_ACTS)
    }


def test_killed_writers_leave_a_journal_that_goes_on(place):
    done = 0
    for n in range(40):
        process = in_the_background(
            lambda: [Journal(place).append("tag", {"tag": "x" * 5_000}) for _ in range(10_000)]
        )
        time.sleep(0.01 + n / 2_000)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        n_acts = len(Journal(place).acts)
        assert n_acts >= done
        done = n_acts
    Journal(place).append("tag", {"tag": "the last"})
    assert Journal(place).acts[-1].values == {"tag": "the last"}
    assert done > 0


@pytest.mark.parametrize(
    "command", [("codes", "--add", "n3", "to read"), ("check", "-n", "10", "--labels", "answers.csv")]
)
def test_a_save_does_not_drop_what_others_did_since_it_was_loaded(steps, command):
    step = steps["add"]
    step.make_old()
    first, *rest = (str(step.folder.parent / each) if each.endswith(".csv") else each for each in command)
    loaded = Result.load(step.place)
    run_qdtm(first, str(step.place), *rest)
    now = step.found()
    with pytest.raises(StorageError, match="after it was loaded"):
        loaded.save(step.place, force=True)
    assert step.found() == now
    Result.load(step.place).save(step.place, force=True)
    assert step.found() == now


def test_acts_come_while_the_result_is_saved_again_and_again(place):
    def write():
        for n in range(N_ACTS):
            Journal(place).append("tag", {"tag": str(n)})

    Journal(place).append("rename", {"topic": "0", "name": "bush fires"})
    process = in_the_background(write)
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        with suppress(StorageError):  # refused if an act came since it was loaded
            Result.load(place).save(place, force=True)
    Result.load(place).save(place, force=True)  # nobody writes any more
    assert [act.values.get("tag") for act in Journal(place).acts[1:]] == [str(n) for n in range(N_ACTS)]


@pytest.mark.parametrize("name", ["index", "fit"])
def test_a_reader_beside_a_writer_finds_the_old_or_the_new(steps, name):
    step = steps[name]

    def read():
        if name == "index":
            corpus = Corpus.load(step.place)
            return corpus.fingerprint, corpus.documents[0].text
        result = Result.load(step.place)
        return result.fit.corpus_fingerprint, result.corpus.fingerprint, result.fit.relevance.tobytes()

    step.make_old()
    old = read()
    step.run()
    new = read()
    process = in_the_background(lambda: [(step.old(step.place), step.run()) for _ in range(6)])
    found = set()
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        found.add(read())
    assert found == {old, new}
