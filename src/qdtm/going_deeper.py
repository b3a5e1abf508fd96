"""`GoesDeeper`: the estimator's methods that go on from what was fitted: deeper, wider, otherwise.

In: a fitted estimator. Out: the same with a subtopic opened or a query added, or what becomes of the answer
when it is asked for otherwise. The work is done by `drilling`, `adding` and `variants`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from qdtm.errors import QueryError
from qdtm.showing import ShowsResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qdtm.concepts import Concept, Query
    from qdtm.corpus import Corpus
    from qdtm.corpus.distinct import DistinctCorpus
    from qdtm.evidence.corpus_views import CorpusViews
    from qdtm.posing import Posed
    from qdtm.results.fit import ModelFit
    from qdtm.results.sensitivity import Sensitivity
    from qdtm.results.topic import Topic
    from qdtm.sampler.engines import Engine
    from qdtm.sampler.progress import ProgressCallback
    from qdtm.settings import Settings


class GoesDeeper(ShowsResult):
    """What can be done with a fitted model without fitting it anew."""

    queries: Any
    rule: str | Sequence[str]
    progress: ProgressCallback | None

    def _settings(self) -> Settings:
        raise NotImplementedError

    def _pose(
        self,
        corpus: Corpus,
        queries: tuple[Query, ...],
        settings: Settings,
        *,
        rules: Sequence[str] = (),
        before: Sequence[Concept] = (),
    ) -> Posed:
        raise NotImplementedError

    def _views(
        self,
        corpus: Corpus,
        queries: Sequence[Query],
        unit: NDArray[np.float32] | None,
        settings: Settings,
        engine: Engine,
    ) -> tuple[CorpusViews, NDArray[np.float32] | None]:
        raise NotImplementedError

    def _check_at_hand(self) -> None:
        raise NotImplementedError

    def _inside(self) -> tuple[ModelFit, DistinctCorpus]:
        raise NotImplementedError

    def _adopt_inside(self, fit: ModelFit, inside: DistinctCorpus) -> None:
        raise NotImplementedError

    def drill_down(self, subtopic: str) -> tuple[Topic, ...]:
        """Open a subtopic into its own subtopics, as phase 2 opens a topic; at any depth.

        They become part of the result: of `topics_`, of what is shown, and of what is saved. The outcome
        depends on nothing else that was opened.

        Parameters
        ----------
        subtopic : str
            Its id, such as "0.1", or "0.1.2" once "0.1" is open.

        Returns
        -------
        tuple of Topic
            The subtopics below it, largest first: "0.1.1", "0.1.2", ...

        Raises
        ------
        QueryError
            If there is no such subtopic, or it is too small to split.
        """
        from qdtm.drilling import open_subtopic

        fit, inside = self._inside()
        opened = open_subtopic(fit, inside, subtopic, self._settings(), self.progress)
        if opened is not fit:
            self._adopt_inside(opened, inside)
        return self._result.topic(subtopic).subtopics

    def add_query(self, query: Any) -> Topic:
        """Ask one more query, going on from what was fitted: several times faster than fitting anew.

        What was found before stays, but for what the new query takes; `docs/going-deeper.md` says how close
        the outcome is to that of fitting all queries at once.

        Parameters
        ----------
        query : str, Query or {"name": [words]}
            What to look for.

        Returns
        -------
        Topic
            Its parent topic, the last of `topics_`.

        Raises
        ------
        QueryError
            If it cannot be answered, or is there already.
        ParameterError
            If the model was loaded, and its word vectors or encoder must be given again.
        """
        from qdtm.adding import add_query
        from qdtm.cluster.opening import open_engine
        from qdtm.concepts import as_queries
        from qdtm.posing import judge, with_relevance

        self._check_at_hand()
        fit, inside = self._inside()
        settings = self._settings()
        if fit.threshold is not None:  # as before, and known
            settings = replace(settings, similarity_threshold=fit.threshold)
        queries = as_queries([*(concept.query for concept in fit.concepts), *as_queries(query)])
        if len(queries) != fit.n_queries + 1:
            raise QueryError(f"There are {len(queries) - fit.n_queries} queries to add; add one at a time.")
        rule = self.rule if isinstance(self.rule, str) else "and"
        rules = [*(concept.rule for concept in fit.concepts), rule]
        posed = self._pose(inside, queries, settings, rules=rules, before=fit.concepts)
        with open_engine(settings) as engine:
            views, query_vectors = self._views(inside, queries, posed.unit, settings, engine)
        more, relevance = add_query(
            fit,
            inside,
            posed,
            posed.evidence,
            settings,
            partial(judge, inside, posed.evidence, views, query_vectors),
            self.progress,
        )
        self._adopt_inside(with_relevance(more, inside, posed.evidence, relevance), inside)
        self.queries, self.rule = list(queries), self.rule if isinstance(self.rule, str) else rules
        return self._result.topics[-1]

    def compare(
        self,
        *others: Any,
        query: str | int = 0,
        also: Sequence[str] = (),
        extractors: Sequence[str] = (),
        rules: Sequence[str] = (),
        seeds: int = 0,
    ) -> Sensitivity:
        """Say what becomes of a query's subtopics when it is asked for otherwise.

        The model is fitted again on the same corpus for each other way, with one thing changed at a time.

        Parameters
        ----------
        *others : QueryDrivenTopicModel or Result
            Fitted already.
        query : str or int
            Which query.
        also : sequence of str
            Other words for it.
        extractors : sequence of {"kld", "fre", "rel", "none"}
        rules : sequence of {"and", "or"}
        seeds : int
            How many other seeds.

        Returns
        -------
        Sensitivity
            Which subtopics stay, split, merge or vanish, and the documents gained and lost.
        """
        from qdtm.variants import Ways, compare_models

        model: Any = self  # the whole estimator
        return compare_models(model, others, query, Ways(tuple(also), tuple(extractors), tuple(rules), seeds))
