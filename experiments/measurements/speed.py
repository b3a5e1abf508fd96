"""How fast a sweep is: ours and other samplers, side by side.

In: the authors' 20 Newsgroups bags. Out: `Speed` rows, tokens per second. First samplers of the Hierarchical
Dirichlet Process, which have the paper's priors and about as many topics as there are queries; then samplers
of LDA, on one thread, with K = concepts + 1 and alpha = beta = 1/K, so that tomotopy's does the same work.

Timings are interleaved, so that what else the machine does slows all of them; the best time of each counts. A
peer that is not installed is left out, and named.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any, Literal

import click
import numpy as np

from experiments.baselines.constrained import DFLDA, ISLDA, SCLDA, ConstrainedChain
from experiments.baselines.tomotopy_models import add_documents
from experiments.datasets.authors import AuthorsBags, load_authors_bags
from experiments.harness.report import Table, page
from qdtm.cli.console import notes_console, print_json, print_note, print_page
from qdtm.cli.options import output_options
from qdtm.corpus import Corpus
from qdtm.embeddings import embed_vocabulary, promotion_graph, similarity_threshold
from qdtm.embeddings.loading import bundled_vectors
from qdtm.sampler.engines import Threads
from qdtm.sampler.initialise import start_as_paper
from qdtm.sampler.parents import word_filter
from qdtm.sampler.problem import ParentProblem, Priors

DATASET = "20news"
PRIORS = Priors(alpha=1.0, beta=0.5, gamma=1.5)
PROMOTION_WEIGHT = 0.3

OURS, TOMOTOPY, TOPICA, GENSIM = "qdtm", "tomotopy-hdp", "topica-hdp", "gensim-hdp"
PEERS = {TOMOTOPY: "tomotopy", TOPICA: "topica", GENSIM: "gensim"}
"""Which package each peer comes from."""

Kind = Literal["hdp", "lda"]
"""What a contestant samples; only those of one kind do the same work."""

GENSIM_SHARE = 8
"""The slowest peer reads one document in so many."""


@dataclass(frozen=True)
class Speed:
    """What was measured of one contestant: tokens swept over in a second."""

    name: str
    threads: int
    promotion: bool
    tokens_per_second: float
    kind: Kind = "hdp"


@dataclass(frozen=True)
class Contestant:
    """A sampler that has been started.

    Parameters
    ----------
    name : str
    threads : int
    promotion : bool
    n_tokens : int
        What one sweep goes over.
    seconds : callable
        Takes a number of sweeps, runs them and returns how long they took.
    kind : {"hdp", "lda"}
    """

    name: str
    threads: int
    promotion: bool
    n_tokens: int
    seconds: Callable[[int], float]
    kind: Kind = "hdp"


def contestants(bags: AuthorsBags, threads: Sequence[int] = (1, 2)) -> list[Contestant]:
    """Start everybody who is installed."""
    made = [ours(bags, n, promotion=promotion) for promotion in (False, True) for n in threads]
    if find_spec("tomotopy"):
        made += [tomotopy_hdp(bags, n) for n in threads]
    if find_spec("topica"):
        made.append(topica_hdp(bags))
    if find_spec("gensim"):
        made.append(gensim_hdp(bags))
    return made


def missing_peers() -> list[str]:
    """Name the packages of peers that are not installed."""
    return [package for package in PEERS.values() if find_spec(package) is None]


def race(
    entrants: Sequence[Contestant], *, warm_up: int = 20, sweeps: int = 3, repeats: int = 7
) -> list[Speed]:
    """Time all in turn, after some sweeps that compile kernels and leave the start behind."""
    for contestant in entrants:
        contestant.seconds(warm_up)
    best = [float("inf")] * len(entrants)
    for _ in range(repeats):
        best = [min(was, c.seconds(sweeps) / sweeps) for was, c in zip(best, entrants, strict=True)]
    return [
        Speed(c.name, c.threads, c.promotion, c.n_tokens / seconds, c.kind)
        for c, seconds in zip(entrants, best, strict=True)
    ]


def ours(bags: AuthorsBags, threads: int, *, promotion: bool) -> Contestant:
    """Phase 1 with all queries, from the paper's start; promotion is filtered, on real vectors."""
    problem = speed_problem(bags, promotion=promotion)
    chain, refresh = start_as_paper(problem, 0, Threads(threads)), word_filter(problem)

    def sweep() -> None:
        if refresh is not None:
            refresh(chain)
        chain.step()

    return Contestant(OURS, threads, promotion, len(chain.assignment.tokens), _timed(sweep))


