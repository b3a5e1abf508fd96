"""The formats that a result can be taken away in: names, endings, and a sentence about each.

Nothing in; what the command line, Python and the app offer, out. Who writes them is in `qdtm.present.export`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Format = Literal[
    "csv", "xlsx", "json", "parquet", "ris", "bibtex", "refi-qda", "codebook", "notes", "gexf",
    "label-studio", "argilla", "bundle",
]  # fmt: skip


@dataclass(frozen=True)
class ExportFormat:
    """A format.

    Attributes
    ----------
    name : str
    ending : str
        What is added to a result's name.
    label, about : str
        What it is called, and what is in it and for whom.
    first_file : str
        Of a folder, a file that every such folder has; empty for a file.
    extra : str
        The package that it needs beyond the core, as in `qdtm[extra]`; empty for none.
    module : str
        Which module that package is.
    """

    name: Format
    ending: str
    label: str
    about: str
    first_file: str = ""
    extra: str = ""
    module: str = ""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of files, or a .zip of one."""
        return bool(self.first_file)


FORMATS = (
    ExportFormat("csv", "-csv", "CSV tables", "All tables as plain text, a file each.", "topics.csv"),
    ExportFormat("xlsx", ".xlsx", "Excel workbook", "All tables, a sheet each."),
    ExportFormat("json", ".json", "JSON", "All tables in one file, for programs."),
    ExportFormat(
        "parquet", "-parquet", "Parquet tables", "All tables with types, for pandas, R and DuckDB.",
        "topics.parquet", "parquet", "pyarrow",
    ),
    ExportFormat("ris", ".ris", "RIS references", "Documents by relevance, for ASReview, Zotero, EndNote."),
    ExportFormat("bibtex", ".bib", "BibTeX references", "Documents with queries and subtopics as keywords."),
    ExportFormat(
        "refi-qda", ".qdpx", "REFI-QDA project",
        "Coded passages for NVivo, MAXQDA, ATLAS.ti, QualCoder.",
    ),
    ExportFormat("codebook", ".qdc", "REFI-QDA codebook", "Queries and subtopics as codes, no documents."),
    ExportFormat(
        "notes", "-notes", "Markdown notes", "A note a document, linked and tagged, for Obsidian.",
        "README.md",
    ),
    ExportFormat("gexf", ".gexf", "GEXF network", "Queries, subtopics and documents as a graph, for Gephi."),
    ExportFormat("label-studio", "-label-studio.json", "Label Studio tasks", "Passages for people to judge."),
    ExportFormat("argilla", "-argilla.json", "Argilla records", "Passages for people to judge."),
    ExportFormat(
        "bundle", "-bundle.zip", "Bundle for a paper",
        "Settings, tables, figures, program: all to publish.", "README.txt",
    ),
)  # fmt: skip

NAMES: tuple[Format, ...] = tuple(each.name for each in FORMATS)


def format_of(name: str) -> ExportFormat | None:
    """Return the format of a name, None if there is none."""
    return next((each for each in FORMATS if each.name == name), None)
