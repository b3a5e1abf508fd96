"""Nothing in, a small real corpus out: 350 news articles that come with gensim, there without a network.

The articles are the Lee collection (M. D. Lee, B. Pincombe and M. Welsh, 2005): short Australian news
reports of 2001 and 2002, 300 called "background" and 50 that people compared with one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.text import TextPipeline
from qdtm.errors import CorpusError

_FILES = {"background": "lee_background.cor", "compared": "lee.cor"}
_ENCODING = "latin-1"


def load_demo_corpus(*, pipeline: TextPipeline | None = None) -> Corpus:
    """Load the Lee news articles.

    Parameters
    ----------
    pipeline : TextPipeline, optional
        The steps from text to words; the default ones without.

    Returns
    -------
    Corpus
        350 documents, named "background-001" and so on, with the fields "collection", "source file" and
        "line".
    """
    rows = list(_articles())
    ids, texts, collections, files, lines = (list(column) for column in zip(*rows, strict=True))
    fields = {"collection": collections, "source file": files, "line": lines}
    return Corpus.from_texts(texts, ids=ids, fields=fields, pipeline=pipeline)


def _articles() -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the name, text, collection, file and line of each article."""
    folder = _folder()
    for collection, name in _FILES.items():
        articles = (folder / name).read_text(encoding=_ENCODING).split("\n")
        for line, text in enumerate(articles, start=1):
            if text.strip():
                yield f"{collection}-{line:03d}", text.strip(), collection, name, str(line)


def _folder() -> Path:
    """Return where gensim keeps its test data, without importing it."""
    spec = find_spec("gensim")
    if spec is None or spec.origin is None:
        raise CorpusError("The demo articles come with gensim, which is not installed: pip install gensim.")
    folder = Path(spec.origin).parent / "test" / "test_data"
    for name in _FILES.values():
        if not (folder / name).is_file():
            raise CorpusError(
                f"The demo articles ({name!r}) are missing from the installed gensim; reinstall it."
            )
    return folder
