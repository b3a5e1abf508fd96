"""`QueryDrivenTopicModel`: the estimator. It validates and orchestrates, nothing else.

In: queries and a corpus. Out: topics, subtopics and documents, through the frozen `ModelFit`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from qdtm.corpus import Corpus, TextPipeline
from qdtm.errors import ParameterError
from qdtm.fit_memory import DIMENSIONS, ENCODED, fit_bytes_of
from qdtm.fitted import FittedModel
from qdtm.fitting import PreparedQueries, corpus_inside, fit_prepared, prepare_queries
from qdtm.memory import require_memory
from qdtm.progress import ProgressCallback, shown_progress
from qdtm.queries import as_queries
from qdtm.recorded import OWN_OBJECTS, NotSaved, as_json, check_at_hand, from_json
from qdtm.reprs import on_screen, quoted
from qdtm.results.corrections import going_on, open_as_recorded
from qdtm.results.distributions import document_topics
from qdtm.results.fit import gather_fit, spread_fit
from qdtm.results.hand_check.hand_check import carry
from qdtm.results.result import Result
from qdtm.results.topics import Topic
from qdtm.sampler.checkpoint import Checkpoint
from qdtm.sampler.engines import Engine, open_engine
from qdtm.settings import Settings, check_settings
from qdtm.storage.atomic import reserve

if TYPE_CHECKING:
    from qdtm.results.comparison import Sensitivity

RUNNING = ("progress", "n_jobs", "engine", "address", "worker_dir")
"""Parameters about how a fit is run: they do not change a byte of the result."""

NOT_RECORDED = ("queries", "pipeline", *RUNNING)
"""Parameters that are kept otherwise, or need not be."""


class QueryDrivenTopicModel(FittedModel, TransformerMixin, BaseEstimator):
    """Find what a corpus says about your queries: a parent topic for each, and its subtopics.

    Parameters
    ----------
    queries : str, or sequence of str, Query or {"name": [words]}, or {"name": [words], ...}
        What to look for. A string is expanded to concept words; a list of words is taken as it is.
    expansion : {"kld", "fre", "rel"} or None
        How a query's text becomes concept words: by divergence from the corpus, by frequency, by a relevance
        model with word vectors, or not at all.
    rule : {"and", "or"}, or one for each query
        Whether a document must have all words of a query to be retrieved, or any.
    refuse : bool
        Whether a query is refused that documents only mention, or that has a word which no document has; else
        it is answered as well as can be.
    n_concept_words : int
        Words that expansion adds to a query's own.
    n_candidates : int
        Words that each query proposes; a word that two queries propose belongs to neither.
    min_precision : "auto" or float
        How much of a proposed word's documents must be about the query, 0 to 1. "auto" is 0 (as published) if
        the queries cover the corpus together or the preset is the paper's, else 0.5.
    embeddings : str, path, KeyedVectors, mapping or None
        Word vectors: "glove" (bundled, English), "corpus" (learned from your documents), a file, a gensim
        model; "auto" takes "glove" for English, else "corpus"; None does without. Vectors in memory are not
        saved: give them again (`set_params`) before a loaded model is asked more.
    encoder : str, path or callable, optional
        A sentence encoder for a second look at the documents (extra `encoder`): "minilm", a folder with a
        model, a name of sentence-transformers where that is installed, or a function from texts to vectors.
        What it makes of documents and queries is one more view of the evidence, beside words and word
        vectors. A function is not saved, as vectors in memory are not.
    similarity_threshold : "auto" or float
        The cosine above which words are related; "auto" picks it from the vectors.
    promotion_weight : float
        What a word adds to its related concept words, 0 <= u < 1; 0 promotes nothing.
    word_filtering : bool
        Whether weak ties promote less often (eq. 17-18).
    alpha, beta, gamma : float
        Priors of the Hierarchical Dirichlet Process.
    n_background_topics : "auto" or int
        Topics that the rest of the corpus starts with; more are opened or closed as the model finds fit.
    preset : {"default", "paper"}
        "paper" starts and runs as the paper does; it needs queries that cover the corpus together.
    min_sweeps, max_sweeps : int, optional
        Bounds on the sweeps of each phase; by default 100 and 300 (2,000 with the paper's preset), 30 and 60
        for queries that join the background; down to half as many where there is much to sweep.
    subtopics : bool
        Whether to split the parent topics.
    min_prevalence : float
        Subtopics below this share of the corpus are dropped, unless they are a hundredth of their parent
        topic or more (with the paper's preset, whatever they are).
    pipeline : TextPipeline, optional
        From text to words, where `fit` is given texts.
    n_chains : int
        Independent runs of everything. The first is the one shown; the others say how firm it is, in place
        of the chains of its split (`stability_`).
    random_state : int
        The same seed gives the same result, on the same machine with the same packages.
    n_jobs : int, optional
        Threads, or workers of a cluster; the result does not depend on it. By default all cores, or all
        workers.
    engine : {"threads", "ray"}
        Where to sweep: in this process, or on a Ray cluster (extra `ray`). The result does not depend on it.
    address : str, optional
        Of the Ray cluster; by default one is started on this machine alone.
    worker_dir : path, optional
        Where a cluster's workers keep their part, so that one that dies can be started again: a folder that
        all machines share, or a URL for fsspec. By default each machine's own disk.
    progress : "auto", callable or None
        "auto" shows how far a fit is in a notebook and on a terminal, and nothing elsewhere; None shows
        nothing. A function is called with a `Progress` after each sweep.

    Attributes
    ----------
    fit_ : ModelFit
        The whole outcome, as numbers.
    result_ : Result
        The same with its corpus: what the report, the figures and the exports are made of.
    corpus_ : Corpus
    concepts_ : tuple of Concept
    topics_ : tuple of Topic
        The parent topic of each query, in order; `topics_[0].subtopics` are its subtopics.
    background_topics_ : tuple of Topic
    stability_ : Stability or None
        In how many runs each subtopic is found; None without subtopics.
    components_ : ndarray of shape (n_topics, n_words)
        Topic-word probabilities.
    n_features_in_ : int
        The size of the vocabulary.

    Examples
    --------
    >>> from qdtm import QueryDrivenTopicModel
    >>> from qdtm.corpus import load_demo_corpus
    >>> model = QueryDrivenTopicModel("cricket", max_sweeps=30)
    >>> theta = model.fit_transform(load_demo_corpus())
    >>> model.topics_[0].name
    'cricket'
    """

    def __init__(
        self,
        queries: Any,
        *,
        expansion: str | None = "kld",
        rule: str | Sequence[str] = "and",
        refuse: bool = True,
        n_concept_words: int = 10,
        n_candidates: int = 100,
        min_precision: str | float = "auto",
        embeddings: Any = "auto",
        encoder: Any = None,
        similarity_threshold: str | float = "auto",
        promotion_weight: float = 0.3,
        word_filtering: bool = True,
        alpha: float = 1.0,
        beta: float = 0.5,
        gamma: float = 1.5,
        n_background_topics: str | int = "auto",
        preset: str = "default",
        min_sweeps: int | None = None,
        max_sweeps: int | None = None,
        subtopics: bool = True,
        min_prevalence: float = 0.005,
        pipeline: TextPipeline | None = None,
        n_chains: int = 1,
        random_state: int = 0,
        n_jobs: int | None = None,
        engine: str = "threads",
        address: str | None = None,
        worker_dir: str | os.PathLike[str] | None = None,
        progress: str | ProgressCallback | None = "auto",
    ) -> None:
        self.queries = queries
        self.expansion = expansion
        self.rule = rule
        self.refuse = refuse
        self.n_concept_words = n_concept_words
        self.n_candidates = n_candidates
        self.min_precision = min_precision
        self.embeddings = embeddings
        self.encoder = encoder
        self.similarity_threshold = similarity_threshold
        self.promotion_weight = promotion_weight
        self.word_filtering = word_filtering
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.n_background_topics = n_background_topics
        self.preset = preset
        self.min_sweeps = min_sweeps
        self.max_sweeps = max_sweeps
        self.subtopics = subtopics
        self.min_prevalence = min_prevalence
        self.pipeline = pipeline
        self.n_chains = n_chains
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.engine = engine
        self.address = address
        self.worker_dir = worker_dir
        self.progress = progress

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        if "fit_" in self.__dict__:
            return f"{type(self).__name__}({self._found()})"
        defaults = signature(type(self)).parameters
        given = [
            f"{name}={quoted(value)}"
            for name, value in self.get_params(deep=False).items()
            if name != "queries" and repr(value) != repr(defaults[name].default)
        ]
        return on_screen(f"{type(self).__name__}({', '.join([quoted(self.queries), *given])})")

    # --- fitting -----------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, checkpoint: str | os.PathLike[str] | None = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Find the queries' topics in a corpus.

        Parameters
        ----------
        X : Corpus, or anything that `Corpus.of` takes
            Texts, ready tokens, a DataFrame, an iterator, or the paths of files, which are read into one
            corpus in this process, whatever the engine is.
        y : ignored
        checkpoint : path, optional
            A folder, where a fit that takes long is written down now and then; `resume` goes on from there if
            it is killed. It is gone when the fit is done.
        """
        settings = self._settings()
        self._check_at_hand()
        queries = as_queries(self.queries)
        corpus = Corpus.of(X, pipeline=self.pipeline)
        if settings.engine == "threads":  # a cluster has memory of its own
            n_dimensions = 0 if self.embeddings is None else DIMENSIONS
            n_encoded = 0 if self.encoder is None else ENCODED
            needed = fit_bytes_of(corpus, len(queries), settings, n_dimensions, n_encoded)
            require_memory(needed, "The fit", "use fewer words (--max-words), documents or threads (--jobs)")
        with shown_progress(self.progress) as progress, open_engine(settings) as engine:
            inside = corpus_inside(corpus, settings)
            prepared = prepare_queries(inside, queries, settings, engine, progress)
            if checkpoint is None:
                return self._fit_prepared(corpus, prepared, settings, engine, None, progress)
            from qdtm.resume import Start, begin_checkpoint

            start = Start(prepared, self._parameters(), corpus.fingerprint, corpus.pipeline)
            with reserve(checkpoint):
                kept = begin_checkpoint(checkpoint, start)
                return self._fit_prepared(corpus, prepared, settings, engine, kept, progress)

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """Fit, and return the topic shares of the documents, (n_docs, n_topics)."""
        return self.fit(X, y).doc_topic_.copy()

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the topic shares of new documents.

        How likely they are to be about a query says `relevance_of`. Words that the corpus does not have are
        ignored. The fitted documents get `doc_topic_`.

        Returns
        -------
        ndarray of shape (n_new, n_topics)
            Rows sum to 1; columns 0 to Q - 1 are the queries, in order.
        """
        fit = self._fitted
        return document_topics(self.corpus_.encode_counts(X), fit.word_topic)

    @classmethod
    def resume(cls, checkpoint: str | os.PathLike[str], X: Any, **running: Any) -> Self:
        """Go on with a fit that was killed; it ends in the same bytes as if it had not been.

        Parameters
        ----------
        checkpoint : path
            The folder that `fit` was given.
        X : Corpus, or anything that `Corpus.of` takes
            The same corpus.
        **running
            How to run it: `n_jobs`, `engine`, `address`, `worker_dir` and `progress`, as at construction; and
            `embeddings` or `encoder` again where they were no name but an object, which cannot be kept.

        Raises
        ------
        ParameterError
            If an encoder has to be given again, or anything else is given.
        StorageError
            If nothing was written down there yet, it is damaged, or the corpus is another.
        """
        from qdtm.resume import its_corpus, take_up

        with reserve(checkpoint):
            start, kept = take_up(checkpoint)
            known = {name: from_json(value) for name, value in start.parameters.items()}
            free = (*RUNNING, *(name for name, value in known.items() if isinstance(value, NotSaved)))
            unknown = sorted(set(running) - set(free))
            if unknown:
                raise ParameterError(f"{unknown[0]} cannot change on the way; give only {', '.join(free)}.")
            known |= running
            check_at_hand(known, ["encoder"], "resume(..., {}=...)")  # word vectors were kept
            corpus = its_corpus(start, checkpoint, X)
            model = cls([concept.query for concept in start.prepared.concepts], **known)
            settings = model._settings()
            with shown_progress(model.progress) as progress, open_engine(settings) as engine:
                return model._fit_prepared(corpus, start.prepared, settings, engine, kept, progress)

    def _fit_prepared(
        self,
        corpus: Corpus,
        prepared: PreparedQueries,
        settings: Settings,
        engine: Engine,
        checkpoint: Checkpoint | None,
        progress: ProgressCallback | None,
    ) -> Self:
        """Fit, and make the outcome this estimator's own."""
        inside = corpus_inside(corpus, settings)
        fit = fit_prepared(inside, prepared, settings, self._parameters(), engine, progress, checkpoint)
        self._adopt(Result(spread_fit(fit, inside, corpus), corpus))
        if checkpoint is not None:
            checkpoint.remove()
        return self

    def _parameters(self) -> dict[str, Any]:
        """The parameters as JSON values, for the record; queries are recorded with their concepts."""
        parameters = self.get_params(deep=False).items()
        return {name: as_json(value) for name, value in parameters if name not in NOT_RECORDED}

    def _settings(self) -> Settings:
        """The parameters, checked and completed."""
        return check_settings(self.get_params(deep=False))

    def _check_at_hand(self) -> None:
        """Refuse to fit a loaded model whose word vectors or encoder were objects, until they are given."""
        check_at_hand(self.get_params(deep=False), OWN_OBJECTS, "model.set_params({}=...)")

    # --- going on from a fit -----------------------------------------------------------------------------

    def drill_down(self, subtopic: str) -> tuple[Topic, ...]:
        """Open a subtopic into its own subtopics, as phase 2 opens a topic; at any depth.

        They become part of the result: of `topics_`, of what is shown, and of what is saved. The outcome
        depends on nothing else that was opened. It is a correction like others, and `correct("undo")` closes
        it.

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
        result = self._result
        if not any(split.of == subtopic for split in result.fit.splits):
            settings = self._settings()
            with shown_progress(self.progress) as progress:
                opener = partial(open_as_recorded, settings=settings, progress=progress)
                self._show(result.split(subtopic, opener=opener))
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
        from qdtm.add_query import add_query

        self._check_at_hand()
        settings = self._settings()
        inside = corpus_inside(self.corpus_, settings)
        rule = self.rule if isinstance(self.rule, str) else "and"
        found, history = going_on(self._result)
        fit = gather_fit(found, inside, self.corpus_)
        with shown_progress(self.progress) as progress:
            more = add_query(fit, inside, query, rule, settings, progress)
        self._adopt(Result(spread_fit(more, inside, self.corpus_), self.corpus_).with_history(history))
        self.queries = [concept.query for concept in more.concepts]
        if not isinstance(self.rule, str):
            self.rule = [concept.rule for concept in more.concepts]
        return self._result.topics[-1]

    def refit(self) -> Self:
        """Fit the topics anew, with what people said of documents in `set_check`.

        What the answers taught takes the place of the evidence where topics begin and how much each document
        is drawn to them. The answers are carried over, corrections of topics are not. Precision, recall and
        count are of another list now, and need a new sample: `check(query)` draws one.

        Raises
        ------
        ParameterError
            If nobody has answered anything, or what the model needs must be given again.
        """
        before, settings = self._result, self._settings()
        answered = [check for check in before.fit.checks if check.answers]
        if not answered:
            raise ParameterError("There are no answers to fit with; give some with check() and set_check().")
        self._check_at_hand()
        inside, concepts = corpus_inside(self.corpus_, settings), before.fit.concepts
        queries, rules = [each.query for each in concepts], [each.rule for each in concepts]
        with shown_progress(self.progress) as progress, open_engine(settings) as engine:
            prepared = prepare_queries(inside, queries, settings, engine, progress, rules=rules)
            taught = replace(prepared, evidence=before.query_evidence(prepared.evidence, inside))
            self._fit_prepared(self.corpus_, taught, settings, engine, None, progress)
        for check in answered:
            self.set_check(carry(check, self._result))
        return self

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

        return compare_models(self, others, query, Ways(tuple(also), tuple(extractors), tuple(rules), seeds))

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, corpus: Corpus | str | os.PathLike[str] | None = None
    ) -> Self:
        """Load a saved model. Nothing in the folder is run.

        Parameters
        ----------
        path : path
        corpus : Corpus or path, optional
            The corpus that it refers to, where that is no longer found.
        """
        return cls.of(Result.load(path, corpus=corpus))

    @classmethod
    def of(cls, result: Result) -> Self:
        """Return the fitted model that a result is from."""
        fit, names = result.fit, cls._get_param_names()
        known = {name: from_json(value) for name, value in fit.parameters.items() if name in names}
        model = cls([concept.query for concept in fit.concepts], **known)
        model._adopt(result)
        return model
