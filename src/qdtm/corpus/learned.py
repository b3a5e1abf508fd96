"""What was learned of a corpus once, for all queries: the topic of each token of its distinct documents.

In: topics, as the sampler found them. Out: a file, and the topics back. It lies in an index, or in the cache
folder. Who made them is written beside, since other settings would have found others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qdtm.storage import ArraySpec, save_arrays


@dataclass(frozen=True, eq=False)
class LearnedTopics:
    """Topics of a corpus' distinct documents.

    Parameters
    ----------
    topics : ndarray of int32, shape (N',)
        Of each token, from 0.
    made_by : str
        What they were learned with.
    """

    topics: NDArray[np.int32]
    made_by: str


def write_learned(path: Path, learned: LearnedTopics) -> None:
    """Write topics to a file, in as few bytes as they take."""
    kind = np.uint8 if learned.topics.max(initial=0) <= np.iinfo(np.uint8).max else np.uint16
    save_arrays(path, {"topics": learned.topics.astype(kind)}, metadata={"made_by": learned.made_by})


def read_learned(path: Path, n_tokens: int) -> LearnedTopics | None:
    """Read topics; None if there are none, or they are damaged or of another corpus."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            made_by = (file.metadata() or {}).get("made_by", "")
            found = file.get_slice("topics")
            fits = ArraySpec(found.get_dtype(), len(found.get_shape())) in _SPECS
            if not fits or found.get_shape()[0] != n_tokens:
                return None
            topics = np.asarray(file.get_tensor("topics"))
    except (SafetensorError, OSError):
        return None
    return LearnedTopics(topics.astype(np.int32), made_by)


_SPECS = (ArraySpec("U8", 1), ArraySpec("U16", 1))
