"""Options that commands share: how to read a corpus, what to ask, how to fit, how to print.

A value that makes no sense is refused here where that can be told without a corpus or a result.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import click

from qdtm.cli.failure import debug_option

Decorator = Callable[[Any], Any]


def number_or_auto(value: str) -> int | float | str:
    """Return a whole number, a fraction, or "auto" as it is."""
    if value == "auto":
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    raise click.BadParameter(f"{value!r} is neither a number nor 'auto'.")


# --- options under headings ---------------------------------------------------------------------------------

_HEADINGS: WeakKeyDictionary[click.Parameter, str] = WeakKeyDictionary()
OTHERS = "Other options"


def together(*decorators: Decorator, heading: str | None = None) -> Decorator:
    """Make one decorator of several options, listed in the order of the help, perhaps under a heading."""

    def decorate(function: Any) -> Any:
        n_before = len(getattr(function, "__click_params__", ()))
        for decorator in reversed(decorators):
            function = decorator(function)
        if heading is not None:
            for parameter in function.__click_params__[n_before:]:
                _HEADINGS.setdefault(parameter, heading)
        return function

    return decorate


class HeadedCommand(click.Command):
    """A command whose help begins with the options that people need, and has the others under headings.

    Parameters
    ----------
    first : tuple of str
        The parameters that come first, in their order; names that the command does not have are passed over.
    """

    def __init__(self, *args: Any, first: tuple[str, ...] = (), **extra: Any) -> None:
        super().__init__(*args, **extra)
        self._first = first

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, heading by heading."""
        options = {str(each.name): each for each in self.get_params(ctx) if each.param_type_name == "option"}
        sections = {"Options": [options[name] for name in self._first if name in options]}
        for name, option in options.items():
            if name not in self._first:
                sections.setdefault(_HEADINGS.get(option, OTHERS), []).append(option)
        sections[OTHERS] = sections.pop(OTHERS, [])  # they come last
        for heading, listed in sections.items():
            records = [record for each in listed if (record := each.get_help_record(ctx))]
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


# --- values that are checked at once ------------------------------------------------------------------------


def _checked_jobs(_context: click.Context, _parameter: click.Parameter, value: int) -> int:
    if value == -1 or value >= 1:
        return value
    raise click.BadParameter(f"{value} is no number of threads; give 1 or more, or -1 for all cores.")


