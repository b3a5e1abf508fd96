"""The background: the same for everybody, learned once, and kept where it may get lost."""

from __future__ import annotations

import os
import signal
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from planted import own_words, plant
from qdtm import Corpus
from qdtm.progress import Progress
from qdtm.sampler import background as module
from qdtm.sampler.background import Background, background_of, learn_background
from qdtm.sampler.engines import Threads

WORDS = own_words(5, 20)


@pytest.fixture(scope="module")
def planted():
    return plant(0, WORDS, [50] * 5)


@pytest.fixture
def corpus(planted) -> Corpus:
    """The same corpus as an object of its own, which nobody remembers anything of."""
    again = planted.corpus
    vocabulary, tokens, offsets = again.vocabulary, again.tokens, again.offsets
    documents = [[vocabulary[w] for w in tokens[a:b]] for a, b in pairwise(offsets)]
    return Corpus.from_tokens(documents)


def learned(corpus: Corpus, n_jobs: int = 1, **options) -> Background:
    with Threads(n_jobs) as engine:
        return learn_background(corpus.tokens, corpus.offsets, corpus.n_words, engine, **options)


def kept_files(cache: Path) -> list[Path]:
    return sorted((cache / "backgrounds").glob("*"))


def forget(corpus: Corpus) -> None:
    """Make a corpus as new, but for what the cache folder has."""
    corpus.__dict__.pop("distinct", None)


def told() -> tuple[list[Progress], object]:
    seen: list[Progress] = []
    return seen, seen.append


def test_topics_are_numbered_by_size_and_counted() -> None:
    tokens = np.array([0, 1, 1, 2, 2, 2], np.int32)
    found = Background.of_topics(tokens, np.array([4, 4, 1, 7, 7, 7], np.int32), 4)
    assert found.token_topics.tolist() == [1, 1, 2, 0, 0, 0]
    assert found.word_topic.tolist() == [[0, 1, 0], [0, 1, 1], [3, 0, 0], [0, 0, 0]]


def test_an_empty_corpus_has_one_topic_of_nothing() -> None:
    none = np.zeros(0, np.int32)
    assert Background.of_topics(none, none, 3).word_topic.tolist() == [[0]] * 3


@pytest.mark.parametrize("n_shards", [1, 4])
def test_threads_do_not_change_a_byte(corpus: Corpus, monkeypatch: pytest.MonkeyPatch, n_shards: int) -> None:
    monkeypatch.setattr("qdtm.sampler.chain.n_shards_for", lambda *_: n_shards)
    one, two = learned(corpus), learned(corpus, 2)
    assert one.token_topics.tobytes() == two.token_topics.tobytes()
    assert one.word_topic.tobytes() == two.word_topic.tobytes()


def test_planted_topics_come_back(planted) -> None:
    corpus, found = planted.corpus, learned(planted.corpus)
    assert found.word_topic.sum() == corpus.n_tokens
    own = np.stack([found.word_topic[[corpus.word_index[w] for w in words]].sum(axis=0) for words in WORDS])
    large = own.sum(axis=0) > 0.02 * corpus.n_tokens  # topics of general words, and of leftovers, aside
    purity = own.max(axis=0) / np.maximum(own.sum(axis=0), 1)  # (K,)
    assert (purity[large] > 0.9).all()
    assert set(own[:, large].argmax(axis=0).tolist()) == set(range(5))


def test_it_says_how_far_it_is(corpus: Corpus) -> None:
    seen, tell = told()
    learned(corpus, progress=tell)
    assert [each.sweep for each in seen] == list(range(1, len(seen) + 1))
    assert module.LEAST_SWEEPS <= len(seen) <= module.MOST_SWEEPS
    assert {(each.stage, each.query, each.max_sweeps) for each in seen} == {
        ("background", None, module.MOST_SWEEPS)
    }


