"""Files in, an index in parts out: each file is read where there is room, and nobody holds them all.

In: files, and where to write. Out: the same numbers, byte for byte, as of the corpus that one machine would
read of the same files. What is decided about all files is decided by what they add up to: the vocabulary by
the counts of words, phrases by a bounded sample of documents, order and copies by hashes. The process that
asks for it holds arrays over words, and some numbers a document (`docs/scale.md`).

Every step of a file is written down beside the index until that is whole; what was done before a kill is
found again.
"""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.cluster.engine import RayEngine
from qdtm.cluster.file_steps import (
    FileFacts,
    Reading,
    compare_texts,
    count_words,
    cut_words,
    finish_file,
    join_part,
    keys_name,
    limit_words,
    read_band,
    read_file,
    rename_ids,
    split_file,
    take_documents,
)
from qdtm.cluster.tasks import RayTasks, Tasks
from qdtm.corpus.corpus import Corpus
from qdtm.corpus.distinct import arrange_hashes
from qdtm.corpus.indexing import (
    IndexedTokens,
    check_tokens_left,
    check_words_left,
    first_of_each,
)
from qdtm.corpus.near_copies import PAIRS, candidates, choose_originals
from qdtm.corpus.parted_documents import Columns
from qdtm.corpus.parts import (
    COPIES,
    ORDER,
    VOCABULARY,
    add_topics,
    manifest_of,
    part_bounds,
    part_name,
    write_parts_manifest,
)
from qdtm.corpus.phrases import Phrase, choose_by_hash, plan_phrases
from qdtm.corpus.readers.read import SourceFiles
from qdtm.corpus.readers.records import CorpusWarning, PassedOver, ReadOptions, Record
from qdtm.corpus.text import TextPipeline
from qdtm.errors import CorpusError, MissingExtraError, ParameterError
from qdtm.progress import ProgressCallback
from qdtm.sampler.background import background_of
from qdtm.storage.array_store import ArrayStore

_REQUEST = "request.json"

Steps = Callable[[str, int, int], None]
"""Told which step it is, how many files or parts are done, and of how many."""


def index_in_parts(
    source: Sequence[str],
    options: ReadOptions,
    pipeline: TextPipeline,
    place: str,
    tasks: Tasks,
    steps: Steps | None = None,
) -> None:
    """Read files and write their index, without the background.

    Parameters
    ----------
    source : sequence of str
        Names, patterns or URLs of files.
    options : ReadOptions
    pipeline : TextPipeline
    place : str
        A folder that all machines share, or a URL. What is there of the same files, read in the same way, is
        not done again.
    tasks : Tasks
        Who does the work.
    steps : callable, optional

    Raises
    ------
    CorpusError
        If no file can be read, or nothing is left of them.
    """
    if pipeline.split_documents is not None:
        raise ParameterError("An index in parts judges documents as a whole; leave out --split.")
    files = SourceFiles.of(source)
    _Indexing(Reading(files, options, pipeline, place), tasks, steps or (lambda *_: None)).run()


def write_index(
    source: Sequence[str],
    options: ReadOptions,
    pipeline: TextPipeline,
    place: str,
    engine: RayEngine,
    *,
    steps: Steps | None = None,
    progress: ProgressCallback | None = None,
) -> Corpus:
    """Read files on a cluster, learn what they are about, and write the index; return it, opened.

    Until it is whole it lies at the place with ".unfinished" after it; the same call goes on from there.

    Parameters
    ----------
    place : str
        What is there is replaced.
    engine : RayEngine
    steps, progress : callable, optional
        Told how far the reading is, and the learning.
    """
    unfinished = ArrayStore(f"{place.rstrip('/')}.unfinished", private=False)
    index_in_parts(source, options, pipeline, unfinished.root, RayTasks(engine), steps)
    corpus = Corpus.load(unfinished.root)
    background_of(corpus, engine, progress=progress)
    learned = corpus.distinct.learned
    assert learned is not None
    add_topics(unfinished, learned)
    remove_steps(unfinished, len(manifest_of(unfinished).content["files"]))
    unfinished.move_to(place)
    return Corpus.load(place)


