"""`QueryDrivenTopicModel`: the estimator. It validates and orchestrates, nothing else.

In: queries and a corpus. Out: topics, subtopics and documents, through the frozen `ModelFit`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from qdtm.adding import join_concepts
from qdtm.cluster.opening import open_engine
from qdtm.concepts import Concept, Query, as_queries
from qdtm.concepts.choosing import choose, evidence_of
from qdtm.corpus import Corpus, TextPipeline
from qdtm.corpus.distinct import DistinctCorpus
from qdtm.distributed.files import FileCorpus, gather_corpus
from qdtm.embeddings import embed_vocabulary, load_vectors
from qdtm.embeddings.encoder import encode_corpus
from qdtm.embeddings.vectors import WordVectors
from qdtm.errors import ParameterError
from qdtm.evidence.corpus_views import CorpusViews, views_of
from qdtm.going_deeper import GoesDeeper
from qdtm.memory import require_memory
from qdtm.placing import reserve
from qdtm.posing import Posed, freeze, judge, pose, with_relevance
from qdtm.recorded import OWN_OBJECTS, NotSaved, as_json, check_at_hand, from_json
from qdtm.results.arrangement import gather_fit, spread_fit
from qdtm.results.distributions import document_topics, topic_word_probabilities
from qdtm.results.documents import DocumentTable
from qdtm.results.fit import ModelFit
from qdtm.results.relevance import Relevance
from qdtm.results.result import Result
from qdtm.results.stability import Stability
from qdtm.results.topic import Topic
from qdtm.sampler.background import Background, background_of
from qdtm.sampler.chains import run_chains
from qdtm.sampler.checkpoint import Checkpoint
from qdtm.sampler.engines import Engine
from qdtm.sampler.exactness import check_countable
from qdtm.sampler.footprint import DIMENSIONS, ENCODED, fit_bytes_of
from qdtm.sampler.parents import ParentFit
from qdtm.sampler.progress import ProgressCallback
from qdtm.settings import Settings, check_settings
from qdtm.unfinished import Start, begin_checkpoint, its_corpus, take_up

RUNNING = ("progress", "n_jobs", "engine", "address", "worker_dir")
"""Parameters about how a fit is run: they do not change a byte of the result."""

NOT_RECORDED = ("queries", "pipeline", *RUNNING)
"""Parameters that are kept otherwise, or need not be."""


class QueryDrivenTopicModel(GoesDeeper, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
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
    progress : callable, optional
        Called with a `Progress` after each sweep.

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
        progress: ProgressCallback | None = None,
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

    # --- fitting -----------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, checkpoint: str | os.PathLike[str] | None = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Find the queries' topics in a corpus.

        Parameters
        ----------
        X : Corpus, FileCorpus, or anything that `Corpus.of` takes
            Texts, ready tokens, a DataFrame or an iterator. The files of a `FileCorpus` are read into one
            corpus in this process, whatever the engine is.
        y : ignored
        checkpoint : path, optional
            A folder, where a fit that takes long is written down now and then; `resume` goes on from there if
            it is killed. It is gone when the fit is done.
        """
        settings = self._settings()
        self._check_at_hand()
        queries = as_queries(self.queries)
        if isinstance(X, FileCorpus):
            X = gather_corpus(replace(X, pipeline=X.pipeline or self.pipeline))
        corpus = Corpus.of(X, pipeline=self.pipeline)
        if settings.engine == "threads":  # a cluster has memory of its own
            n_dimensions = 0 if self.embeddings is None else DIMENSIONS
            n_encoded = 0 if self.encoder is None else ENCODED
            needed = fit_bytes_of(corpus, len(queries), settings, n_dimensions, n_encoded)
            require_memory(needed, "The fit", "use fewer words (--max-words), documents or threads (--jobs)")
        posed = self._pose(_inside(corpus, settings), queries, settings)
        if checkpoint is None:
            return self._sample(corpus, posed, settings, None)
        start = Start(posed, self._parameters(), corpus.fingerprint, corpus.pipeline)
        with reserve(checkpoint):
            return self._sample(corpus, posed, settings, begin_checkpoint(checkpoint, start))

    @classmethod
    def resume(cls, checkpoint: str | os.PathLike[str], X: Any, **running: Any) -> Self:
        """Go on with a fit that was killed; it ends in the same bytes as if it had not been.

        Parameters
        ----------
        checkpoint : path
            The folder that `fit` was given.
        X : Corpus, FileCorpus, or anything that `Corpus.of` takes
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
            model = cls([concept.query for concept in start.posed.concepts], **known)
            return model._sample(corpus, start.posed, model._settings(), kept)

    def _sample(
        self, corpus: Corpus, posed: Posed, settings: Settings, checkpoint: Checkpoint | None
    ) -> Self:
        """Answer the question, and make the outcome this estimator's own."""
        inside = _inside(corpus, settings)
        with open_engine(settings) as engine:
            queries = [concept.query for concept in posed.concepts]
            views, query_vectors = self._views(inside, queries, posed.unit, settings, engine)
            evidence = posed.evidence or evidence_of(inside, posed.concepts, views, query_vectors)
            background = None if settings.start_as_paper else self._background(inside, settings, engine)
            problem = posed.problem(inside, settings, evidence, background)

            def judged(parents: ParentFit) -> NDArray[np.float32]:
                words = parents.word_topic.astype(np.float32)
                return judge(inside, evidence, views, query_vectors, parents.token_topics, words)

            chains = run_chains(
                problem,
                posed.names,
                settings,
                self.progress,
                engine=engine,
                checkpoint=checkpoint,
                judge=None if settings.start_as_paper else judged,
            )
        first = chains.first
        relevance = judged(first.parents) if first.relevance is None else first.relevance
        fit = freeze(inside, posed, chains, settings, self._parameters())
        self._adopt(spread_fit(with_relevance(fit, inside, evidence, relevance), inside, corpus), corpus)
        if checkpoint is not None:
            checkpoint.remove()
        return self

    def _pose(
        self,
        corpus: Corpus,
        queries: tuple[Query, ...],
        settings: Settings,
        *,
        rules: Sequence[str] = (),
        before: Sequence[Concept] = (),
    ) -> Posed:
        """Turn the queries into what the sampler is asked; all but the last may have concepts from before."""
        check_countable(corpus.word_counts, corpus.vocabulary)
        vectors = self._vectors(corpus, queries, settings)
        embedded = None if vectors is None else embed_vocabulary(vectors, corpus.vocabulary)
        unit = None if embedded is None else embedded.unit
        with open_engine(settings) as engine:
            views, query_vectors = self._views(corpus, queries, unit, settings, engine)
        chosen = choose(
            corpus,
            queries,
            views,
            expansion=self.expansion,
            rule=rules or self.rule,
            n_concept_words=self.n_concept_words,
            n_candidates=self.n_candidates,
            min_precision=settings.min_precision,
            vectors=vectors,
            query_vectors=query_vectors,
            refuse=settings.refuse,
        )
        concepts = join_concepts(before, chosen.concepts[-1]) if before else chosen.concepts
        return pose(corpus, concepts, embedded, settings, chosen.evidence)

    def _vectors(self, corpus: Corpus, queries: Sequence[Query], settings: Settings) -> WordVectors | None:
        """Load the word vectors, those of the queries' own words among them."""
        also = [word for query in queries for word in query.words.lower().split()]
        return load_vectors(self.embeddings, corpus, also=also, random_state=settings.seed)

    def _background(self, corpus: Corpus, settings: Settings, engine: Engine) -> Background:
        """The topics of the corpus before anything is asked of it."""
        return background_of(corpus, engine, n_topics=settings.n_background_topics, progress=self.progress)

    def _views(
        self,
        corpus: Corpus,
        queries: Sequence[Query],
        unit: NDArray[np.float32] | None,
        settings: Settings,
        engine: Engine,
    ) -> tuple[CorpusViews, NDArray[np.float32] | None]:
        """The views of the corpus, and what a sentence encoder makes of the queries, if there is one."""
        background = self._background(corpus, settings, engine)
        if self.encoder is None:
            return views_of(corpus, unit, background=background), None
        asked = [query.words for query in queries]
        encoded = encode_corpus(self.encoder, corpus, asked, self.progress, n_jobs=settings.n_jobs)
        views = views_of(
            corpus,
            unit,
            document_vectors=encoded.documents,
            reread=encoded.reread,
            background=background,
        )
        return views, encoded.queries

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

    def _inside(self) -> tuple[ModelFit, DistinctCorpus]:
        """The fit as it was found: of the documents in the order of their content."""
        inside = _inside(self.corpus_, self._settings())
        return gather_fit(self._fitted, inside, self.corpus_), inside

    def _adopt_inside(self, fit: ModelFit, inside: DistinctCorpus) -> None:
        """Make a fit of these documents this estimator's own."""
        self._adopt(spread_fit(fit, inside, self.corpus_), self.corpus_)

    def _adopt(self, fit: ModelFit, corpus: Corpus) -> None:
        """Make a fit this estimator's own."""
        self.fit_ = fit
        self.corpus_ = corpus
        self.n_features_in_ = len(fit.vocabulary)
        self.result_ = Result(fit, corpus)
        for name in ("components_", "doc_topic_"):
            self.__dict__.pop(name, None)

    def _adopt_result(self, result: Result) -> None:
        """Take a result that is shown otherwise, or opened deeper; its topics are the same."""
        self.fit_, self.result_ = result.fit, result

    # --- what was found ----------------------------------------------------------------------------------

    @property
    def concepts_(self) -> tuple[Concept, ...]:
        """The concept words of each query, with their evidence."""
        return self._fitted.concepts

    @cached_property
    def components_(self) -> NDArray[np.float64]:
        """Topic-word probabilities, (n_topics, n_words); rows sum to 1."""
        fit = self._fitted
        return topic_word_probabilities(fit.word_topic, fit.promoted_mass, fit.beta)

    @property
    def topics_(self) -> tuple[Topic, ...]:
        """The parent topic of each query, in order, with its subtopics."""
        return self._result.topics

    @property
    def background_topics_(self) -> tuple[Topic, ...]:
        """The topics of the rest of the corpus, largest first."""
        return self._result.background

    @property
    def stability_(self) -> Stability | None:
        """In how many runs each subtopic is found; None without subtopics."""
        return self._result.stability

    @cached_property
    def doc_topic_(self) -> NDArray[np.float64]:
        """Topic shares of the fitted documents, (n_docs, n_topics); rows sum to 1."""
        fit = self._fitted
        return document_topics(self.corpus_.document_term_matrix, fit.word_topic)

    @property
    def _fitted(self) -> ModelFit:
        check_is_fitted(self, "fit_")
        return self.fit_

    @property
    def _result(self) -> Result:
        check_is_fitted(self, "fit_")
        return self.result_

    @property
    def _n_features_out(self) -> int:
        return self._fitted.n_topics

    # --- documents ---------------------------------------------------------------------------------------

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """Fit, and return the topic shares of the documents, (n_docs, n_topics)."""
        return self.fit(X, y).doc_topic_.copy()

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Score new documents; words that the corpus does not have are ignored.

        Returns
        -------
        ndarray of shape (n_new, n_topics)
            Rows sum to 1; columns 0 to Q - 1 are the queries, in order.
        """
        fit = self._fitted
        return document_topics(self.corpus_.encode_counts(X), fit.word_topic)

    def documents(self, query: str | int = 0, n: int = 10, *, subtopic: str | None = None) -> DocumentTable:
        """List the documents most relevant to a query, or to one of its subtopics.

        Parameters
        ----------
        query : str or int
            A query's name, or its position.
        n : int
            How many documents.
        subtopic : str, optional
            A subtopic's id, such as "0.2": its documents only, by their share in it; or "0.2.1", if "0.2" was
            opened.
        """
        return self._result.documents(query, n, subtopic=subtopic)

    def relevance(self, query: str | int = 0) -> Relevance:
        """Say how likely each document is to be about a query, where to cut, and how many are about it.

        Parameters
        ----------
        query : str or int
            A query's name, or its position.

        Returns
        -------
        Relevance
            `scores` (D,) between 0 and 1, `cutoff`, `about`, `n_about` and `n_about_interval`.
        """
        return self._result.relevance(query)

    # --- storage -----------------------------------------------------------------------------------------

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        standalone: bool = False,
        all_documents: bool | None = None,
    ) -> None:
        """Save the model to a folder, with `topics.csv` and `documents.csv` beside.

        If the corpus was loaded from a folder (`Corpus.load`), the model refers to it.

        Parameters
        ----------
        path : path
        force : bool
            Replace a result that was saved there before.
        standalone : bool
            Copy the corpus in any case.
        all_documents : bool, optional
            Whether `documents.csv` has all documents, not only those that are about a query; by default as
            it was saved before, if it was.
        """
        self._result.save(path, force=force, standalone=standalone, all_documents=all_documents)

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
        model._adopt(fit, result.corpus)
        return model


def _inside(corpus: Corpus, settings: Settings) -> DistinctCorpus:
    """The documents as the model sees them; the paper counts every copy."""
    return corpus.by_content if settings.start_as_paper else corpus.distinct
