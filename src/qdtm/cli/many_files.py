"""A pattern or URL in, a `FileCorpus` for a cluster out, with a place for what becomes of its documents."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qdtm.errors import ParameterError

if TYPE_CHECKING:
    import click

    from qdtm.distributed import FileCorpus

_NEEDS_DOCUMENTS = ("time_column", "group_column")


def files_for_cluster(
    path: str, output: str, options: Mapping[str, Any], context: click.Context
) -> FileCorpus | None:
    """Return the files that a name stands for, if they are to be read by the workers of a cluster.

    Workers write what became of the documents to `--results`, or beside DIR until DIR is saved: then it is
    copied into it, and removed when the command ends.

    Parameters
    ----------
    path : str
        What the user called the corpus.
    output : str
        Where the result is going to be saved.
    options : mapping
        Of the command.
    context : click.Context
        Of the command, at whose end things are cleaned up.
    """
    from qdtm.cli.opening import make_pipeline, read_parameters
    from qdtm.distributed import FileCorpus
    from qdtm.distributed.files import is_pattern

    if options["engine"] != "ray" or not is_pattern(path):
        if options["results"] is not None:
            raise ParameterError("--results is for files on a cluster: a pattern or URL, and --engine ray.")
        return None
    for name in _NEEDS_DOCUMENTS:
        if options[name] is not None:
            option = "--" + name.replace("_", "-")
            raise ParameterError(f"{option} needs the documents in one place; leave it out, or --engine ray.")
    results = options["results"] or _beside(output, context)
    return FileCorpus(path, **read_parameters(options), pipeline=make_pipeline(options), results=results)


def _beside(output: str, context: click.Context) -> str:
    """Return a folder beside the output, which is removed when the command ends."""
    place = Path(output).absolute()
    folder = place.with_name(f".{place.name}-documents-{secrets.token_hex(4)}")
    context.call_on_close(lambda: shutil.rmtree(folder, ignore_errors=True))
    return str(folder)