class _Indexing:
    """The steps, one after the other."""

    def __init__(self, reading: Reading, tasks: Tasks, steps: Steps) -> None:
        self._reading, self._tasks, self._steps = reading, tasks, steps
        self._n = len(reading.files)

    def run(self) -> None:
        """Take all steps that were not taken before."""
        reading, store = self._reading, self._reading.store
        if not store.exists(_REQUEST) or store.read_json(_REQUEST) != reading.digest():
            store.clear()
            store.write_json(_REQUEST, reading.digest())
        facts = self._read()
        words = self._choose_words(facts)
        vocabulary = self._cut_phrases(words)
        n_each = np.array([each.n_documents for each in facts], np.int64)
        rows, place, checks = self._arrange(vocabulary, n_each)
        bounds = part_bounds(len(rows), self._n)
        checks |= self._write_parts(rows, place, n_each, bounds, len(vocabulary))
        self._find_copies(rows, place, n_each)
        columns = _columns([each.columns for each in facts if each.n_documents])
        write_parts_manifest(store, reading.pipeline, n_each, bounds, columns, checks)

    # --- words and phrases -------------------------------------------------------------------------------

    def _read(self) -> list[FileFacts]:
        """Read all files; the first table says which columns the others have."""
        reading = self._reading
        first, before = _first_table(reading)
        calls = (
            (replace(reading, options=replace(reading.options, before=before if i > first else None)), i)
            for i in range(self._n)
        )
        facts = list(self._all("reading", read_file, calls))
        passed = PassedOver()
        for each, file in zip(facts, reading.files.files, strict=True):
            if each.error:
                passed.add(file.name, file.place, CorpusError(each.error), each.n_documents)
        source = f"the {self._n:,} files"
        if len(passed) == self._n and not passed.n_read:
            raise CorpusError(f"Nothing in {source} can be read: {passed}")
        passed.tell(source)
        if note := next((each.note for each in facts if each.n_documents), ""):
            warnings.warn(note, CorpusWarning, stacklevel=2)
        self._rename(facts)
        return facts

    def _rename(self, facts: Sequence[FileFacts]) -> None:
        """Put the file's name before ids that an earlier file has."""
        taken = repeated_names([each.ids for each in facts])
        calls = [(self._reading, i, rows) for i, rows in enumerate(taken) if len(rows)]
        for _ in self._tasks.map(rename_ids, calls):
            pass

    def _choose_words(self, facts: Sequence[FileFacts]) -> list[str]:
        """Choose the words of the vocabulary by how many documents have them, each text counting once."""
        limits = self._reading.pipeline.limits
        n_documents = sum(each.n_documents for each in facts)
        check_tokens_left(
            n_documents, sum(each.n_read for each in facts), sum(each.n_tokens for each in facts)
        )
        hashes = np.concatenate([each.hashes for each in facts])
        counted = np.ones(n_documents, np.bool_) if limits.count_copies else first_of_each(hashes)
        ends = np.cumsum([each.n_documents for each in facts])[:-1]
        calls = ((self._reading, i, each) for i, each in enumerate(np.split(counted, ends)))
        words: dict[str, int] = {}
        totals = [array("q"), array("q")]
        for found, *counts in self._all("counting words", count_words, calls):
            at = np.array([words.setdefault(word, len(words)) for word in found], np.int64)
            for total, own in zip(totals, counts, strict=True):
                total.frombytes(bytes(8 * (len(words) - len(total))))
                np.frombuffer(total, np.int64)[at] += own
        listed, (in_documents, occurrences) = list(words), (np.array(total) for total in totals)
        chosen = limits.select(listed, in_documents, occurrences, int(counted.sum()))
        check_words_left(len(chosen), len(listed), limits, n_documents)
        return [listed[w] for w in chosen]

    def _cut_phrases(self, words: list[str]) -> list[str]:
        """Find phrases in a sample of documents, cut them out of all, and leave out words without a token."""
        calls = ((self._reading, i, words) for i in range(self._n))
        limited = list(self._all("numbering words", limit_words, calls))
        plan = None
        if all(hashes is not None for hashes, _ in limited):
            plan = self._plan([hashes for hashes, _ in limited], [lengths for _, lengths in limited], words)
        cuts = ((self._reading, i, words, plan) for i in range(self._n))
        counts = sum(self._all("cutting phrases", cut_words, cuts))
        vocabulary = words if plan is None else plan[1]
        kept = np.ones(len(vocabulary), np.bool_) if plan is None else counts > 0
        self._new_number = (np.cumsum(kept) - 1).astype(np.int32)
        return [word for word, is_kept in zip(vocabulary, kept.tolist(), strict=True) if is_kept]

    def _plan(
        self, hashes: Sequence[Any], lengths: Sequence[NDArray[np.int64]], words: list[str]
    ) -> tuple[dict[str, Phrase], list[str]] | None:
        chosen = choose_by_hash(np.concatenate(hashes), np.concatenate(lengths))
        ends = np.cumsum([len(each) for each in lengths])[:-1]
        calls = ((self._reading, i, each) for i, each in enumerate(np.split(chosen, ends)))
        tokens, joined, sizes = map(np.concatenate, zip(*self._tasks.map(take_documents, calls), strict=True))
        if not len(tokens):
            return None
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        sample = IndexedTokens(words, tokens, offsets, len(tokens), joined)
        return plan_phrases(sample, self._reading.pipeline.limits)

    # --- documents in the order of content ---------------------------------------------------------------

    def _arrange(
        self, vocabulary: list[str], n_each: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[str, Any]]:
        """Put documents in the order of their content: the rows of different ones, and which each is.

        Also what the manifest says of the files that were written.
        """
        store, reading = self._reading.store, self._reading
        store.write_json(VOCABULARY, vocabulary)
        calls = ((reading, i, self._new_number, len(vocabulary)) for i in range(self._n))
        found = list(self._all("hashing documents", finish_file, calls))
        texts = np.concatenate([each for _, each, _ in found])
        rows, place = arrange_hashes(np.concatenate([each for each, _, _ in found]), lambda at: texts[at])
        store.write(ORDER, {"rows": rows, "place": place, "n_each": n_each})
        return rows, place, {name: said for _, _, checks in found for name, said in checks.items()}

    def _write_parts(
        self,
        rows: NDArray[np.int64],
        place: NDArray[np.int64],
        n_each: NDArray[np.int64],
        bounds: NDArray[np.int64],
        n_words: int,
    ) -> dict[str, Any]:
        """Write the different documents, a range of their order to each part."""
        starts = np.concatenate([[0], np.cumsum(n_each)])
        is_first = np.zeros(len(place), np.bool_)
        is_first[rows] = True
        calls = []
        for i in range(self._n):
            here = slice(starts[i], starts[i + 1])
            local = np.flatnonzero(is_first[here])
            calls.append((self._reading, i, local, place[here][local], bounds))
        goals = [(self._reading, p, n_words) for p in range(len(bounds) - 1)]
        done = self._tasks.shuffle(split_file, calls, join_part, goals)
        checks = {}
        for p, said in enumerate(done):
            checks[part_name(p)] = said
            self._steps("writing parts", p + 1, len(goals))
        return checks

    def _find_copies(
        self, rows: NDArray[np.int64], place: NDArray[np.int64], n_each: NDArray[np.int64]
    ) -> None:
        """Find near copies as `find_originals` does: a band at a time, and texts where they are."""
        reading = self._reading

        def bands() -> Iterator[NDArray[np.uint32]]:
            n_bands = len(reading.store.read(keys_name(0))["keys"]) if self._n else 0
            for b in range(n_bands):
                keys = self._tasks.map(read_band, ((reading, i, b) for i in range(self._n)))
                yield np.concatenate(list(keys))[rows]
                self._steps("looking for copies", b + 1, n_bands)

        pairs = candidates(bands())
        calls = ((reading, n_each, rows[pairs[at : at + PAIRS]]) for at in range(0, len(pairs), PAIRS))
        alike = np.concatenate([np.zeros(0, np.bool_), *self._tasks.map(compare_texts, calls)])
        original = choose_originals(pairs[alike], len(rows))
        _, first, group = np.unique(original[place], return_index=True, return_inverse=True)
        reading.store.write(COPIES, {"original": original, "first": np.asarray(first[group], np.int64)})

    def _all(self, step: str, function: Callable[..., Any], calls: Any) -> Iterator[Any]:
        for done, found in enumerate(self._tasks.map(function, calls), start=1):
            self._steps(step, done, self._n)
            yield found


