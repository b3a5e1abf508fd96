"""The corpora of the paper's experiments, corpora with natural categories, and whole ones."""

from qdtm.evaluation.datasets.authors import AuthorsBags, load_authors_bags
from qdtm.evaluation.datasets.experiments import DATASETS, ExperimentConcept, concepts_of
from qdtm.evaluation.datasets.loading import Dataset, experiment_pipeline, load_dataset
from qdtm.evaluation.datasets.location import find_data
from qdtm.evaluation.datasets.natural import NATURAL, load_natural, natural_concepts
from qdtm.evaluation.datasets.raw import RawTexts, load_raw
from qdtm.evaluation.datasets.whole import WHOLE, load_whole

__all__ = [
    "DATASETS",
    "NATURAL",
    "WHOLE",
    "AuthorsBags",
    "Dataset",
    "ExperimentConcept",
    "RawTexts",
    "concepts_of",
    "experiment_pipeline",
    "find_data",
    "load_authors_bags",
    "load_dataset",
    "load_natural",
    "load_raw",
    "load_whole",
    "natural_concepts",
]
