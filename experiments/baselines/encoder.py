"""Texts as vectors by a Transformer: texts in, unit vectors out; documents rank by their cosine to a query.

Any model of Hugging Face by name, or a folder with one, in which case nothing is fetched. The vectors of a
corpus are kept in the cache folder: they take minutes and never change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.topic_fit import TrainingProgress, require
from qdtm.corpus import Corpus
from qdtm.embeddings.encoder import encode_documents, loading_in_silence
from qdtm.embeddings.onnx_encoder import minilm_folder
from qdtm.errors import EmbeddingError
from qdtm.progress import Progress

BERT = "bert-base-uncased"
SENTENCE_ENCODER = "sentence-transformers/all-MiniLM-L6-v2"

Vectors = NDArray[np.float32]


def sentence_encoder() -> str:
    """Return the default sentence encoder: MiniLM from a package that carries it, else by name."""
    folder = minilm_folder()
    return SENTENCE_ENCODER if folder is None else str(folder)


@dataclass(frozen=True)
class DocumentEncoder:
    """A Transformer whose last layer is averaged over a text's tokens.

    Attributes
    ----------
    name : str
        A folder, or a model of Hugging Face.
    max_tokens : int
        Longer texts are cut.
    batch_size : int
    """

    name: str = BERT
    max_tokens: int = 256
    batch_size: int = 64

    def encode(self, texts: Sequence[str], progress: TrainingProgress | None = None) -> Vectors:
        """Return a vector of length 1 for each text, (n, d)."""
        order = np.argsort(
            [len(text) for text in texts], kind="stable"
        )  # texts of a batch are alike in length
        found: list[Vectors] = []
        for start in range(0, len(order), self.batch_size):
            found.append(self._encode_batch([texts[j] for j in order[start : start + self.batch_size]]))
            if progress is not None:
                progress(min(start + self.batch_size, len(order)), len(order))
        vectors = np.empty((len(texts), found[0].shape[1] if found else 0), dtype=np.float32)
        if found:
            vectors[order] = np.concatenate(found)
        return vectors

    def encode_corpus(self, corpus: Corpus, progress: TrainingProgress | None = None) -> Vectors:
        """Return a vector for each document's text, (D, d), worked out once and then kept."""

        def tell(step: Progress) -> None:
            if progress is not None:
                progress(step.sweep, step.max_sweeps)

        return encode_documents(self.encode, corpus, tell, variant=str(self.max_tokens))

    def check(self) -> None:
        """Refuse a model that is not there and cannot be fetched.

        Raises
        ------
        MissingExtraError
            If torch or transformers is not installed.
        EmbeddingError
            If there is no such model.
        """
        require("torch")
        try:
            require("transformers").AutoConfig.from_pretrained(self.name)
        except (OSError, ValueError) as error:
            raise self._not_there() from error

    def scores(self, corpus: Corpus, queries: Sequence[str]) -> Vectors:
        """Return the cosine of each document to each query, (D, Q)."""
        return np.asarray(self.encode_corpus(corpus) @ self.encode(queries).T)

    def _not_there(self) -> EmbeddingError:
        return EmbeddingError(
            f"The encoder {self.name!r} is not a folder with a model, and cannot be fetched; "
            "name another one (--encoder)."
        )

    @cached_property
    def _parts(self) -> tuple[Any, Any]:
        """The tokenizer and the model."""
        require("torch")
        transformers = require("transformers")
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(self.name)
            with loading_in_silence():
                model = transformers.AutoModel.from_pretrained(self.name)
        except (OSError, ValueError) as error:
            raise self._not_there() from error
        return tokenizer, model.eval()

    def _encode_batch(self, texts: list[str]) -> Vectors:
        tokenizer, model = self._parts
        torch = require("torch")
        batch = tokenizer(
            texts, padding=True, truncation=True, max_length=self.max_tokens, return_tensors="pt"
        )
        with torch.inference_mode():
            states = model(**batch).last_hidden_state  # (n, length, d)
        mask = batch["attention_mask"].unsqueeze(-1)  # (n, length, 1)
        means = (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
        return np.asarray(torch.nn.functional.normalize(means, dim=1).numpy(), dtype=np.float32)