def speed_problem(bags: AuthorsBags, *, promotion: bool) -> ParentProblem:
    """Pose the paper's experiment on the bags."""
    words, n_words = list(bags.concept_words), len(bags.vocabulary)
    vectors = embed_vocabulary(bundled_vectors(), bags.vocabulary) if promotion else None
    threshold = 1.0 if vectors is None else similarity_threshold(vectors)
    return ParentProblem(
        tokens=bags.tokens,
        offsets=bags.offsets,
        n_words=n_words,
        concept_words=words,
        graph=promotion_graph(vectors, words, threshold, n_words=n_words),
        unit=None if vectors is None else vectors.unit,
        promotion_weight=PROMOTION_WEIGHT if promotion else 0.0,
        priors=PRIORS,
        evidence=np.ones((len(bags.offsets) - 1, len(words)), np.float32),
    )


def tomotopy_hdp(bags: AuthorsBags, threads: int) -> Contestant:
    """The HDPModel of tomotopy (C++), its priors kept where they are."""
    import tomotopy

    priors: dict[str, Any] = {"alpha": PRIORS.alpha, "eta": PRIORS.beta, "gamma": PRIORS.gamma}
    model = tomotopy.HDPModel(initial_k=len(bags.concepts) + 1, seed=0, **priors)
    model.optim_interval = 0
    for words in _documents(bags):
        model.add_doc(words)

    def sweep() -> None:
        with warnings.catch_warnings():  # several workers are not deterministic: it says so each time
            warnings.simplefilter("ignore", RuntimeWarning)
            model.train(1, workers=threads)

    return Contestant(TOMOTOPY, threads, False, len(bags.tokens), _timed(sweep))


def topica_hdp(bags: AuthorsBags) -> Contestant:
    """The HDP of topica (Rust), on one thread. Each fit starts anew, so a difference is timed."""
    import topica

    documents = _documents(bags)
    options: dict[str, Any] = {"keep_theta_draws": False}

    def fit(sweeps: int) -> float:
        model = topica.HDP(
            alpha=PRIORS.alpha, beta=PRIORS.beta, gamma=PRIORS.gamma, seed=0, resample_conc=False
        )
        start = time.perf_counter()
        model.fit(documents, iters=sweeps, **options)
        return time.perf_counter() - start

    def seconds(sweeps: int) -> float:
        return max(fit(2 * sweeps) - fit(sweeps), 1e-9)

    return Contestant(TOPICA, 1, False, len(bags.tokens), seconds)


def gensim_hdp(bags: AuthorsBags) -> Contestant:
    """The HdpModel of gensim (Python, online variational inference); a pass over its documents is a sweep."""
    from gensim.models import HdpModel

    parts = np.split(bags.tokens, bags.offsets[1:-1])[::GENSIM_SHARE]
    bows = [list(zip(*np.unique(part, return_counts=True), strict=True)) for part in parts]
    dictionary = dict(enumerate(bags.vocabulary))
    best = float("inf")

    def seconds(sweeps: int) -> float:
        nonlocal best
        if best == float("inf"):  # one pass is long enough to time
            start = time.perf_counter()
            HdpModel(
                bows, dictionary, alpha=PRIORS.alpha, gamma=PRIORS.gamma, eta=PRIORS.beta, random_state=0
            )
            best = time.perf_counter() - start
        return best * sweeps

    return Contestant(GENSIM, 1, False, sum(map(len, parts)), seconds)


def _documents(bags: AuthorsBags) -> list[list[str]]:
    """The documents as words, without empty ones, which peers do not take."""
    parts = np.split(bags.tokens, bags.offsets[1:-1])
    return [[bags.vocabulary[w] for w in part] for part in parts if len(part)]


def _timed(sweep: Callable[[], object]) -> Callable[[int], float]:
    def sweeps(n_sweeps: int) -> None:
        for _ in range(n_sweeps):
            sweep()

    return _timed_at_once(sweeps)


# --- samplers of LDA --------------------------------------------------------------------------------------


