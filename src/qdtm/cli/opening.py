"""Paths in, a corpus or a model out, with progress on the way; and back again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.report import REPORT
from qdtm.errors import ParameterError
from qdtm.storage.folders import claim

if TYPE_CHECKING:
    from rich.console import Console

    from qdtm.corpus import Corpus, TextPipeline
    from qdtm.model import QueryDrivenTopicModel
    from qdtm.results.result import Result


# --- opening ------------------------------------------------------------------------------------------------

_READ = ("text_column", "id_column", "encoding")
_COLUMNS = ("time_column", "group_column", "date_format")
_TEXT = ("language", "tokenizer", "min_df", "max_df", "max_words", "no_phrases")


def open_corpus(
    path: str, options: Mapping[str, Any], console: Console, *, like: Corpus | None = None
) -> Corpus:
    """Read a corpus from a file, a folder or all files of a pattern, or load one that was saved.

    Parameters
    ----------
    path : str
    options : mapping
        The values of `read_options` and, without `like`, of `text_options`.
    console : Console
        For progress.
    like : Corpus, optional
        Use the words of this corpus: for new documents.
    """
    from qdtm.corpus import Corpus
    from qdtm.corpus.many_files import FileCorpus, is_pattern

    if (Path(path) / "qdtm.json").is_file():
        _refuse(options)
        corpus = Corpus.load(path)
        return corpus if like is None else Corpus.of(corpus, like=like)
    pipeline = None if like else make_pipeline(options)
    columns = read_parameters(options)
    if pipeline is not None and is_pattern(path):
        return FileCorpus(path, **columns, pipeline=pipeline).to_corpus()
    with reading(console, path) as progress:
        return Corpus.read(path, **columns, pipeline=pipeline, like=like, progress=progress)


def check_columns(corpus: Corpus, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns of dates and groups that were named; refuse one that is missing, before any work."""
    from qdtm.corpus.readers.records import find_column

    names = corpus.documents.field_names
    given = {name: options[name] for name in _COLUMNS if options[name] is not None}
    for name in ("time_column", "group_column"):
        if name in given:
            given[name] = names[find_column(names, given[name], "the corpus")]
    return given


def read_parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the options say about a file."""
    return {name: options[name] for name in _READ}


def make_pipeline(options: Mapping[str, Any]) -> TextPipeline:
    """Make the text pipeline that the options describe; what was not given is the default."""
    from qdtm.corpus import TextPipeline, VocabularyLimits
    from qdtm.corpus.tokenizer import UNSPACED_LANGUAGES

    given = {name: options[name] for name in _TEXT if options[name] is not None}
    language, tokenizer = given.pop("language", "english"), given.pop("tokenizer", None)
    phrases = not given.pop("no_phrases", False)
    pipeline = TextPipeline(
        language=None if language.lower() == "none" else language,
        tokenizer="unicode" if tokenizer is None else find_tokenizer(tokenizer),
        limits=VocabularyLimits(**given),
        phrases=phrases,
    )
    if tokenizer is None and pipeline.language in UNSPACED_LANGUAGES:
        raise ParameterError(
            f"--language is {language!r}, which has no spaces between words; give --tokenizer, such as "
            "jieba:lcut (pip install jieba)."
        )
    return pipeline


def find_tokenizer(name: str) -> Any:
    """Import the function that the user names, such as "jieba:lcut".

    Raises
    ------
    ParameterError
        If it is not there.
    """
    module, _, function = name.partition(":")
    try:
        found = getattr(import_module(module), function or "")
    except (ImportError, AttributeError, ValueError):
        found = None
    if not callable(found):
        raise ParameterError(
            f"--tokenizer is {name!r}, which is not there; give MODULE:FUNCTION of an installed package."
        )
    return found


def open_result(path: str, index: str | None = None) -> Result:
    """Load a saved result, with its index from another place if one is given."""
    from qdtm.results.result import Result

    return Result.load(path, corpus=index)


def open_model(path: str, index: str | None = None) -> QueryDrivenTopicModel:
    """Load the model of a saved result."""
    from qdtm.model import QueryDrivenTopicModel

    return QueryDrivenTopicModel.of(open_result(path, index))


def reading(console: Console, path: str) -> AbstractContextManager[Any]:
    """Show how far the reading of a file has come, if anybody is looking."""
    from qdtm.cli.progress_display import ReadingDisplay

    return ReadingDisplay(console, path) if console.is_terminal and not console.quiet else nullcontext()


def _refuse(options: Mapping[str, Any]) -> None:
    """Refuse options that a saved corpus cannot obey any more."""
    for name in (*_READ, *_TEXT):
        if options.get(name) is not None:
            option = "--" + name.replace("_", "-")
            raise ParameterError(f"A saved corpus has been read already; leave out {option}.")


# --- saving again -------------------------------------------------------------------------------------------
#
# A result that has become more in, the folder it came from or another one out: for `drill` and `add`.


def claim_goal(directory: str, output: str | None, *, force: bool) -> None:
    """Keep the place of the result until the command ends: another folder, or its own, which it replaces."""
    replaces = force or _is_same(directory, output)
    click.get_current_context().with_resource(
        claim(output or directory, force=replaces, keeps_check=_is_same(directory, output))
    )


def save_again(
    model: QueryDrivenTopicModel,
    directory: str,
    output: str | None,
    *,
    force: bool,
    all_documents: bool,
) -> None:
    """Save a result that came from `directory`, with a report if it had one, perhaps with all documents."""
    goal = output or directory
    had_report = (Path(directory) / REPORT).is_file()
    model.save(goal, force=force or _is_same(directory, output), all_documents=all_documents or None)
    if had_report:
        model.report(Path(goal) / REPORT)


def _is_same(directory: str, output: str | None) -> bool:
    if output is None:
        return True
    return Path(output).exists() and Path(directory).exists() and Path(directory).samefile(output)
