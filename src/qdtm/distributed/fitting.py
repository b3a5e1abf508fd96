"""`ClusterFit`: a `FileCorpus` and settings in; both phases run, and results are written, on a cluster.

The driver holds the vocabulary, the counts of words in topics and what is sent; never a document or a token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from qdtm.cluster.engine import RayEngine
from qdtm.corpus.corpus import Corpus
from qdtm.distributed.files import FileCorpus, list_files
from qdtm.distributed.ground import SpreadGround
from qdtm.distributed.ray_workers import RayWorkers
from qdtm.distributed.spreading import SpreadCorpus, spread_corpus
from qdtm.distributed.writing import write_results
from qdtm.results.fit import ModelFit
from qdtm.sampler.chains import Chains, run_chains
from qdtm.sampler.problem import ParentProblem
from qdtm.sampler.progress import ProgressCallback
from qdtm.settings import Settings


class ClusterFit:
    """A fit over files, while the cluster is open.

    Parameters
    ----------
    source : FileCorpus
    settings : Settings
        With the engine "ray".

    Attributes
    ----------
    corpus : SpreadCorpus
    """

    corpus: SpreadCorpus

    def __init__(self, source: FileCorpus, settings: Settings) -> None:
        self._source, self._settings = source, settings
        self._engine: RayEngine | None = None

    def __enter__(self) -> Self:
        settings = self._settings
        files = list_files(self._source.files)  # before a cluster is started
        self._engine = RayEngine(settings.address, n_workers=settings.n_jobs, worker_dir=settings.worker_dir)
        try:
            self.corpus = spread_corpus(self._source, RayWorkers(self._engine), files)
        except BaseException:
            self._engine.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._engine is not None:
            self._engine.close()

    @property
    def stand_in(self) -> Corpus:
        """The corpus without its documents."""
        return self.corpus.without_documents

    def run(
        self,
        problem: ParentProblem,
        reaches: Sequence[Any],
        names: Sequence[str],
        progress: ProgressCallback | None,
    ) -> Chains:
        """Run both phases, as often as there are chains."""
        engine, corpus = self._engine, self.corpus
        if engine is None:
            raise ValueError("the cluster is not open")

        def ground_of(settings: Settings) -> SpreadGround:
            return SpreadGround(problem, corpus, settings.seed, engine)

        return run_chains(
            problem, reaches, names, self._settings, progress, engine=engine, ground_of=ground_of
        )

    def finish(self, fit: ModelFit) -> ModelFit:
        """Let the workers write what became of the documents; return the fit that knows where."""
        words = [
            replace(concept, words=tuple(replace(word, documents=()) for word in concept.words))
            for concept in fit.concepts
        ]  # the documents that support a word are not here to be shown
        fit = replace(fit, concepts=tuple(words))
        return replace(fit, elsewhere=write_results(self.corpus, fit, self._source.results))
