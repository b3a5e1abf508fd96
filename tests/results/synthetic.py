"""A fit that no sampler made: topics drawn at random for the tokens of a real little corpus."""

from dataclasses import replace

import numpy as np

from qdtm.corpus import Corpus, TextPipeline
from qdtm.evidence.word_evidence import distil
from qdtm.queries import build_concepts
from qdtm.queries.search import search
from qdtm.results.distributions import document_topics
from qdtm.results.fit import ModelFit
from qdtm.results.promotion import RelatedWords
from qdtm.results.splits import Split, level_order, tokens_in
from qdtm.sampler.trace import Trace

TEXTS = [
    "Cricket test match in Sydney, the batsman hit a century",
    "The bowler took a wicket in the cricket match",
    "Cricket: rain stopped the test match",
    "Fire near Sydney, firefighters and wind and fire",
    "A bushfire burns, firefighters say the wind is the enemy",
    "Fire crews fight the fire in the wind",
    "",
    "Election: the minister of labour lost the election",
    "The minister answered, the election is in autumn",
    "A match of the minister in the wind",
]


def make_corpus(texts=TEXTS):
    fields = {"year": [str(2000 + j % 3) for j in range(len(texts))], "note": ["-3.5"] * len(texts)}
    ids = [f"doc-{j}" for j in range(len(texts))]
    return Corpus.from_texts(texts, ids=ids, fields=fields, pipeline=TextPipeline())


def make_trace(n=3, **changes):
    values = {
        "sweeps": np.arange(1, n + 1, dtype=np.int64) * 5,
        "log_likelihood": np.linspace(-8.0, -7.0, n),
        "n_topics": np.full(n, 4, np.int64),
        "n_tables": np.full(n, 20, np.int64),
        "n_sweeps": 5 * n,
        "settled": True,
        "interrupted": False,
        "n_samples": 2,
    }
    return Trace(**(values | changes))


def make_fit(corpus, queries=("cricket", "fire"), n_background=2, n_subtopics=(2, 3), seed=0, **changes):
    """Draw a topic for each word, a subtopic for each token, and count."""
    rng = np.random.default_rng(seed)
    concepts = build_concepts(corpus, list(queries), n_concept_words=3)
    n_queries, n_words = len(queries), corpus.n_words
    n_topics = n_queries + n_background
    topics = rng.integers(0, n_topics, corpus.n_tokens).astype(np.int32)
    for q, concept in enumerate(concepts):
        topics[np.isin(corpus.tokens, concept.word_indices)] = q
    subtopics = np.full(corpus.n_tokens, -1, np.int32)
    counts = []
    for q in range(n_queries):
        mine = topics == q
        subtopics[mine] = rng.integers(0, n_subtopics[q], mine.sum()) if n_subtopics[q] else -1
        counts.append(count(corpus.tokens[mine], subtopics[mine], n_words, n_subtopics[q]))
    values = {
        "vocabulary": corpus.vocabulary,
        "concepts": concepts,
        "word_topic": count(corpus.tokens, topics, n_words, n_topics),
        "promoted_mass": promoted(concepts, n_words),
        "subtopic_counts": tuple(counts),
        "subtopic_rest": (0.0,) * n_queries,
        "token_topics": topics,
        "token_subtopics": subtopics,
        "token_promoted": (rng.integers(0, 2, corpus.n_tokens) * (topics < n_queries)).astype(np.uint8),
        "parent_trace": make_trace(),
        "subtopic_traces": tuple(make_trace(4) for _ in queries),
        "beta": 0.5,
        "threshold": 0.6,
        "parameters": {"expansion": "kld", "random_state": 0},
        "corpus_fingerprint": corpus.fingerprint,
        "versions": {"qdtm": "0.1.0"},
        "related": tuple(relate(concept, n_words) for concept in concepts),
    }
    values |= judge(corpus, concepts, values["word_topic"])
    return ModelFit(**(values | changes))


def judge(corpus, concepts, word_topic):
    """Say that documents are about a query by what they have of its topic, and more so if they name it."""
    counts, n_queries = corpus.document_term_matrix, len(concepts)
    share = document_topics(counts, word_topic)[:, :n_queries]
    searched = [search(corpus, concept.query, concept.rule) for concept in concepts]
    strength = np.stack([each.naming.strength for each in searched], axis=1).astype(np.float32)
    relevance = np.where(strength > 0, 0.5 + share / 2, share / 2).astype(np.float32)
    relevance[corpus.document_lengths == 0] = 0.0
    words = distil(counts, relevance, strength)
    return {"relevance": relevance, "strength": strength, "word_evidence": words}


def count(words, columns, n_words, n_columns):
    counts = np.zeros((n_words, n_columns), np.float32)
    if n_columns:
        np.add.at(counts, (words, columns), 1.0)
    return counts


def promoted(concepts, n_words):
    mass = np.zeros((n_words, len(concepts)), np.float32)
    for q, concept in enumerate(concepts):
        mass[list(concept.word_indices), q] = 0.3
    return mass


def relate(concept, n_words):
    """Relate every word to the first two concept words, the nearer to the second."""
    first, second = (concept.word_indices * 2)[:2]
    others = np.array([w for w in range(n_words) if w not in (first, second)], np.int32)
    return RelatedWords(
        words=np.tile(others, 2),
        concept_words=np.repeat(np.array([first, second], np.int32), len(others)),
        cosine=np.repeat(np.array([0.7, 0.8], np.float32), len(others)),
    )


def opened(fit, corpus, *ids, n_below=2, seed=0):
    """Open subtopics of a fit, each token below one of `n_below` at random, some below none."""
    for id in ids:
        rng = np.random.default_rng([seed, *map(int, id.split("."))])
        words = corpus.tokens[tokens_in(fit, id)]
        children = rng.integers(-1, n_below, len(words)).astype(np.int32)
        kept = children >= 0
        counts = count(words[kept], children[kept], corpus.n_words, n_below)
        split = Split(id, counts, float(1 - kept.mean()) if len(kept) else 0.0, children, make_trace(2))
        fit = replace(fit, splits=level_order([*fit.splits, split]))
    return fit
