"""Paths in, a corpus or a model out, with progress on the way; and back again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.console import one_line, print_note, several_names
from qdtm.cli.report import REPORT
from qdtm.errors import ParameterError
from qdtm.storage.folders import CHECK, JOURNAL, MANIFEST, claim

if TYPE_CHECKING:
    from rich.console import Console

    from qdtm.corpus import Corpus, TextPipeline
    from qdtm.corpus.passage_split import Split
    from qdtm.model import QueryDrivenTopicModel
    from qdtm.results.result import Result


# --- opening ------------------------------------------------------------------------------------------------

_READ = ("text_column", "id_column", "title_column", "encoding")
_COLUMNS = ("time_column", "group_column", "date_format")
_TEXT = ("language", "stop_words", "tokenizer", "min_df", "max_df", "max_words", "no_phrases", "split")

_LONGEST_LIST = 2**22


def open_corpus(
    paths: Sequence[str], options: Mapping[str, Any], console: Console, *, like: Corpus | None = None
) -> Corpus:
    """Read a corpus from files, folders or all files of a pattern, or load one that was saved.

    Parameters
    ----------
    paths : sequence of str
    options : mapping
        The values of `read_options` and, without `like`, of `text_options`.
    console : Console
        For progress.
    like : Corpus, optional
        Use the words of this corpus: for new documents.
    """
    from qdtm.corpus import Corpus

    if len(paths) == 1 and _is_saved(paths[0]):
        _refuse(options)
        corpus = Corpus.load(paths[0])
        if like is not None:
            return Corpus.of(corpus, like=like)
        _print_copies_note(corpus, console)
        return corpus
    columns = read_parameters(options)
    made = {"like": like} if like else {"pipeline": make_pipeline(options), "split": _split_of(options)}
    with reading(console, paths) as progress:
        corpus = Corpus.read(paths, **columns, **made, progress=progress)
    if like is None:
        _print_copies_note(corpus, console)
        _print_length_note(corpus, console, options["split"])
    return corpus


def _is_saved(path: str) -> bool:
    """Return whether a saved corpus is at a path, or an index at a URL."""
    if "://" not in path:
        return (Path(path) / MANIFEST).is_file()
    if any(sign in path for sign in "*?["):
        return False
    from qdtm.storage.array_store import ArrayStore

    return ArrayStore(path).exists(MANIFEST)


def _split_of(options: Mapping[str, Any]) -> Split:
    """Return how to split documents: as the user says, else by their length; the paper's preset does not."""
    from qdtm.corpus.passage_split import AUTO, WHOLE

    given: Split | None = options["split"]
    return given or (WHOLE if options.get("preset") == "paper" else AUTO)


def _print_length_note(corpus: Corpus, console: Console, given: Split | None) -> None:
    """Say that documents are long, and how they are judged, unless the user said how."""
    from qdtm.corpus.passage_split import AUTO, how_long, some_texts

    if given in (None, AUTO) and (said := how_long(some_texts(corpus.documents))):
        split = f"{said}, so they are judged by passage; --split none judges them whole."
        whole = f"{said}; --split paragraphs judges them by passage."
        print_note(console, "note", whole if corpus.passages is None else split)


def print_parts_note(corpus: Corpus, console: Console) -> None:
    """Say that documents are long, of an index in parts, which judges them as a whole."""
    from qdtm.corpus.passage_split import how_long, some_texts

    if said := how_long(some_texts(corpus.documents)):
        print_note(console, "note", f"{said}; an index in parts judges them as a whole.")


def _print_copies_note(corpus: Corpus, console: Console) -> None:
    """Say how many documents are copies of others, if any are."""
    if n := corpus.n_copies:
        are = "is a copy of another; it counts" if n == 1 else "are copies of others; they count"
        print_note(
            console, "note", f"{n:,} of {corpus.n_documents:,} documents {are} once in what queries learn."
        )


def print_columns_note(corpus: Corpus, console: Console) -> None:
    """Say which columns were taken for what, where that is to be known."""
    if corpus.location is None and (note := columns_note(corpus)):  # of an index it was said before
        print_note(console, "note", note)


