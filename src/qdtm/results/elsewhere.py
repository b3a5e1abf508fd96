"""`DocumentFiles`: where it is written what became of documents that are not saved with a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DocumentFiles:
    """Where it is written what became of the documents of a corpus.

    Attributes
    ----------
    folder : str
        A folder, or a URL.
    names : tuple of str
        Of the files in it, in the order of the corpus.
    n_documents, n_tokens : int
        Of the whole corpus.
    """

    folder: str
    names: tuple[str, ...]
    n_documents: int
    n_tokens: int

    @property
    def paths(self) -> list[str]:
        """The files, each with its folder."""
        return [f"{self.folder.rstrip('/')}/{name}" for name in self.names]

    def to_json(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {
            "folder": self.folder,
            "names": list(self.names),
            "n_documents": self.n_documents,
            "n_tokens": self.n_tokens,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> DocumentFiles:
        """Return what `to_json` described."""
        names = tuple(str(name) for name in values["names"])
        if any("/" in name or "\\" in name or name.startswith(".") for name in names):
            raise ValueError("a file of documents is outside its folder")
        return cls(str(values["folder"]), names, int(values["n_documents"]), int(values["n_tokens"]))


def is_url(folder: str) -> bool:
    """Return whether a folder is at a URL."""
    return "://" in folder