def _checked_encoding(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        from qdtm.corpus.readers.encoding import check_encoding

        check_encoding(value)
    return value


def _checked_split(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Any:
    if value is None:
        return None
    from qdtm.corpus.passage_split import AUTO, WHOLE, check_split

    return value if value in (AUTO, WHOLE) else check_split(value)


def _checked_format(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        from qdtm.results.dates import check_date_format

        check_date_format(value)
    return value


def check_subtopics(_context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
    """Refuse what cannot be the id of a subtopic, before a result is opened."""
    for id in (value,) if isinstance(value, str) else value or ():
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9}){1,20}", id):
            raise click.BadParameter(f"{id!r} is no subtopic; give its id, such as 0.2.")
    return value


def refuse_both(*pairs: tuple[str, str]) -> None:
    """Refuse options that exclude each other, if the user gave both on the command line."""
    from click.core import ParameterSource

    context = click.get_current_context()
    options = {str(each.name): each.opts[-1] for each in context.command.params}
    for one, other in pairs:
        sources = [context.get_parameter_source(name) for name in (one, other)]
        if all(source is ParameterSource.COMMANDLINE for source in sources):
            raise click.UsageError(f"{options[one]} and {options[other]} exclude each other; give one.")


# --- options ------------------------------------------------------------------------------------------------

_ASKING, _READING, _WORDS = "The query", "Reading the corpus", "Words of the texts"
_MODEL, _RUNNING, _COLUMNS = "The model", "Where and how it runs", "Time and groups"

jobs_option = click.option(
    "--jobs", "n_jobs", type=int, default=-1, metavar="N", callback=_checked_jobs,
    help="Threads or workers; the result is the same with any.  [all]",
)  # fmt: skip


def _without_cache(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from qdtm.storage.cache import without_cache

        context.with_resource(without_cache())


no_cache_option = click.option(
    "--no-cache", is_flag=True, expose_value=False, callback=_without_cache,
    help="Neither use nor keep what was learned of the corpus before.",
)  # fmt: skip

corpus_argument = click.argument(
    "corpus", metavar="CORPUS...", nargs=-1, required=True, type=click.Path()
)  # fmt: skip

read_options = together(
    click.option(
        "--text-column", metavar="NAME[,NAME]", help="The column with the text; several are joined.  [found]"
    ),
    click.option("--id-column", metavar="NAME", help="The column with the documents' names."),
    click.option(
        "--title-column", metavar="NAME", help="The column with their titles; 'none' for none.  [found]"
    ),
    click.option(
        "--encoding", metavar="NAME", callback=_checked_encoding,
        help="The file's encoding (found if not given).",
    ),
    heading=_READING,
)  # fmt: skip

text_options = together(
    together(
        click.option(
            "--split", metavar="auto|none|paragraphs|N", callback=_checked_split,
            help="Judge documents by passage: if long, never, by paragraph, or about N words.  [auto]",
        ),
        heading=_READING,
    ),
    click.option(
        "--language", metavar="NAME", help="Of stop words and lemmas; 'none' for neither.  [english]"
    ),
    click.option(
        "--stop-words", metavar="FILE", help="Words to leave out besides; 'none' to leave out no stop words."
    ),
    click.option(
        "--tokenizer", metavar="MODULE:FUNCTION", help="What cuts texts into words, such as jieba:lcut."
    ),
    click.option(
        "--min-df", type=number_or_auto, metavar="N", help="Least documents a word is in, or share.  [auto]"
    ),
    click.option(
        "--max-df", type=number_or_auto, metavar="N", help="Most documents a word is in, or share.  [1.0]"
    ),
    click.option("--max-words", type=int, metavar="N", help="Size of the vocabulary at most.  [30000]"),
    click.option(
        "--no-phrases", is_flag=True, default=None, help="Leave phrases ('south africa') as single words."
    ),
    heading=_WORDS,
)  # fmt: skip

asking_options = together(
    click.option("-q", "--query", "texts", multiple=True, metavar="QUERY", help="A query; may be repeated."),
    click.option(
        "--keywords", multiple=True, metavar="NAME=W,W", help="A query by words of your own, not expanded."
    ),
    click.option("--add", multiple=True, metavar="[QUERY=]W,W", help="Words that must be concept words."),
    click.option("--drop", multiple=True, metavar="[QUERY=]W,W", help="Words that must not be."),
    click.option("--exclude", multiple=True, metavar="[QUERY=]W,W", help="Leave out documents with these."),
    click.option(
        "--reading", multiple=True, metavar="[QUERY=]N",
        help="Where documents mean several things by a query: which of them.  [all]",
    ),
    heading=_ASKING,
)  # fmt: skip

query_options = together(
    asking_options,
    click.option(
        "--expansion", type=click.Choice(["kld", "fre", "rel", "none"]), default="kld", show_default=True,
        help="How a query becomes concept words.",
    ),
    click.option(
        "--rule", multiple=True, type=click.Choice(["and", "or"]),
        help="Must a document have all words of a query, or any? Once, or once a query.  [and]",
    ),
    click.option(
        "--anyway", is_flag=True,
        help="Answer queries that are only mentioned, and leave out words that no document has.",
    ),
    click.option(
        "--concept-words", "n_concept_words", type=click.IntRange(0), default=10, show_default=True,
        metavar="N", help="Proposed words that each query keeps.",
    ),
    click.option(
        "--candidates", "n_candidates", type=click.IntRange(1), default=100, show_default=True, metavar="N",
        help="Words that each query proposes; one that two propose is dropped.",
    ),
    click.option(
        "--min-precision", type=number_or_auto, default="auto", show_default=True, metavar="N",
        help="How much of a proposed word's documents must be about the query, 0 (as published) to 1.",
    ),
    click.option(
        "--embeddings", default="auto", show_default=True, metavar="NAME",
        help="Word vectors: glove (English), corpus, a file, a gensim download, or none.",
    ),
    heading=_ASKING,
)  # fmt: skip

encoder_option = click.option(
    "--encoder", metavar="[NAME|DIR]", is_flag=False, flag_value="minilm",
    help="Judge relevance with a sentence encoder: MiniLM, a folder, a name (extra 'encoder').",
)  # fmt: skip

model_options = together(
    click.option(
        "--preset", type=click.Choice(["default", "paper"]), default="default", show_default=True,
        help="'paper' starts and runs as the paper does.",
    ),
    click.option(
        "--background-topics", "n_background_topics", type=number_or_auto, default="auto", show_default=True,
        metavar="N", help="Topics that the rest of the corpus starts with.",
    ),
    encoder_option,
    click.option("--promotion-weight", type=float, default=0.3, show_default=True, metavar="U",
                 help="What a word adds to related concept words."),
    click.option("--no-promotion", is_flag=True, help="Do without word vectors in the model."),
    click.option("--no-filtering", is_flag=True, help="Promote weakly related words as often as others."),
    click.option("--similarity-threshold", type=number_or_auto, default="auto", show_default=True,
                 metavar="X", help="Cosine above which words are related."),
    click.option("--no-subtopics", is_flag=True, help="Find parent topics only."),
    click.option("--min-share", "min_prevalence", type=float, default=0.005, show_default=True, metavar="X",
                 help="Drop subtopics below this share."),
    click.option("--alpha", type=float, default=1.0, show_default=True, metavar="X",
                 help="Larger: more topics in a document."),
    click.option("--beta", type=float, default=0.5, show_default=True, metavar="X",
                 help="Larger: broader topics."),
    click.option("--gamma", type=float, default=1.5, show_default=True, metavar="X",
                 help="Larger: more topics."),
    click.option("--min-sweeps", type=int, metavar="N", help="Sweeps of a phase at least."),
    click.option("--max-sweeps", type=int, metavar="N", help="Sweeps of a phase at most."),
    click.option("--chains", "n_chains", type=int, default=1, show_default=True, metavar="N",
                 help="Independent runs of everything; more than one say which subtopics all find."),
    heading=_MODEL,
)  # fmt: skip

engine_options = together(
    jobs_option,
    click.option("--engine", type=click.Choice(["threads", "ray"]), default="threads", show_default=True,
                 help="Where to sweep: here, or on a Ray cluster. The result is the same."),
    click.option("--address", metavar="HOST:PORT",
                 help="Of the Ray cluster, or 'auto'.  [one is started here]"),
    click.option("--worker-dir", metavar="DIR",
                 help="A folder or URL that all machines of the cluster share.  [each one's own disk]"),
    no_cache_option,
    heading=_RUNNING,
)  # fmt: skip

column_options = together(
    click.option("--time-column", metavar="NAME", help="Your column with dates: topics over time."),
    click.option(
        "--date-format", metavar="FORMAT", callback=_checked_format,
        help="How its dates are written, such as %d.%m.%Y.  [found]",
    ),
    click.option("--group-column", metavar="NAME", help="Your column with groups: topics by group."),
    heading=_COLUMNS,
)  # fmt: skip

seed_option = click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="The same seed, the same result.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress, no notes and no summary.")
force_option = click.option("--force", is_flag=True, help="Replace an earlier result.")

background_option = click.option(
    "--background", is_flag=True, help="Also print what the rest of the corpus is about."
)
index_option = click.option(
    "--index", type=click.Path(), metavar="DIR", help="The index of the result, if it is not where it was."
)
all_documents_option = click.option(
    "--all-documents", is_flag=True, help="List all documents, not only those about a query."
)

output_options = together(json_option, debug_option)
