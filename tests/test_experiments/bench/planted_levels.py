"""A planted corpus on two levels: sports and food, each with three kinds, and everything else."""

import csv

import numpy as np

from experiments.datasets.two_level import make_two_level
from qdtm.corpus import Corpus

KINDS = {
    "sports": {
        "cricket": ["wicket", "bowler", "batsman", "innings", "century", "stump"],
        "tennis": ["racket", "serve", "deuce", "court", "volley", "backhand"],
        "rowing": ["oar", "boat", "river", "crew", "stroke", "regatta"],
    },
    "food": {
        "bread": ["flour", "oven", "yeast", "dough", "crust", "loaf"],
        "soup": ["broth", "ladle", "onion", "carrot", "simmer", "bowl"],
        "fruit": ["apple", "pear", "orchard", "plum", "berry", "juice"],
    },
    "misc": {"weather": ["rain", "cloud", "wind", "storm", "sun", "snow"]},
}
PER_KIND = 30


def planted_rows():
    """Thirty documents a kind of eight words, of which every other one names its upper category."""
    rng = np.random.default_rng(7)
    return [
        (" ".join([*([upper] if j % 2 == 0 else []), *rng.choice(words, 8)]), upper, lower)
        for upper, kinds in KINDS.items()
        for lower, words in kinds.items()
        for j in range(PER_KIND)
    ]


def planted_dataset():
    texts, upper, lower = zip(*planted_rows(), strict=True)
    queries = {"sports": "sports", "food": "food", "misc": "misc"}
    return make_two_level("planted", Corpus.from_texts(texts), upper, lower, queries)


def write_planted(path):
    """Write the corpus as a person's table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "area", "kind"])
        writer.writerows(planted_rows())
    return path
