"""What the paper reports: its tables as data, to be set beside ours.

Out: the rows of Table 1 (parent topics) and Table 3 (subtopics), and the words of Tables 2, 4, B1 and B2.
Models have the names that `python -m experiments` gives them; figures are means over five runs, as printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Metric = Literal[
    "accuracy",
    "coherence",
    "precision_at_k",
    "accuracy_own",
    "precision_at_k_own",
    "accuracy_mixed",
    "precision_at_k_mixed",
    "accuracy_all_features",
    "n_features",
    "diversity",
    "cohesion",
    "overall",
]
"""`_own` and `_mixed` are the two readings of a model, see `Outcome.own`: what it says itself, and, of a
count model, the mix of p(topic | word) over a document's words. Of a model that says more about a document
than a number for each concept and one for the rest, `accuracy_all_features` is by all that it says, and
`n_features` how many numbers that is; see `Outcome.all_features`."""


@dataclass(frozen=True)
class ParentRow:
    """A row of Table 1 for one corpus; None where the paper prints a dash."""

    model: str
    dataset: str
    accuracy: float | None
    coherence: float | None
    precision_at_k: float


@dataclass(frozen=True)
class SubtopicRow:
    """A row of Table 3 for one corpus."""

    model: str
    dataset: str
    diversity: float
    cohesion: float
    overall: float


@dataclass(frozen=True)
class PaperTopic:
    """A topic as printed: concept phrase, top ten words, and those of the subtopics (Table 4 only)."""

    phrase: str
    words: tuple[str, ...]
    subtopics: tuple[tuple[str, ...], ...] = ()


#: How the paper prints the models' names.
PRINTED_NAMES = {
    "lda": "LDA",
    "dflda": "DFLDA",
    "sclda": "SCLDA",
    "islda": "ISLDA",
    "bert": "BERT",
    "avitm": "AVITM",
    "htm": "HTM",
    "qdtm-fre": "Query-driven model (FRE)",
    "qdtm-rel": "Query-driven model (REL)",
    "qdtm-kld": "Query-driven model (KLD)",
    "qdtm-expert": "+ expert keywords",
    "qdtm-no-filtering": "− word filtering",
    "qdtm-no-promotion": "− GPU",
}

TABLE_1: tuple[ParentRow, ...] = (
    ParentRow("lda", "20news", 0.650, 0.420, 0.588),
    ParentRow("lda", "tagmynews", 0.781, 0.384, 0.687),
    ParentRow("lda", "searchsnippets", 0.804, 0.390, 0.696),
    ParentRow("dflda", "20news", 0.623, 0.421, 0.562),
    ParentRow("dflda", "tagmynews", 0.772, 0.386, 0.649),
    ParentRow("dflda", "searchsnippets", 0.795, 0.390, 0.644),
    ParentRow("sclda", "20news", 0.666, 0.402, 0.622),
    ParentRow("sclda", "tagmynews", 0.804, 0.418, 0.745),
    ParentRow("sclda", "searchsnippets", 0.816, 0.414, 0.796),
    ParentRow("islda", "20news", 0.680, 0.406, 0.645),
    ParentRow("islda", "tagmynews", 0.801, 0.411, 0.729),
    ParentRow("islda", "searchsnippets", 0.845, 0.421, 0.804),
    ParentRow("bert", "20news", None, None, 0.156),
    ParentRow("bert", "tagmynews", None, None, 0.300),
    ParentRow("bert", "searchsnippets", None, None, 0.261),
    ParentRow("avitm", "20news", 0.504, 0.494, 0.381),
    ParentRow("avitm", "tagmynews", 0.728, 0.482, 0.583),
    ParentRow("avitm", "searchsnippets", 0.678, 0.461, 0.596),
    ParentRow("qdtm-fre", "20news", 0.707, 0.433, 0.679),
    ParentRow("qdtm-fre", "tagmynews", 0.807, 0.429, 0.716),
    ParentRow("qdtm-fre", "searchsnippets", 0.858, 0.469, 0.807),
    ParentRow("qdtm-rel", "20news", 0.601, 0.452, 0.557),
    ParentRow("qdtm-rel", "tagmynews", 0.837, 0.444, 0.749),
    ParentRow("qdtm-rel", "searchsnippets", 0.851, 0.501, 0.780),
    ParentRow("qdtm-kld", "20news", 0.705, 0.435, 0.677),
    ParentRow("qdtm-kld", "tagmynews", 0.828, 0.414, 0.755),
    ParentRow("qdtm-kld", "searchsnippets", 0.860, 0.465, 0.811),
    ParentRow("qdtm-expert", "20news", 0.690, 0.430, 0.659),
    ParentRow("qdtm-expert", "tagmynews", 0.817, 0.493, 0.747),
    ParentRow("qdtm-expert", "searchsnippets", 0.864, 0.503, 0.841),
    ParentRow("qdtm-no-filtering", "20news", 0.706, 0.434, 0.678),
    ParentRow("qdtm-no-filtering", "tagmynews", 0.823, 0.413, 0.744),
    ParentRow("qdtm-no-filtering", "searchsnippets", 0.859, 0.432, 0.811),
    ParentRow("qdtm-no-promotion", "20news", 0.698, 0.400, 0.671),
    ParentRow("qdtm-no-promotion", "tagmynews", 0.818, 0.389, 0.730),
    ParentRow("qdtm-no-promotion", "searchsnippets", 0.849, 0.413, 0.808),
)

TABLE_3: tuple[SubtopicRow, ...] = (
    SubtopicRow("htm", "20news", 0.94, 0.54, 0.51),
    SubtopicRow("htm", "tagmynews", 0.93, 0.53, 0.49),
    SubtopicRow("htm", "searchsnippets", 0.86, 0.49, 0.42),
    SubtopicRow("qdtm-kld", "20news", 0.71, 0.79, 0.56),
    SubtopicRow("qdtm-kld", "tagmynews", 0.68, 0.79, 0.54),
    SubtopicRow("qdtm-kld", "searchsnippets", 0.74, 0.76, 0.56),
)


def published(model: str, dataset: str, metric: Metric) -> float | None:
    """Return the paper's figure, or None if it has none."""
    rows: tuple[ParentRow | SubtopicRow, ...] = (*TABLE_1, *TABLE_3)
    for row in rows:
        if (row.model, row.dataset) == (model, dataset) and hasattr(row, metric):
            figure: float | None = getattr(row, metric)
            return figure
    return None


