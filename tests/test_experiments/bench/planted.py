"""A planted corpus, a workbench that has it, and rows that note down every fit; workers can import them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.datasets.concepts import ExperimentConcept
from experiments.datasets.paper_corpora import Dataset
from experiments.harness.workbench import Workbench
from experiments.systems.answers import Answer
from qdtm.corpus import Corpus

THEMES = {
    "fire": ["smoke", "forest", "flame", "burn", "blaze", "crew", "hose", "ember"],
    "cricket": ["wicket", "bowler", "batsman", "century", "innings", "over", "captain", "pitch"],
    "election": ["vote", "minister", "parliament", "ballot", "party", "campaign", "seat", "poll"],
    "medicine": ["doctor", "patient", "drug", "hospital", "nurse", "disease", "clinic", "dose"],
}
COMMON = ["people", "time", "year", "day", "thing", "place"]
PER_THEME = 40


def planted_dataset(name: str = "searchsnippets") -> Dataset:
    """Forty documents a theme, of which every third names it; each has eight words, two of them common."""
    rng = np.random.default_rng(5)
    documents, labels = [], []
    for q, (theme, words) in enumerate(THEMES.items()):
        for j in range(PER_THEME):
            named = [theme] if j % 3 == 0 else []
            documents.append([*named, *rng.choice(words, 6), *rng.choice(COMMON, 2)])
            labels.append(q)
    concepts = tuple(
        ExperimentConcept(theme, "and", theme, tuple(words), theme.title()) for theme, words in THEMES.items()
    )
    return Dataset(name, Corpus.from_tokens(documents), np.array(labels), concepts)


class PlantedWorkbench(Workbench):
    """The planted corpus under any name."""

    def _dataset(self, name):
        return planted_dataset(name)


@dataclass(frozen=True)
class FakeRow:
    """Finds as many of a category's documents as its quality says; notes each fit in a file."""

    name: str
    notes: Path
    quality: float = 1.0
    at_once: bool = False
    stops_at: int | None = None

    @property
    def settings(self):
        return {"quality": self.quality}

    def answer(self, dataset, queries, seed, *, subtopics=False):
        if seed == self.stops_at:
            raise KeyboardInterrupt
        with self.notes.open("a") as file:
            file.write(f"{self.name} {seed} {','.join(map(str, queries))} {subtopics}\n")
        for q in queries:
            scores = (dataset.labels == q).astype(float)
            own = np.flatnonzero(scores)
            scores[own[round(self.quality * len(own)) :]] = -1.0
            topic = np.arange(dataset.corpus.n_words) / 100.0
            yield Answer((scores,), 2.0, topic, prevalence=0.5, n_background=7)


def fits(notes: Path) -> list[str]:
    """Return what was fitted so far."""
    return notes.read_text().splitlines() if notes.exists() else []