def lda_contestants(bags: AuthorsBags, n_topics: int | None = None) -> list[Contestant]:
    """Start our samplers (plain, ISLDA, SCLDA, DF-LDA) and, if it is installed, tomotopy's LDA.

    Parameters
    ----------
    bags : AuthorsBags
    n_topics : int, optional
        By default one more than there are concepts.
    """
    corpus = Corpus.from_tokens(
        [[bags.vocabulary[w] for w in part] for part in np.split(bags.tokens, bags.offsets[1:-1])]
    )
    words = [concept.keywords for concept in bags.concepts]
    k = len(words) + 1 if n_topics is None else n_topics
    ours: dict[str, ISLDA | SCLDA | DFLDA] = {
        "qdtm-lda": ISLDA((), k),
        "qdtm-islda": ISLDA(words, k),
        "qdtm-sclda": SCLDA(words, n_topics=k, alpha=1.0 / k, beta=1.0 / k),
        "qdtm-dflda": DFLDA(words, n_topics=k, alpha=1.0 / k, beta=1.0 / k),
    }
    made = [_of_chain(name, model.chain(corpus)) for name, model in ours.items()]
    return [*made, _tomotopy(corpus, k)] if find_spec("tomotopy") else made


def _of_chain(name: str, chain: ConstrainedChain) -> Contestant:
    return Contestant(name, 1, False, chain.corpus.n_tokens, _timed(chain.step), "lda")


def _tomotopy(corpus: Corpus, n_topics: int) -> Contestant:
    import tomotopy

    model = tomotopy.LDAModel(k=n_topics, alpha=1.0 / n_topics, eta=1.0 / n_topics, seed=0)
    model.optim_interval = 0
    add_documents(model, corpus)
    timed = _timed_at_once(lambda sweeps: model.train(sweeps, workers=1))
    return Contestant("tomotopy-lda", 1, False, corpus.n_tokens, timed, "lda")


def _timed_at_once(sweep: Callable[[int], object]) -> Callable[[int], float]:
    def seconds(n_sweeps: int) -> float:
        start = time.perf_counter()
        sweep(n_sweeps)
        return time.perf_counter() - start

    return seconds


# --- command ---------------------------------------------------------------------------------------------


@click.command()
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=7,
    show_default=True,
    metavar="N",
    help="How often each is timed; the best time counts.",
)
@click.option(
    "--topics",
    type=click.IntRange(2),
    metavar="K",
    help="Topics of the LDA samplers.  [one more than there are concepts]",
)
@click.option("--data", type=click.Path(), metavar="DIR", help="The experiments' data.  [$QDTM_DATA]")
@output_options
def speed(repeats: int, topics: int | None, data: str | None, as_json: bool) -> None:
    """Time sweeps beside tomotopy, topica and gensim.

    On the 20 Newsgroups of the paper's authors, in tokens per second. First the query-driven model and other
    samplers of the Hierarchical Dirichlet Process (hdp), with 1 and 2 threads; promotion comes with word
    filtering. Then the LDA samplers of the baselines (lda), with 1. Peers that are not installed are left
    out.
    """
    bags = load_authors_bags(DATASET, data)
    for package in missing_peers():
        print_note(notes_console(), "note", f"{package} is not installed and left out: pip install {package}")
    rows = race([*contestants(bags), *lda_contestants(bags, topics)], repeats=repeats)
    if as_json:
        print_json([asdict(row) for row in rows])
    else:
        print_page(page([speed_table(rows)]))


def speed_table(rows: Sequence[Speed]) -> Table:
    """Lay the rows out, each with its ratio to tomotopy's model of its kind at the same number of threads."""
    peer = {(row.kind, row.threads): row.tokens_per_second for row in rows
            if row.name == f"tomotopy-{row.kind}"}  # fmt: skip
    heads = ("name", "threads", "promotion", "tokens a second", "ns a token", "times tomotopy")
    return Table.of(heads, (_cells(row, peer.get((row.kind, row.threads))) for row in rows))


def _cells(row: Speed, of_tomotopy: float | None) -> tuple[str, ...]:
    rate = row.tokens_per_second
    ratio = f"{rate / of_tomotopy:.2f}" if of_tomotopy else ""
    promotion = "on" if row.promotion else "off"
    return row.name, str(row.threads), promotion, f"{rate:,.0f}", f"{1e9 / rate:.1f}", ratio