class TestCache:
    """What was learned is kept for the next process."""

    def test_it_is_learned_once(self, corpus: Corpus, cold_cache: Path) -> None:
        seen, tell = told()
        first = background_of(corpus, progress=tell)
        assert background_of(corpus, progress=tell) is first
        assert [each.sweep for each in seen].count(1) == 1
        assert len(kept_files(cold_cache)) == 1

    def test_the_next_process_reads_it(self, corpus: Corpus, cold_cache: Path) -> None:
        first = background_of(corpus)
        forget(corpus)
        seen, tell = told()
        again = background_of(corpus, progress=tell)
        assert not seen
        np.testing.assert_array_equal(again.token_topics, first.token_topics)
        np.testing.assert_array_equal(again.word_topic, first.word_topic)
        assert kept_files(cold_cache)

    def test_another_number_of_topics_is_another_background(self, corpus: Corpus, cold_cache: Path) -> None:
        few, usual = background_of(corpus, n_topics=2), background_of(corpus)
        assert few is not usual
        assert len(kept_files(cold_cache)) == 2

    @pytest.mark.parametrize("damage", ["cut short", "no file of its kind", "emptied", "of another corpus"])
    def test_a_damaged_file_is_learned_anew(self, corpus: Corpus, cold_cache: Path, damage: str) -> None:
        first = background_of(corpus)
        (path,) = kept_files(cold_cache)
        whole = path.read_bytes()
        if damage == "of another corpus":
            background_of(Corpus.from_tokens([["x", "y"], ["y"]]))
            (other,) = set(kept_files(cold_cache)) - {path}
            path.write_bytes(other.read_bytes())
        else:
            path.write_bytes(
                {"cut short": whole[:-7], "no file of its kind": b"{}" * 40, "emptied": b""}[damage]
            )
        forget(corpus)
        again = background_of(corpus)
        np.testing.assert_array_equal(again.token_topics, first.token_topics)
        assert path.read_bytes() == whole

    def test_of_other_versions_it_is_learned_anew(
        self, corpus: Corpus, cold_cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        background_of(corpus)
        forget(corpus)
        monkeypatch.setattr(module, "MADE_BY", "others")
        seen, tell = told()
        background_of(corpus, progress=tell)
        assert seen
        assert len(kept_files(cold_cache)) == 1

    def test_it_is_bounded_and_the_oldest_go_first(
        self, cold_cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        corpora = [Corpus.from_tokens([[f"w{i}", "x"], ["x", "y"], [f"w{i}"]]) for i in range(4)]
        background_of(corpora[0])
        (first,) = kept_files(cold_cache)
        monkeypatch.setattr(module, "MOST_KEPT", 2 * first.stat().st_size)
        os.utime(first, (1, 1))
        background_of(corpora[1])
        (second,) = set(kept_files(cold_cache)) - {first}
        os.utime(second, (2, 2))
        background_of(corpora[2])
        assert first not in kept_files(cold_cache)
        assert second in kept_files(cold_cache)
        background_of(corpora[3])
        assert len(kept_files(cold_cache)) == 2
        assert second not in kept_files(cold_cache)

    def test_a_place_that_cannot_be_written_to_is_no_reason_to_stop(
        self, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").write_text("no folder")
        monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "file"))
        assert background_of(corpus).word_topic.sum() == corpus.n_tokens

    def test_what_is_asked_and_with_which_seed_does_not_matter(
        self, corpus: Corpus, cold_cache: Path
    ) -> None:
        """The same file, whoever learned it."""
        from qdtm import QueryDrivenTopicModel

        contents = set()
        for n_jobs, (query, seed) in enumerate([("a00", 0), ("b00", 7)], start=1):
            forget(corpus)
            for path in kept_files(cold_cache) if cold_cache.exists() else []:
                path.unlink()
            options = {"embeddings": None, "max_sweeps": 3, "subtopics": False}
            QueryDrivenTopicModel(query, random_state=seed, n_jobs=n_jobs, **options).fit(corpus)
            (path,) = kept_files(cold_cache)
            contents.add(path.read_bytes())
        assert len(contents) == 1


class TestStopping:
    """Learning that is interrupted or killed goes on where it was, to the same topics."""

    def interrupted(self, corpus: Corpus, after: int) -> list[Progress]:
        seen: list[Progress] = []

        def tell(progress: Progress) -> None:
            seen.append(progress)
            if progress.sweep == after:
                os.kill(os.getpid(), signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            background_of(corpus, progress=tell)
        return seen

    def test_ctrl_c_loses_nothing(self, corpus: Corpus, cold_cache: Path) -> None:
        expected = learned(corpus.distinct)
        assert len(self.interrupted(corpus, 12)) == 12
        seen, tell = told()
        found = background_of(corpus, progress=tell)
        assert seen[0].sweep == 13
        np.testing.assert_array_equal(found.token_topics, expected.token_topics)
        assert [path.suffix for path in kept_files(cold_cache)] == [".safetensors"]

    def test_what_is_damaged_is_learned_anew(self, corpus: Corpus, cold_cache: Path) -> None:
        self.interrupted(corpus, 12)
        for path in kept_files(cold_cache)[0].rglob("*.safetensors"):
            path.write_bytes(b"")
        seen, tell = told()
        background_of(corpus, progress=tell)
        assert seen[0].sweep == 1


def test_copies_of_a_document_do_not_change_it(corpus: Corpus, cold_cache: Path) -> None:
    words = [[corpus.vocabulary[w] for w in corpus.tokens[a:b]] for a, b in pairwise(corpus.offsets)]
    many = Corpus.from_tokens([words[3], *words, *[words[7]] * 50])
    assert many.distinct.fingerprint == corpus.distinct.fingerprint
    np.testing.assert_array_equal(background_of(many).token_topics, background_of(corpus).token_topics)
