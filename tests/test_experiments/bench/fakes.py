"""A tiny data set, a workbench that has it, and systems that note down every fit; workers can import them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.datasets.concepts import ExperimentConcept
from experiments.datasets.paper_corpora import Dataset
from experiments.harness.workbench import Workbench
from experiments.metrics.coherence import count_texts
from experiments.systems.registry import Outcome, SubtopicGroup
from qdtm.corpus import Corpus

WORDS = ("fire", "smoke", "forest", "match", "wicket", "captain")
PHRASES = ("Business", "Computers")
N_DOCUMENTS = 24


def tiny_dataset(name: str = "searchsnippets") -> Dataset:
    """Half of the documents are about fire, half about cricket; they take turns."""
    documents = [list(WORDS[:3] if j % 2 == 0 else WORDS[3:]) for j in range(N_DOCUMENTS)]
    concepts = tuple(
        ExperimentConcept(query, "and", phrase, keywords, phrase)
        for query, phrase, keywords in zip(
            ("fire", "match"), PHRASES, (("smoke", "forest"), ("wicket", "captain")), strict=True
        )
    )
    return Dataset(name, Corpus.from_tokens(documents), np.arange(N_DOCUMENTS) % 2, concepts)


class TinyWorkbench(Workbench):
    """The tiny data set under any name."""

    def _dataset(self, name):
        return tiny_dataset(name)

    def _windows(self, name):
        return count_texts([WORDS[:3], WORDS[3:], WORDS], self.dataset(name).corpus.vocabulary)

    def _vectors(self, name):
        return np.eye(self.dataset(name).corpus.n_words, dtype=np.float32)


@dataclass(frozen=True)
class FakeSystem:
    """Ranks documents right, but for as many as its seed says; notes each fit in a file."""

    name: str
    notes: Path
    strength: float = 1.0

    @property
    def settings(self):
        return {"strength": self.strength}

    def fit(self, dataset, seed, *, subtopics=False):
        with self.notes.open("a") as file:
            file.write(f"{dataset.name} {self.name} {seed} {subtopics}\n")
        n_queries = len(dataset.concepts)
        shares = np.eye(2)[dataset.labels]  # (D, 2)
        shares[:seed] = 0.5
        topics = np.array([[3, 2, 1, 0, 0, 0], [0, 0, 0, 3, 2, 1]]) / 6
        group = SubtopicGroup(topics, np.array([0.5, 0.4]))
        return Outcome(
            shares[:, :n_queries], shares, topics[:n_queries], (group,) * n_queries if subtopics else None
        )


@dataclass(frozen=True)
class StoppedSystem(FakeSystem):
    """The user presses Ctrl-C in its second fit."""

    def fit(self, dataset, seed, *, subtopics=False):
        if seed == 1:
            raise KeyboardInterrupt
        return super().fit(dataset, seed, subtopics=subtopics)


def fits(notes: Path) -> list[str]:
    """Return what was fitted so far."""
    return notes.read_text().splitlines() if notes.exists() else []
