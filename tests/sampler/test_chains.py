"""Independent chains: their seeds, what Ctrl-C keeps, and who is told."""

import pytest

import ctrl_c
from planted import plant_parts
from qdtm import QueryDrivenTopicModel
from qdtm.sampler.two_phases import chain_seed

QUICK = {"embeddings": None, "min_sweeps": 10, "max_sweeps": 20, "n_chains": 3}


def test_the_first_seed_is_the_users_and_the_others_follow_from_it():
    assert chain_seed(7, 0) == 7
    seeds = [chain_seed(seed, chain) for seed in (0, 7) for chain in range(5)]
    assert len(set(seeds)) == 10
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert chain_seed(7, 3) == chain_seed(7, 3)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_everybody_who_watches_is_told_which_chain(n_jobs):
    seen = []
    model = QueryDrivenTopicModel("planet", n_jobs=n_jobs, progress=seen.append, **QUICK)
    model.fit(plant_parts(0, 2, n_documents=30))
    seen = [each for each in seen if each.stage != "background"]  # which all have in common
    assert {(each.chain, each.n_chains) for each in seen} == {(0, 3), (1, 3), (2, 3)}
    assert {each.run for each in seen} == {"run 1 of 3, ", "run 2 of 3, ", "run 3 of 3, "}


def interrupt_in(chain, stage):
    """Make a callback that presses Ctrl-C, once, in a stage of a chain."""
    pressed = []

    def press(progress):
        if (progress.chain, progress.stage) == (chain, stage) and not pressed:
            pressed.append(progress)
            ctrl_c.press()

    return press


def test_ctrl_c_keeps_the_chains_that_are_complete():
    model = QueryDrivenTopicModel("planet", n_jobs=1, progress=interrupt_in(2, "parents"), **QUICK)
    model.fit(plant_parts(0, 2, n_documents=30))
    assert model.fit_.interrupted
    assert not model.fit_.parent_trace.interrupted
    assert (model.stability_.n_chains, model.stability_.n_asked) == (2, 3)
    assert all(len(each.likeness) == 1 for each in model.stability_.queries[0].subtopics)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_ctrl_c_in_the_first_chain_keeps_what_it_has(n_jobs):
    endless = QUICK | {"min_sweeps": 20_000, "max_sweeps": 20_000}  # no thread is done before the signal
    press = interrupt_in(0, "parents")
    model = QueryDrivenTopicModel("planet", n_jobs=n_jobs, progress=press, **endless)
    model.fit(plant_parts(0, 2, n_documents=30))
    assert model.fit_.interrupted
    assert model.stability_ is None


def test_an_error_in_a_chain_on_a_thread_is_raised():
    def fail(progress):
        if progress.chain == 1:
            raise RuntimeError("no more room")

    model = QueryDrivenTopicModel("planet", n_jobs=3, progress=fail, **QUICK)
    with pytest.raises(RuntimeError, match="no more room"):
        model.fit(plant_parts(0, 2, n_documents=30))
