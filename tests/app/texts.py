"""A small table with three planted topics, dates and groups, as a user might upload it."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from qdtm.app.context import Learning, OpenCorpus
from qdtm.app.corpora import Upload, place_for, write_upload
from qdtm.app.drafts import Draft, LookedUp, answer_drafts, check_drafts
from qdtm.app.workspace import Workspace
from qdtm.corpus import Corpus
from qdtm.results.passages import Aligner

TOPICS = (
    "tax budget spending deficit treasury revenue minister cut debt income",
    "school teacher pupil education classroom exam lesson homework reading university",
    "hospital doctor nurse patient health surgery clinic treatment medicine ward",
)
HOSTILE = (
    "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'> {{ 7 * 7 }} </textarea>"
    " <image/onerror='window.hurt = 1' src=x> &lt;script&gt;window.hurt = 1"  # which stays
)


def rows(n: int = 90, seed: int = 0) -> list[list[str]]:
    """Return rows of key, published, party and body; the second one's text is hostile."""
    draw = random.Random(seed)
    made = []
    for i in range(n):
        words = draw.choices(TOPICS[i % 3].split(), k=18) + draw.choices(
            ["council", "report", "said", "year"], k=4
        )
        text = " ".join(words).capitalize() + "."
        date = f"{2010 + i % 8}-0{1 + i % 9}-15"
        made.append([f"r{i}", date, ("left", "right")[i % 2], f"{HOSTILE} {text}" if i == 1 else text])
    return made


def open_corpus(corpus: Corpus) -> OpenCorpus:
    """Open a corpus as the app does."""
    return OpenCorpus(corpus, Aligner(corpus), Learning(corpus))


def look_up(corpus: Corpus, drafts: Sequence[Draft]) -> tuple[LookedUp, ...]:
    """Look drafts up as a page does, without the page."""
    opened = open_corpus(corpus)
    checked = check_drafts(corpus, drafts, opened.learning.vectors)
    return answer_drafts(opened, drafts, checked)


def write_table(path: Path, n: int = 90) -> Path:
    """Write the rows as a .csv file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["key", "published", "party", "body"], *rows(n)])
    return path


def uploaded(workspace: Workspace, name: str, write: Callable[[Path], object]) -> Upload:
    """Put a file into the workspace as if it had been uploaded."""
    upload = Upload(workspace.new("corpora"))
    file = place_for(workspace, upload, name)
    write(Path(file.place))
    upload = replace(upload, files=(replace(file, size=Path(file.place).stat().st_size),))
    write_upload(workspace, upload)
    return upload
