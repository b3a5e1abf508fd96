"""The corpora of the paper's experiments."""

from qdtm.evaluation.datasets.authors import AuthorsBags, load_authors_bags
from qdtm.evaluation.datasets.experiments import DATASETS, ExperimentConcept, concepts_of
from qdtm.evaluation.datasets.loading import Dataset, experiment_pipeline, load_dataset
from qdtm.evaluation.datasets.location import find_data
from qdtm.evaluation.datasets.raw import RawTexts, load_raw

__all__ = [
    "DATASETS",
    "AuthorsBags",
    "Dataset",
    "ExperimentConcept",
    "RawTexts",
    "concepts_of",
    "experiment_pipeline",
    "find_data",
    "load_authors_bags",
    "load_dataset",
    "load_raw",
]