def columns_note(corpus: Corpus) -> str:
    """Return what is to be known about the columns that were taken: texts that were joined, and titles."""
    from qdtm.corpus.readers.records import text_columns_of

    documents = corpus.documents
    texts, title = text_columns_of(documents.text_name or ""), documents.title_name
    said = [f"text from {' and '.join(map(repr, texts))}, joined"] if len(texts) > 1 else []
    if title is not None:
        said.append(f"title from {title!r}" + ("" if title in texts else ", which does not count as text"))
    return "; ".join(said)


def check_columns(corpus: Corpus, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns of dates and groups that were named; refuse one that is missing, before any work."""
    from qdtm.corpus.document_store import column_names
    from qdtm.corpus.readers.records import find_column

    names = column_names(corpus.documents)
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
    from qdtm.corpus.passage_split import AUTO
    from qdtm.corpus.tokenizer import UNSPACED_LANGUAGES

    given = {name: options[name] for name in _TEXT if options[name] is not None}
    language, tokenizer = given.pop("language", "english"), given.pop("tokenizer", None)
    phrases, split = not given.pop("no_phrases", False), given.pop("split", None)
    language_or_none = None if language.lower() == "none" else language
    pipeline = TextPipeline(
        language=language_or_none,
        stop_words=_stop_words(given.pop("stop_words", None), language_or_none),
        tokenizer="unicode" if tokenizer is None else find_tokenizer(tokenizer),
        limits=VocabularyLimits(**given),
        phrases=phrases,
        split_documents=None if split == AUTO else split,
    )
    if tokenizer is None and pipeline.language in UNSPACED_LANGUAGES:
        raise ParameterError(
            f"--language is {language!r}, which has no spaces between words; give --tokenizer, such as "
            "jieba:lcut (pip install jieba)."
        )
    return pipeline


def _stop_words(file: str | None, language: str | None) -> str | Iterable[str] | None:
    """Return what a pipeline is told about stop words: those of the language, with the user's, or none."""
    from qdtm.corpus.stop_word_lists import with_own_words

    if file is None:
        return "auto"
    return None if file.lower() == "none" else with_own_words(read_words(file), language)


def read_words(file: str) -> list[str]:
    """Read a list of words, one a line or with commas between them; lines that begin with # are comments.

    Raises
    ------
    CorpusError
        If the file cannot be read.
    ParameterError
        If it has no words, or more than one in a place.
    """
    from qdtm.corpus.readers.encoding import open_text
    from qdtm.corpus.readers.records import Meter

    path = Path(file)
    if not path.is_file():
        raise ParameterError(f"--stop-words is {file!r}, which is no file; name one with a word a line.")
    if path.stat().st_size > _LONGEST_LIST:
        raise ParameterError(f"--stop-words is {file!r}, which is too large to be a list of words.")
    with open_text(path, None, Meter()) as lines:
        text = [line for line in lines.read().splitlines() if not line.lstrip().startswith("#")]
    words = [word for line in text for part in line.split(",") if (word := part.strip())]
    several = next((word for word in words if len(word.split()) > 1), None)
    if several is not None or not words:
        what = "has no words" if several is None else f"has {one_line(several, 40)!r}"
        raise ParameterError(f"{file!r} {what}; give one word a line, or commas between them.")
    return words


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


def is_result(paths: Sequence[str]) -> bool:
    """Return whether what was named is one saved result, and not a corpus."""
    return len(paths) == 1 and (Path(paths[0]) / "model.safetensors").is_file()


def open_model(path: str, index: str | None = None) -> QueryDrivenTopicModel:
    """Load the model of a saved result."""
    from qdtm.model import QueryDrivenTopicModel

    return QueryDrivenTopicModel.of(open_result(path, index))


def reading(console: Console, paths: Sequence[str]) -> AbstractContextManager[Any]:
    """Show how far the reading of files has come, if anybody is looking."""
    from qdtm.cli.progress_display import ReadingDisplay

    name = several_names([Path(path).name for path in paths])
    return ReadingDisplay(console, name) if console.is_terminal and not console.quiet else nullcontext()


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
        claim(
            output or directory,
            force=replaces,
            keeps=(CHECK, JOURNAL) if _is_same(directory, output) else (),
        )
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