def repeated_names(hashes: Sequence[NDArray[np.uint64]]) -> list[NDArray[np.int64]]:
    """Find the documents of each file whose name an earlier file has; 0 is of one with its file's name."""
    ids, starts = np.concatenate(hashes), np.cumsum([0, *map(len, hashes)])
    file = np.repeat(np.arange(len(hashes), dtype=np.int32), np.diff(starts))
    order = np.argsort(ids, kind="stable")
    ids, file = ids[order], file[order]
    is_first = np.append(True, ids[1:] != ids[:-1])[: len(ids)]
    before = file[is_first][np.cumsum(is_first) - 1]  # the first file that has the name
    taken = np.sort(order[(file > before) & (ids != 0)])
    ends = np.searchsorted(taken, starts)
    return [taken[a:b] - start for a, b, start in zip(ends, ends[1:], starts, strict=False)]


def _first_table(reading: Reading) -> tuple[int, Record | None]:
    """Find the first file whose columns the later ones have, and its first record."""
    for i in range(len(reading.files)):
        try:
            record = next(reading.files.read(i, reading.options), None)
        except (CorpusError, MissingExtraError):
            continue
        if record is not None and record.text_name:
            return i, record
    return len(reading.files), None


def _columns(each: Sequence[Sequence[Any]]) -> Columns:
    """Return what all files together call what they have: the last one's names, and all fields."""
    id, title, text, _ = each[-1]
    fields = dict.fromkeys(name for one in each for name in one[-1])
    return Columns(id, title, text, tuple(fields))


def remove_steps(store: ArrayStore, n_files: int) -> None:
    """Remove what was written down on the way, once the index is whole."""
    store.remove(_REQUEST)  # first: without it nobody goes on with steps some of which are gone
    for i in range(n_files):
        for name in (f"read-{i:05d}", f"limited-{i:05d}", f"cut-{i:05d}", keys_name(i)):
            store.remove(name)
        for ending in ("json", "words"):
            store.remove(f"read-{i:05d}.{ending}")
