"""`FittedModel`: what the estimator knows and shows once it is fitted. Each method hands the result on.

In: a `ModelFit` and its corpus. Out: topics, documents, tables, figures, explanations, files. Nothing is
worked out here; what shows a result is imported when it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from qdtm.corpus import Corpus
from qdtm.corpus.readers.records import distinct_names
from qdtm.queries import Concept
from qdtm.reprs import counted, quoted
from qdtm.results.corrections import BY_MODEL
from qdtm.results.distributions import document_topics, topic_word_probabilities
from qdtm.results.documents import DocumentTable, View
from qdtm.results.fit import ModelFit
from qdtm.results.relevance import Relevance
from qdtm.results.result import Result
from qdtm.results.stability import Stability
from qdtm.results.topics import Topic

if TYPE_CHECKING:
    from qdtm.present.formats import Format
    from qdtm.results.contrast import Contrast
    from qdtm.results.explain import Explanation
    from qdtm.results.hand_check import HandCheck
    from qdtm.results.trends import Trends


_N_SHOWN = 3  # queries in a repr


class FittedModel:
    """What can be asked of a fitted model."""

    def _adopt(self, result: Result) -> None:
        """Make a result this estimator's own."""
        self._show(result)
        self.corpus_ = result.corpus
        self.n_features_in_ = len(result.fit.vocabulary)
        for name in ("components_", "doc_topic_"):
            self.__dict__.pop(name, None)

    def _show(self, result: Result) -> None:
        """Take a result that is shown otherwise, or corrected; its topics are the same."""
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

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Name the columns of `transform`: the queries, then "background 1", ...; no two are alike."""
        fit = self._fitted
        queries = [concept.name for concept in fit.concepts]
        background = [f"background {k + 1}" for k in range(fit.n_topics - len(queries))]
        return np.asarray(distinct_names([*queries, *background]), dtype=object)

    def _found(self) -> str:
        """Say in a line how many documents are about each query, and how many subtopics it has."""
        n = self.corpus_.n_documents
        said = [
            f"{quoted(topic.name)}: {round(self.relevance(q).n_about):,} of {n:,} documents, "
            + counted(len(topic.subtopics), "subtopic")
            for q, topic in enumerate(self.topics_[:_N_SHOWN])
        ]
        n_more = len(self.topics_) - len(said)
        return "; ".join([*said, f"{n_more} more queries"] if n_more else said)

    # --- documents ---------------------------------------------------------------------------------------

    def documents(
        self,
        query: str | int = 0,
        n: int | None = 10,
        *,
        subtopic: str | None = None,
        view: View = "all",
    ) -> DocumentTable:
        """List the documents most relevant to a query, or to one of its subtopics.

        Parameters
        ----------
        query : str or int
            A query's name, or its position.
        n : int or None
            How many documents at most; None for all.
        subtopic : str, optional
            A subtopic's id, such as "0.2": its documents only, by their share in it; or "0.2.1", if "0.2" was
            opened.
        view : {"all", "about", "below", "named-out", "unnamed-in", "near"}
            Around the edge of a query: those about it; just below the cut-off, down to half of it; those that
            name it and are left out; those about it that do not name it; those near it.
        """
        return self._result.documents(query, n, subtopic=subtopic, view=view)

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

    # --- words and tables --------------------------------------------------------------------------------

    def get_topic(self, topic: str | int, n: int = 10) -> list[tuple[str, float]]:
        """Return the words of a topic ("0", "0.2", "b1") with their probabilities, best first."""
        return self._result.topic(topic).top_words(n)

    def get_topics(self, n: int = 10) -> dict[str, list[tuple[str, float]]]:
        """Return the words of all topics, subtopics among them, by id."""
        return {topic.id: topic.top_words(n) for topic in self._result.all_topics()}

    def get_topic_info(self, n_words: int = 10) -> Any:
        """Return a DataFrame with a row for each topic and subtopic; see `qdtm.results.tables.TOPICS`."""
        from qdtm.results.table_formats import table_frame
        from qdtm.results.tables import topics_table

        return table_frame(topics_table(self._result.fit, self._result.corpus, n_words))

    def get_document_info(self) -> Any:
        """Return a DataFrame with a row for each document and query; see `qdtm.results.tables.DOCUMENTS`."""
        from qdtm.results.table_formats import table_frame
        from qdtm.results.tables import documents_table

        return table_frame(documents_table(self._result.fit, self._result.corpus, all_documents=True))

    def get_representative_docs(self, topic: str | int | None = None, n: int = 3) -> dict[str, list[str]]:
        """Return the texts that are most about a topic or subtopic, or about each of them, by id."""
        from qdtm.results.representative import representative_documents

        found = representative_documents(self._result, None if topic is None else str(topic), n)
        return {id: [document.text for document in documents] for id, documents in found.items()}

    def explain(
        self, document: str | int, query: str | int | None = None, *, subtopic: str | None = None
    ) -> Explanation:
        """Say what became of each token of a document; see `qdtm.results.explain.explain_document`."""
        from qdtm.results.explain import explain_document

        return explain_document(self._result, document, query, subtopic=subtopic)

    # --- new documents -----------------------------------------------------------------------------------

    def relevance_of(self, X: Any, query: str | int = 0) -> Relevance:
        """Say how likely new documents are to be about a query; `transform` returns their topic shares.

        A document whose words are those of a fitted one has its relevance. Others are judged by their words:
        whether they name the query (in the reading that was chosen, if one was), and what their words weigh.
        An encoder is not asked. Words that the corpus does not have are ignored.

        Parameters
        ----------
        X : texts, or anything else that `Corpus.of` takes
        query : str or int

        Returns
        -------
        Relevance
            `scores` (n_new,), the `cutoff` of the fitted documents, and `about` by it.
        """
        result = self._result
        return result.relevance(query, Corpus.of(X, like=result.corpus))

    # --- what a person said ------------------------------------------------------------------------------

    def check(
        self, query: str | int = 0, n: int = 50, *, random_state: int = 0, fresh: bool = False
    ) -> HandCheck:
        """Draw a sample of documents to be looked at, or go on with the one that was begun.

        Answer with `check = check.answer(document, "yes")`, or "no", or "unsure"; `check.estimate()` says how
        good the relevance is, `next_round(check)` what to look at next, and `set_check(check)` makes the
        relevance learn. See `qdtm.results.hand_check`.

        Parameters
        ----------
        query : str or int
        n : int
            Documents of a new sample.
        random_state : int
        fresh : bool
            Draw a new sample even if one was begun.
        """
        from qdtm.results.hand_check.files import begin_check

        return begin_check(self._result, query, n, seed=random_state, fresh=fresh)

    def next_round(self, check: HandCheck, n: int = 20, *, recall: float | None = None) -> HandCheck:
        """Add documents to a check that would tell most, half of them by chance.

        Parameters
        ----------
        check : HandCheck
        n : int
            How many, about.
        recall : float, optional
            The share of the documents about the query that is to be found for certain, such as 0.95: read by
            relevance, then by chance, until `check.certificate().reaches(recall)`.
        """
        from qdtm.results.hand_check.rounds import next_round

        return next_round(self._result, check, n, recall=recall)

    def set_check(self, check: HandCheck) -> Self:
        """Take a person's answers in: relevance agrees with them from now on. Saved with the model."""
        self._show(self._result.with_check(check))
        return self

    def contrast(
        self, left: str | int, right: str | int, *, n_words: int = 15, n_documents: int = 5
    ) -> Contrast:
        """Say what one query has and another has not; see `qdtm.results.contrast.contrast_queries`."""
        from qdtm.results.contrast import contrast_queries

        return contrast_queries(self._result, left, right, n_words=n_words, n_documents=n_documents)

    # --- how it is shown ---------------------------------------------------------------------------------

    def set_topic_labels(self, labels: dict[str, str | None]) -> Self:
        """Name topics: `{"0.1": "the Ashes"}`. Saved with the model; None takes a name away."""
        self._show(self._result.with_labels(labels))
        return self

    def name_subtopics(self, server: str, model: str) -> Self:
        """Let a language model on this machine name the subtopics; see `qdtm.results.language_model_names`.

        Parameters
        ----------
        server : str
            The address of its chat interface, such as "http://127.0.0.1:11434/v1".
        model : str
            What the server calls the model. Names say that it gave them; your own names stay.
        """
        from qdtm.results.language_model_names import name_by_model

        names = dict(name_by_model(self._result, server, model))
        self._show(self._result.with_labels(names, by=BY_MODEL + model))
        return self

    def correct(self, kind: str, *values: str) -> Self:
        """Correct the result by hand, as `qdtm correct` does. Saved with the model, and can be undone.

        Parameters
        ----------
        kind : {"rename", "merge", "hide", "split", "drop-word", "undo", "redo"}
            What to do.
        *values : str
            To what: `correct("rename", "0.1", "the Ashes")`, `correct("merge", "0.1", "0.3")`,
            `correct("hide", "0.2")`, `correct("drop-word", "0.1", "line")`, `correct("undo")`.

        Raises
        ------
        QueryError, ParameterError
            If there is no such topic, or it cannot be done.
        """
        from qdtm.results.corrections import correct_result

        self._show(correct_result(self._result, kind, values))
        return self

    def set_columns(
        self,
        *,
        time_column: str | None = None,
        group_column: str | None = None,
        date_format: str | None = None,
    ) -> Self:
        """Say which of your columns has dates, and which has groups. Saved with the model."""
        result = self._result.with_columns(
            time_column=time_column, group_column=group_column, date_format=date_format
        )
        self._show(result)
        return self

    # --- time and groups ---------------------------------------------------------------------------------

    def topics_over_time(
        self,
        timestamps: str | Sequence[object] | None = None,
        bins: str | int = "auto",
        *,
        date_format: str | None = None,
    ) -> Trends:
        """Follow the topics through time; see `qdtm.results.trends.topics_over_time`."""
        from qdtm.results.trends import topics_over_time

        return topics_over_time(self._result, timestamps, bins, date_format=date_format)

    def topics_per_class(self, classes: str | Sequence[object] | None = None) -> Trends:
        """Compare the topics between groups; see `qdtm.results.trends.topics_per_class`."""
        from qdtm.results.trends import topics_per_class

        return topics_per_class(self._result, classes)

    # --- files -------------------------------------------------------------------------------------------

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

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the report, one HTML file; see `qdtm.present.report.write_report`."""
        from qdtm.present.report import write_report

        return write_report(self._result, path)

    def export(
        self,
        path: str | os.PathLike[str],
        format: Format = "csv",
        *,
        force: bool = False,
        all_documents: bool = False,
    ) -> Path:
        """Write it for other programs ("csv", "ris", ...); see `qdtm.present.export.export_result`."""
        from qdtm.present.export import export_result

        return export_result(self._result, path, format, force=force, all_documents=all_documents)

    def to_topicwizard(self) -> dict[str, Any]:
        """Return what topicwizard calls topic data; see `qdtm.present.export.to_topicwizard`."""
        from qdtm.present.export import to_topicwizard

        return to_topicwizard(self._result)

    def to_octis(self, n_words: int = 10) -> dict[str, Any]:
        """Return what OCTIS calls a model's output; see `qdtm.present.export.to_octis`."""
        from qdtm.present.export import to_octis

        return to_octis(self._result, n_words)

    # --- figures -----------------------------------------------------------------------------------------

    def visualize_barchart(self, query: str | int | None = None, n_words: int = 8) -> Any:
        """Draw the words of a query's topic and subtopics, or of all parents, as bars."""
        from qdtm.present.figures import barchart

        return barchart(self._result, query, n_words)

    def visualize_topics(self, query: str | int | None = None) -> Any:
        """Draw a map of a query's subtopics, or of all topics."""
        from qdtm.present.maps import topic_map

        return topic_map(self._result, query)

    def visualize_hierarchy(self, *, kind: str = "treemap") -> Any:
        """Draw parents and their subtopics by size, as a "treemap" or a "sunburst"."""
        from qdtm.present.figures import hierarchy

        return hierarchy(self._result, kind)

    def visualize_documents(self, query: str | int | None = None, n: int = 2_000) -> Any:
        """Draw at most `n` documents on a map, near the topics that they are about."""
        from qdtm.present.maps import document_map

        return document_map(self._result, query, n)

    def visualize_heatmap(self, query: str | int | None = None) -> Any:
        """Draw how much subtopics have in common."""
        from qdtm.present.maps import heatmap

        return heatmap(self._result, query)

    def visualize_contrast(self, left: str | int, right: str | int, n_words: int = 12) -> Any:
        """Draw the words that tell two queries apart."""
        from qdtm.present.figures import contrast

        return contrast(self._result, left, right, n_words)

    def visualize_topics_over_time(
        self, trends: Trends | str | Sequence[object] | None = None, query: str | int | None = None
    ) -> Any:
        """Draw topics over time, given `topics_over_time` or a column of dates."""
        from qdtm.present.figures import over_time
        from qdtm.results.trends import Trends

        return over_time(
            self._result, trends if isinstance(trends, Trends) else self.topics_over_time(trends), query
        )

    def visualize_topics_per_class(
        self, trends: Trends | str | Sequence[object] | None = None, query: str | int | None = None
    ) -> Any:
        """Draw topics by group, given `topics_per_class` or a column of groups."""
        from qdtm.present.figures import per_class
        from qdtm.results.trends import Trends

        return per_class(
            self._result, trends if isinstance(trends, Trends) else self.topics_per_class(trends), query
        )

    def visualize_convergence(self) -> Any:
        """Draw the likelihood over the sweeps of each phase."""
        from qdtm.present.figures import convergence

        return convergence(self._result)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Show the topics in a notebook once there are any, else the parameters."""
        bundle = {"text/plain": repr(self)}
        if "fit_" in self.__dict__:
            from qdtm.present.notebook import result_html

            bundle["text/html"] = result_html(self._result)
        return bundle
