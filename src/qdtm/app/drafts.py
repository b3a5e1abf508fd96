"""What a person types on the query page in, what the corpus says to it out, while they type.

A `Draft` is a query on its way; it may be empty or unanswerable. `check_drafts` says which of them can be
answered, `answer_drafts` finds the concept words that a fit would use and the first answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from qdtm.corpus import Corpus
from qdtm.embeddings.vectors import WordVectors
from qdtm.errors import QdtmError
from qdtm.first_answer import FirstAnswer, FirstDocument, answers_of
from qdtm.present.report_builder import word_bars
from qdtm.present.report_view import WordBar
from qdtm.queries import Concept, Query, QueryCheck, check_query
from qdtm.queries.query import Expansion, Rule
from qdtm.queries.selection import choose
from qdtm.results.passages import Mention, mentions_of

if TYPE_CHECKING:
    from qdtm.app.context import OpenCorpus

MAX_QUERIES = 20
_LONGEST = 500  # characters of a query
_MOST_WORDS = 100

Choice = Literal["kld", "fre", "rel", "none"]
CHOICES: tuple[Choice, ...] = ("kld", "fre", "rel", "none")
WordList = Literal["keywords", "add", "drop", "exclude"]


@dataclass(frozen=True)
class Draft:
    """A query as it stands on the page.

    Attributes
    ----------
    text : str
    rule : {"and", "or"}
    expansion : {"kld", "fre", "rel", "none"}
    keywords, add, drop, exclude : tuple of str
        As in `Query`.
    reading : int
        As in `Query`; 0 for all.
    """

    text: str = ""
    rule: Rule = "and"
    expansion: Choice = "kld"
    keywords: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    reading: int = 0

    @classmethod
    def of(cls, query: Query) -> Draft:
        """Return a query as it would stand on the page."""
        inherited: Choice = "kld"
        expansion = inherited if query.expansion == "inherit" else query.expansion or "none"
        lists = (query.keywords, query.add, query.drop, query.exclude)
        return cls(query.text, query.rule or "and", expansion, *lists, reading=query.reading or 0)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been asked yet."""
        return not self.text.strip() and not self.keywords

    def query(self) -> Query:
        """Return it as the model takes it.

        Raises
        ------
        QueryError
            If it makes no sense.
        """
        expansion: Expansion | None = None if self.expansion == "none" else self.expansion
        if self.keywords:
            expansion = "inherit"  # the user's own words take the place of expansion
        return Query(
            self.text,
            rule=self.rule,
            expansion=expansion,
            keywords=self.keywords,
            add=self.add,
            drop=self.drop,
            exclude=self.exclude,
            reading=self.reading,
        )

    @property
    def lists(self) -> dict[WordList, tuple[str, ...]]:
        """The user's lists of words, by name."""
        return {"keywords": self.keywords, "add": self.add, "drop": self.drop, "exclude": self.exclude}

    def _with_lists(self, lists: Mapping[WordList, tuple[str, ...]]) -> Draft:
        same = lists["keywords"] == self.keywords and lists["exclude"] == self.exclude
        words = (lists["keywords"], lists["add"], lists["drop"], lists["exclude"])
        reading = self.reading if same else 0  # others may name it now
        return Draft(self.text, self.rule, self.expansion, *words, reading=reading)

    def with_word(self, where: WordList, word: str) -> Draft:
        """Return it with a word in one of its lists, and in no other."""
        word = " ".join(word.split())[:_LONGEST]
        draft = self.without_word(word)
        words = draft.lists[where]
        if not word or len(words) >= _MOST_WORDS:
            return draft
        return draft._with_lists({**draft.lists, where: (*words, word)})

    def without_word(self, word: str) -> Draft:
        """Return it with a word in none of its lists."""
        return self._with_lists(
            {name: tuple(each for each in words if each != word) for name, words in self.lists.items()}
        )

    def take_out(self, word: str) -> Draft:
        """Return it without a concept word: the user's own is forgotten, another is not to come back."""
        if word in (*self.keywords, *self.add):
            return self.without_word(word)
        return self.with_word("drop", word)

    def without_own_word(self, concept: Concept, word: str) -> Draft:
        """Return it without a concept word that may be one of its text: then the text is asked without it.

        What is left must be a query, and phrases and alternatives are not taken apart; otherwise the word is
        left out of the concept words alone.
        """
        written = self.text.split()
        checked = [each for each in concept.check.words if each.role == "query"]
        is_plain = all(each.isalnum() and each != "OR" for each in written)
        if not is_plain or len(checked) != len(written):
            return self.take_out(word)
        rest = [own for own, each in zip(written, checked, strict=True) if word not in each.matches]
        if not rest or len(rest) == len(written):
            return self.take_out(word)
        return replace(self, text=" ".join(rest), reading=0)


