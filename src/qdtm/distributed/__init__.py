"""Corpora that no single machine holds: files are read, searched and fitted where the workers are."""

from qdtm.distributed.files import FileCorpus

__all__ = ["FileCorpus"]
