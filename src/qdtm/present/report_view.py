"""What a page about a result shows, in the order in which it is read. Plain text and numbers; no HTML.

In: nothing; these are made by `qdtm.present.report_builder`. Out: `ReportView`, which templates and the app
turn into elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qdtm.present.charts import LineChart, TopicMap
from qdtm.queries.check import QueryCheck
from qdtm.results.fit import Hidden
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.passages import Passage
from qdtm.results.relevance import Relevance
from qdtm.results.stability import QueryStability, Stability, SubtopicStability


@dataclass(frozen=True)
class WordBar:
    """A word and a bar. `width` is in percent of the longest bar beside it."""

    word: str
    probability: float
    width: float
    is_concept: bool


@dataclass(frozen=True)
class EvidenceView:
    """A sentence that supports a concept word, and the document it is from."""

    id: str
    title: str
    passage: Passage


@dataclass(frozen=True)
class ConceptWordView:
    """A concept word and why it is there."""

    word: str
    why: str
    score: float
    n_documents: int
    n_retrieved: int
    sentences: Sequence[EvidenceView]


@dataclass(frozen=True)
class CleanedWord:
    """What became of a word of the query."""

    word: str
    status: str
    n_documents: int
    note: str


@dataclass(frozen=True)
class DocumentView:
    """A document: how relevant, why, and the user's own columns.

    `index` is its row in the corpus, `subtopic` its deepest one, `branch` the query's own subtopic that it is
    part of; `color` is 0 without. `n_copies` are left out of the list, since it stands for them.
    """

    index: int
    id: str
    title: str
    relevance: float
    share: float
    subtopic: str | None
    branch: str | None
    subtopic_name: str
    color: int
    fields: Sequence[tuple[str, str]]
    passage: Passage
    n_copies: int = 0


@dataclass(frozen=True)
class SubtopicView:
    """A subtopic's card.

    `n_documents` are about the query and mainly in it (0 where only the topic is known); `of_parent` is
    its share of the words; `below` is what it opens into; without further runs, `stability` is None, and
    without dates `trend`; `merged` are the ids of what was merged into it by hand.
    """

    id: str
    name: str
    color: int
    of_parent: float
    words: Sequence[WordBar]
    documents: Sequence[DocumentView]
    n_documents: int = 0
    below: Sequence[SubtopicView] = ()
    stability: SubtopicStability | None = None
    trend: TrendView | None = None
    merged: Sequence[str] = ()


@dataclass(frozen=True)
class TrendView:
    """A topic over time; `said` is what the chart shows, in words."""

    id: str
    name: str
    color: int
    chart: LineChart
    said: str


@dataclass(frozen=True)
class GroupRow:
    """The documents of a group that are about a query, and mainly in each subtopic.

    `widest` is the largest share that the table has room for.
    """

    group: str
    n_documents: int
    about: int
    share: float
    low: float
    high: float
    widest: float
    subtopics: Sequence[int]


@dataclass(frozen=True)
class QueryView:
    """Everything about one query; `one_group` says so where it has no subtopics to show."""

    number: int
    name: str
    asked: str
    label: str | None
    details: Sequence[tuple[str, str]]
    cleaned: Sequence[CleanedWord]
    check: QueryCheck
    concept_words: Sequence[ConceptWordView]
    rejected: Sequence[tuple[str, str]]
    words: Sequence[WordBar]
    subtopics: Sequence[SubtopicView]
    smaller: Sequence[SubtopicView]
    rest: float
    map: TopicMap | None
    documents: Sequence[DocumentView]
    relevance: Relevance
    trend: TrendView | None
    groups: Sequence[GroupRow]
    stability: QueryStability | None = None
    hand_check: HandCheck | None = None
    hidden: Sequence[Hidden] = ()
    one_group: str = ""


@dataclass(frozen=True)
class ContrastSide:
    """One side of a contrast: the query, its words with the width of their bars, and its documents."""

    name: str
    words: Sequence[WordBar]
    n_documents: int


@dataclass(frozen=True)
class ContrastView:
    """Two queries held against each other."""

    sides: tuple[ContrastSide, ContrastSide]
    n_both: int
    overlap: float


@dataclass(frozen=True)
class BackgroundView:
    """A topic of the rest of the corpus."""

    id: str
    name: str
    prevalence: float
    words: Sequence[str]


@dataclass(frozen=True)
class PhaseView:
    """How a phase of the sampler went."""

    name: str
    ended: str
    n_sweeps: int
    n_samples: int
    chart: LineChart


@dataclass(frozen=True)
class ReportView:
    """The whole page."""

    title: str
    n_documents: int
    n_words: int
    n_tokens: int
    n_empty: int
    interrupted: bool
    queries: Sequence[QueryView]
    background: Sequence[BackgroundView]
    n_background: int
    background_share: float
    phases: Sequence[PhaseView]
    settings: Sequence[tuple[str, str]]
    methods: str
    citation: str
    bibtex: str
    notes: Sequence[str]
    time_column: str | None
    group_column: str | None
    stability: Stability | None = None
    contrasts: Sequence[ContrastView] = ()
