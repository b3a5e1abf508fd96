"""A corpus in many files: found by patterns and URLs, and read in order into one corpus."""

from qdtm.distributed.files import FileCorpus

__all__ = ["FileCorpus"]
