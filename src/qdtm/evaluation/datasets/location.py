"""Where the experiments' data lies: a folder given by name, by `QDTM_DATA`, or none at all.

In: a path or the environment. Out: the folder, whose layout is `corpora/` (the three corpora), `authors/`
(the paper's own inputs), `nlp/` (stop words) and `reference/` (the external corpus for coherence); any part
may be missing.
"""

import os
from pathlib import Path

from qdtm.errors import CorpusError

DATA_VARIABLE = "QDTM_DATA"


def find_data(path: str | Path | None = None) -> Path | None:
    """Return the folder with the experiments' data, or None if no folder was named.

    Parameters
    ----------
    path : str or Path, optional
        The folder; without it, the environment variable `QDTM_DATA` is read.

    Raises
    ------
    CorpusError
        If a folder was named that does not exist.
    """
    named = path or os.environ.get(DATA_VARIABLE)
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise CorpusError(
            f"The data folder {str(folder)!r} does not exist. Give an existing one with --data or "
            f"{DATA_VARIABLE}, or neither to download the corpora."
        )
    return folder


def require_file(relative: str, data: str | Path | None = None) -> Path:
    """Return a file of the data folder that has no source to download it from.

    Raises
    ------
    CorpusError
        If no data folder was named or the file is not in it.
    """
    folder = find_data(data)
    if folder is None:
        raise CorpusError(
            f"{relative!r} is needed. Name the folder that has it with --data or {DATA_VARIABLE}."
        )
    file = folder / relative
    if not file.is_file():
        raise CorpusError(
            f"{relative!r} is not in the data folder {str(folder)!r}. "
            f"Put it there, or name another folder with --data or {DATA_VARIABLE}."
        )
    return file
