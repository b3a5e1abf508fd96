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
    ExportFormat(
        "xlsx", ".xlsx", "Excel workbook", "All tables, a sheet each.", extra="xlsx", module="openpyxl"
    ),
    ExportFormat(
        "csv", "-csv", "CSV tables", "The same tables as plain text, a file each.", first_file="topics.csv"
    ),
    ExportFormat("json", ".json", "JSON", "The same tables in one file for programs."),
    ExportFormat(
        "parquet", "-parquet", "Parquet tables", "The same tables with types, for pandas, R arrow and DuckDB.",
        first_file="topics.parquet", extra="parquet", module="pyarrow",
    ),
    ExportFormat(
        "ris", ".ris", "RIS",
        "The documents as references, most relevant first, for ASReview, Zotero and EndNote.",
    ),
    ExportFormat(
        "bibtex", ".bib", "BibTeX", "The documents as references with queries and subtopics as keywords."
    ),
    ExportFormat(
        "refi-qda", ".qdpx", "REFI-QDA project",
        "Documents and coded passages for NVivo, MAXQDA, ATLAS.ti and QualCoder.",
    ),
    ExportFormat(
        "codebook", ".qdc", "REFI-QDA codebook", "Queries and subtopics as codes, without the documents."
    ),
    ExportFormat(
        "notes", "-notes", "Markdown notes",
        "A linked and tagged note for each document, for Obsidian and the like.", first_file="README.md",
    ),
    ExportFormat(
        "gexf", ".gexf", "GEXF network", "Queries, subtopics and documents as a network, for Gephi."
    ),
    ExportFormat(
        "label-studio", "-label-studio.json", "Label Studio tasks", "Passages to judge, for Label Studio."
    ),
    ExportFormat("argilla", "-argilla.json", "Argilla records", "Passages to judge, for Argilla."),
    ExportFormat(
        "bundle", "-bundle.zip", "Bundle for a paper",
        "Settings, versions, checksums, tables, figures, references and the program: all to publish.",
        first_file="README.txt",
    ),
)  # fmt: skip

NAMES: tuple[Format, ...] = tuple(each.name for each in FORMATS)


def format_of(name: str) -> ExportFormat | None:
    """Return the format of a name, None if there is none."""
    return next((each for each in FORMATS if each.name == name), None)