@dataclass(frozen=True)
class ShownAnswer:
    """What a page shows of a first answer.

    Attributes
    ----------
    name : str
        The query's.
    summary : str
        How many documents are about it.
    words : tuple of WordBar
    documents : tuple of FirstDocument
    n_said : int
        Documents of which people said before whether they are about it.
    """

    name: str
    summary: str
    words: tuple[WordBar, ...]
    documents: tuple[FirstDocument, ...]
    n_said: int = 0

    @classmethod
    def of(cls, answer: FirstAnswer, n_said: int = 0) -> ShownAnswer:
        """Take from an answer what is shown; the rest of it is as large as the corpus."""
        words = tuple(word_bars(answer.words, answer.concept))
        return cls(answer.concept.name, answer.relevance.summary(), words, answer.documents, n_said)


@dataclass(frozen=True)
class LookedUp:
    """What the corpus says to a draft.

    Attributes
    ----------
    check : QueryCheck or None
        None for an empty draft.
    concept : Concept or None
        None if it cannot be answered.
    problem : str
        What is wrong, if it is not in the check.
    mentions : tuple of Mention
        The documents that mention it, if that is all that the corpus has to say to it.
    examples : tuple of Mention
        A typical document of each reading of the concept.
    answer : ShownAnswer or None
        The first answer, if it can be answered.
    """

    check: QueryCheck | None = None
    concept: Concept | None = None
    problem: str = ""
    mentions: tuple[Mention, ...] = ()
    examples: tuple[Mention, ...] = ()
    answer: ShownAnswer | None = None

    @property
    def is_answerable(self) -> bool:
        """Whether there will be concept words and an answer, as far as its check tells."""
        return self.check is not None and self.check.verdict in ("thin", "fine")


def check_drafts(
    corpus: Corpus, drafts: Sequence[Draft], vectors: WordVectors | None
) -> tuple[LookedUp, ...]:
    """Check each draft: the first and fast half of looking it up."""
    return tuple(_check(corpus, draft, vectors) for draft in drafts)


def answer_drafts(
    opened: OpenCorpus, drafts: Sequence[Draft], checked: Sequence[LookedUp], *, readings: bool = True
) -> tuple[LookedUp, ...]:
    """Find the concept words of checked drafts, together as in a fit, and the first answers.

    Parameters
    ----------
    readings : bool
        Whether to look for readings too; they change nothing else, and take their time.
    """
    corpus, looked = opened.corpus, list(checked)
    answerable = [i for i, each in enumerate(checked) if each.is_answerable]
    if not answerable:
        return tuple(checked)
    try:
        queries = [drafts[i].query() for i in answerable]
        views, inside = opened.learning.views, corpus.distinct
        chosen = choose(inside, queries, views, vectors=opened.learning.vectors, readings=readings)
        chosen = chosen.spread(inside)
    except QdtmError as error:
        return tuple(
            replace(each, problem=str(error)) if i in answerable else each for i, each in enumerate(checked)
        )
    said = [opened.said(query) for query in queries]
    answers = answers_of(corpus, chosen, opened.aligner, said=said)
    for i, concept, answer, earlier in zip(answerable, chosen.concepts, answers, said, strict=True):
        check = concept.check if drafts[i].reading else checked[i].check
        examples = mentions_of(replace(concept.check, named=concept.examples), corpus)
        shown = ShownAnswer.of(answer, 0 if earlier is None else len(earlier.verdicts))
        looked[i] = replace(checked[i], concept=concept, check=check, examples=examples, answer=shown)
    return tuple(looked)


def _check(corpus: Corpus, draft: Draft, vectors: WordVectors | None) -> LookedUp:
    if draft.is_empty:
        return LookedUp()
    try:
        check = check_query(corpus, draft.query(), draft.rule, vectors=vectors)
        return LookedUp(check, mentions=mentions_of(check, corpus) if check.verdict == "passing" else ())
    except QdtmError as error:
        return LookedUp(problem=str(error))


def drafts_to_text(drafts: Sequence[Draft]) -> str:
    """Return drafts in a form that an address can hold, so that a reloaded page still has them."""
    return json.dumps([_short(draft) for draft in drafts if not draft.is_empty], separators=(",", ":"))


def drafts_from_text(text: str) -> tuple[Draft, ...]:
    """Return the drafts that `drafts_to_text` wrote; of anything else, what makes sense."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    if not isinstance(values, list):
        return ()
    return tuple(_draft(value) for value in values[:MAX_QUERIES] if isinstance(value, dict))


def _short(draft: Draft) -> dict[str, Any]:
    default = asdict(Draft())
    return {name: value for name, value in asdict(draft).items() if value != default[name]}


def _draft(values: dict[str, Any]) -> Draft:
    text, rule, expansion = (values.get(name) for name in ("text", "rule", "expansion"))
    lists = {name: _words(values.get(name)) for name in ("keywords", "add", "drop", "exclude")}
    reading = values.get("reading")
    return Draft(
        text=text[:_LONGEST] if isinstance(text, str) else "",
        rule="or" if rule == "or" else "and",
        expansion=next((choice for choice in CHOICES if choice == expansion), "kld"),
        reading=reading if type(reading) is int and 0 < reading < 10 else 0,
        **lists,
    )


def _words(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(word[:_LONGEST] for word in value[:_MOST_WORDS] if isinstance(word, str) and word.strip())
