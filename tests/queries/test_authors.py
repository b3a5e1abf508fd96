"""The authors' own concept words: with their bags of words, their queries and KLD, ours must be the same."""

import gzip
import os
from pathlib import Path

import pytest
from scipy import sparse

from qdtm.corpus import Corpus
from qdtm.queries import build_concepts

QUERIES = {
    "20news": "atheism|graphic|pc hardware|mac hardware|sale|automobile|motorcycle|baseball|hockey|encrypt|"
    "electronics|medicine|space|christian|gun|middle east",
    "tagmynews": "business|entertainment|health|technology|sport game",
    "searchsnippets": "business|computer|culture art entertainment|education science|car engineering|health|"
    "politics society|sport",
}
OR_RULE = {
    "tagmynews": {"sport game"},
    "searchsnippets": {"culture art entertainment", "education science", "car engineering"},
}


@pytest.fixture(scope="module")
def folder():
    data = os.environ.get("QDTM_DATA")
    if not data or not (Path(data) / "authors").is_dir():
        pytest.skip("QDTM_DATA does not name a folder with authors/ in it")
    return Path(data) / "authors"


def read_bags(path, n_words):
    """Read `n index:count ...` lines into a matrix."""
    indices, counts, starts = [], [], [0]
    with gzip.open(path, "rt") as file:
        for line in file:
            pairs = [pair.split(":") for pair in line.split()[1:]]
            indices += [int(index) for index, _ in pairs]
            counts += [int(count) for _, count in pairs]
            starts.append(len(indices))
    return sparse.csr_array((counts, indices, starts), shape=(len(starts) - 1, n_words))


@pytest.mark.parametrize("name", QUERIES)
def test_kld_gives_the_authors_own_concept_words(folder, name):
    vocabulary = (folder / f"vobs_{name}_test.txt").read_text("utf-8").split()
    bags = read_bags(folder / f"data_{name}_test.txt.gz", len(vocabulary))
    queries = QUERIES[name].split("|")  # as the authors' preprocessing leaves them
    corpus = Corpus.from_counts(bags[len(queries) :], vocabulary)

    rules = ["or" if query in OR_RULE.get(name, ()) else "and" for query in queries]
    concepts = build_concepts(corpus, queries, rule=rules, expansion="kld", refuse=False)

    ours = [{word.word for word in concept.words} for concept in concepts]
    theirs = [{vocabulary[w] for w in bags[[q]].indices} for q in range(len(queries))]
    assert ours == theirs