def paper_topics(dataset: str) -> tuple[PaperTopic, ...]:
    """Return the parent topics that the paper prints for a corpus, in the order of its concepts."""
    return {"20news": TABLE_B1, "tagmynews": TABLE_2, "searchsnippets": TABLE_B2}[dataset]


def _topic(phrase: str, words: str, *subtopics: str) -> PaperTopic:
    """Write a topic down in a line or two."""
    return PaperTopic(phrase, tuple(words.split()), tuple(tuple(subtopic.split()) for subtopic in subtopics))


#: Parent topics of TagMyNews.
TABLE_2: tuple[PaperTopic, ...] = (
    _topic("business", "profit business bank sell usa sale credit price billion stock"),
    _topic("entertainment", "week show star theater pop time film tv sony wedding"),
    _topic("health", "disease health study care risk drug cancer insurance people usa"),
    _topic("technology", "google apple technology ipad china company online intel service network"),
    _topic("sport game", "game play playoff final boston win series scored season sport"),
)

#: Parent topics and subtopics of 20 Newsgroups; "business" is a query that the corpus seldom has.
TABLE_4: tuple[PaperTopic, ...] = (
    _topic(
        "atheism",
        "people question strong belief make god thing point religion lack",
        "moral system morality society nature objective human dream animal action",
        "people question thing make point god argument belief claim true",
        "science scientific theory result observation scientist experiment hypothesis methodology model",
    ),
    _topic(
        "for sale",
        "sell sale original sold interested included price offer box cd",
        "sale offer price sell original shipping box condition interested cd",
        "list interested send mail address post email original information call",
    ),
    _topic(
        "business",
        "3do government key phone technology company business chip encryption clipper",
        "company phone 3do technology business number system japanese computer make",
        "government clipper encryption chip system nsa phone people security key",
        "key chip algorithm number clipper encryption de escrow system secret",
    ),
)

#: Parent topics of 20 Newsgroups.
TABLE_B1: tuple[PaperTopic, ...] = (
    _topic("atheism", "people question thing god strong point make belief argument evidence"),
    _topic("computer graphics", "support file version image list graphic program information screen address"),
    _topic("pc hardware", "drive pc disk scsi software modem port hard controller system"),
    _topic("mac hardware", "card mac monitor apple system video problem write chip work"),
    _topic("for sale", "sell sale sold original interested included price offer box cd"),
    _topic("automobile", "car auto automobile engine ford problem mile v6 oil dealer"),
    _topic("motorcycles", "bike riding ride motorcycle rider battery buying dog back dod"),
    _topic("baseball", "run baseball game pitcher year hit player average team good"),
    _topic("hockey", "game hockey team nhl night goal player coach cup year"),
    _topic("encrypt", "key message chip encryption government clipper algorithm system phone encrypted"),
    _topic("electronics", "company power line led electronics electronic circuit output work signal"),
    _topic("medicine", "patient medical treatment doctor disease study clinical medicine food effect"),
    _topic("space", "space nasa shuttle launch satellite station moon 1st cost orbit"),
    _topic("christian", "god christ church christian love word bible jesus protestant truth"),
    _topic("guns", "gun control weapon child people police fire law handgun amendment"),
    _topic("middle east", "israel arab armenian jew israeli muslim people middle east war"),
)

#: Parent topics of SearchSnippets.
TABLE_B2: tuple[PaperTopic, ...] = (
    _topic("Business", "business management marketing trade service market law export job stock"),
    _topic("Computers", "computer computing software web application system programming apple memory chip"),
    _topic(
        "Culture Arts Entertainment",
        "art culture music american artist tradition history ancient museum band",
    ),
    _topic(
        "Education Science",
        "science education research scientific undergraduate biology journal school university fiction",
    ),
    _topic("Car Engineering", "car model engineering automobile engine wheel auto electrical product motor"),
    _topic("Health", "health disease care cancer public nutrition information medical gov drug"),
    _topic(
        "Politics Society", "political party democracy system military politics government conflict gov war"
    ),
    _topic("Sports", "football team soccer game sport hockey news tennis score player"),
)
