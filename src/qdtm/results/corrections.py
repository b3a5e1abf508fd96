"""Corrections by hand: a fit as it was found and acts in, the fit as it is shown out.

Topics are renamed, subtopics merged, hidden or split, words dropped from what is shown of a topic. Each is an
act of the result's journal (`qdtm.results.journal`), so that it can be undone; what was fitted never changes.
The corrected fit is a `ModelFit` like any other, and so whatever shows a result follows.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.errors import ParameterError, QdtmError, QueryError
from qdtm.results.fit import Corrections, Hidden, ModelFit, checked_labels
from qdtm.results.journal import Act, History
from qdtm.results.splits import Grouping, Split, above, below, is_within, level_order, subtopic_ids, tokens_in
from qdtm.results.stability import Stability, SubtopicStability
from qdtm.results.topics import build_topics, topic_id

if TYPE_CHECKING:
    from qdtm.progress import ProgressCallback
    from qdtm.results.result import Result
    from qdtm.settings import Settings

RENAME, MERGE, HIDE, SPLIT, DROP_WORD = KINDS = "rename", "merge", "hide", "split", "drop_word"
"""The kinds of acts that correct a result; a journal may have others."""

Opener = Callable[[ModelFit, Corpus, str], ModelFit]
"""Opens a subtopic into its own; see `open_as_recorded`."""


class Corrected(NamedTuple):
    """What acts made of a fit.

    Attributes
    ----------
    fit : ModelFit
        As it is shown.
    found : ModelFit
        As it was found; with what opening subtopics found, which need not be found again.
    passed_over : tuple of (Act, str)
        The acts that cannot be applied any more, as those on what an undone act had made; and why.
    """

    fit: ModelFit
    found: ModelFit
    passed_over: tuple[tuple[Act, str], ...] = ()


def correct(found: ModelFit, corpus: Corpus, history: History, opener: Opener | None = None) -> Corrected:
    """Apply all corrections that are in force to a fit.

    Parameters
    ----------
    found : ModelFit
        As it was found.
    corpus : Corpus
        What it was fitted on.
    history : History
    opener : callable, optional
        Opens subtopics, by default with the settings that the fit records.
    """
    done = Corrected(_as_begun(found, history), found)
    for act in corrections_of(history):
        try:
            done = apply(done, corpus, act, opener)
        except QdtmError as error:
            done = done._replace(passed_over=(*done.passed_over, (act, str(error))))
    return done


def corrections_of(history: History) -> tuple[Act, ...]:
    """Return the acts in force that are corrections."""
    return tuple(act for act in history.acts if act.kind in KINDS)


def undone_corrections(history: History) -> tuple[Act, ...]:
    """Return the corrections that were undone, the last one at the end."""
    return tuple(act for act in history.undone if act.kind in KINDS)


def apply(done: Corrected, corpus: Corpus, act: Act, opener: Opener | None = None) -> Corrected:
    """Apply one more act.

    Raises
    ------
    QueryError, ParameterError
        If there is no such topic, or it cannot be done.
    """
    fit, values = done.fit, act.values
    if act.kind == SPLIT:
        return _split(done, corpus, _text(values, "subtopic"), opener or open_as_recorded)
    if act.kind == RENAME:
        corrected = _rename(fit, _text(values, "topic"), _text(values, "name"))
    elif act.kind == MERGE:
        corrected = _merge(fit, values.get("subtopics"))
    elif act.kind == HIDE:
        corrected = _hide(fit, _text(values, "subtopic"))
    else:
        corrected = _drop_word(fit, _text(values, "topic"), _text(values, "word"))
    return done._replace(fit=corrected)


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    if not isinstance(value, str):
        raise ParameterError(f"A correction lacks its {name}.")
    return value


def _as_begun(found: ModelFit, history: History) -> ModelFit:
    """Return a fit with only those subtopics open that no act opens: acts decide about the others."""
    by_acts = {act.values.get("subtopic") for act in history.lines if act.kind == SPLIT}
    kept: list[Split] = []
    for split in found.splits:
        is_there = above(split.of).count(".") == 0 or any(each.of == above(split.of) for each in kept)
        if split.of not in by_acts and is_there:
            kept.append(split)
    return found if len(kept) == len(found.splits) else replace(found, splits=tuple(kept))


# --- each kind ----------------------------------------------------------------------------------------------


def _rename(fit: ModelFit, id: str, name: str) -> ModelFit:
    labels = {**fit.presentation.labels, **checked_labels({id: name}, topic_ids(fit))}
    return _with_labels(fit, {id: label for id, label in labels.items() if label})


def _with_labels(fit: ModelFit, labels: Mapping[str, str]) -> ModelFit:
    return replace(fit, presentation=replace(fit.presentation, labels=labels))


def _merge(fit: ModelFit, ids: Any) -> ModelFit:
    """Merge subtopics into the first of them."""
    if not isinstance(ids, list | tuple) or not all(isinstance(id, str) for id in ids):
        raise ParameterError("A merge lacks its subtopics.")
    if len(set(ids)) < 2:
        raise ParameterError("Give two subtopics or more to merge, such as 0.1 and 0.3.")
    for id in ids:
        _check_subtopic(fit, id)
    first, *others = ids
    for id in others:
        if above(id) != above(first):
            raise QueryError(f"{first} and {id} cannot be merged: they are not parts of the same topic.")
    return _regroup(fit, _Move.of(fit, above(first), dict.fromkeys(others, first)))


def _hide(fit: ModelFit, id: str) -> ModelFit:
    _check_subtopic(fit, id)
    return _regroup(fit, _Move.of(fit, above(id), {id: None}))


def _drop_word(fit: ModelFit, id: str, word: str) -> ModelFit:
    """Take a word out of what is shown of a topic."""
    if id not in topic_ids(fit):
        raise QueryError(f"There is no topic {id!r} in this model.{_closest(id, topic_ids(fit))}")
    known, dropped = word in fit.vocabulary, fit.corrections.dropped_words
    if not known or word in dropped.get(id, ()):
        shown = _topic_words(fit, id)
        raise QueryError(f"{word!r} is not among the words of {id}.{_closest(word, shown)}")
    names = {each: name for each, name in _names(fit).items() if each != id or not _says(name, word)}
    more = {**dropped, id: (*dropped.get(id, ()), word)}
    return replace(fit, corrections=replace(fit.corrections, dropped_words=more, names=names))


def _says(name: str, word: str) -> bool:
    return bool({name, *name.split(", ")} & {word})


def _topic_words(fit: ModelFit, id: str) -> list[str]:
    parents, background = build_topics(fit)
    topics = {each.id: each for topic in (*parents, *background) for each in topic.walk()}
    return [word for word, _ in topics[id].top_words(100)]


def _split(done: Corrected, corpus: Corpus, id: str, opener: Opener) -> Corrected:
    """Open a subtopic; what was found of the same tokens before is not looked for again."""
    fit, found = done.fit, done.found
    if any(split.of == id for split in fit.splits):
        raise QueryError(f"Subtopic {id} has been split already.")
    as_found = id in _subtopics(found) and id in _subtopics(fit) and _same_tokens(fit, found, id)
    known = next((split for split in found.splits if split.of == id and as_found), None)
    if known is None:
        known = next(split for split in opener(fit, corpus, id).splits if split.of == id)
        if as_found:
            found = replace(found, splits=level_order([*found.splits, known]))
    return done._replace(fit=replace(fit, splits=level_order([*fit.splits, known])), found=found)


def _same_tokens(fit: ModelFit, other: ModelFit, id: str) -> bool:
    return np.array_equal(tokens_in(fit, id), tokens_in(other, id))


def open_as_recorded(
    fit: ModelFit,
    corpus: Corpus,
    id: str,
    settings: Settings | None = None,
    progress: ProgressCallback | None = None,
) -> ModelFit:
    """Open a subtopic into its own with the settings that the fit records; see `qdtm.drill_down`.

    What no document is mainly in goes to the rest, where several subtopics are left: a list of subtopics
    without documents says little.
    """
    from qdtm.drill_down import open_subtopic  # loads the sampler
    from qdtm.fitting import corpus_inside
    from qdtm.model import QueryDrivenTopicModel
    from qdtm.results.fit import gather_fit, spread_fit
    from qdtm.results.result import Result

    settings = settings or QueryDrivenTopicModel.of(Result(fit, corpus))._settings()
    inside = corpus_inside(corpus, settings)
    opened = open_subtopic(gather_fit(fit, inside, corpus), inside, id, settings, progress)
    return _with_documents(spread_fit(opened, inside, corpus), corpus, id)


def _with_documents(fit: ModelFit, corpus: Corpus, id: str) -> ModelFit:
    """Leave out the subtopics below an opened one that are the main one of no document.

    Answers of people are passed over: what is opened does not depend on who looked before.
    """
    has_any = _main_below(fit, corpus, id)
    if has_any.all() or has_any.sum() < 2:  # the parts of a few documents are told by their words alone
        return fit
    splits = tuple(_of_some(each, has_any) if each.of == id else each for each in fit.splits)
    return _with_documents(replace(fit, splits=splits), corpus, id)  # shares of what is left have changed


def _main_below(fit: ModelFit, corpus: Corpus, id: str) -> NDArray[np.bool_]:
    """Which of the subtopics right below an opened one some document is mainly in, (S,)."""
    from qdtm.results.result import Result

    scores = Result(replace(fit, checks=()), corpus).scores(int(id.partition(".")[0]))
    return np.array([scores.mainly_in(scores.ids.index(each)).any() for each in below(fit, id).ids])


def _of_some(split: Split, kept: NDArray[np.bool_]) -> Split:
    """Return a split with some of its subtopics; the others go to the rest."""
    size = split.counts.sum(axis=0, dtype=np.float64)  # (S,)
    lost = float(size[~kept].sum() / max(size.sum(), 1e-9))
    place = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1).astype(np.int32)  # the last for none
    return replace(
        split,
        counts=np.ascontiguousarray(split.counts[:, kept]),
        rest=min(split.rest + (1.0 - split.rest) * lost, 1.0),
        token_children=place[split.token_children],
    )


def going_on(result: Result) -> tuple[ModelFit, History]:
    """Return a result as it was found, to be fitted further, and the acts that can be done to it then.

    Topics of the background may get other ids: their names become part of the fit, and go with them.
    """
    found, labels = result.as_found, result.fit.presentation.labels
    background = {id: label for id, label in labels.items() if id.startswith("b")}
    open_now = {split.of for split in result.fit.splits}
    kept = tuple(line for line in result.history.lines if not _is_of_background(line))
    splits = tuple(split for split in found.splits if split.of in open_now)
    found = _with_labels(replace(found, splits=splits), {**found.presentation.labels, **background})
    return found, replace(result.history, lines=kept)


def _is_of_background(act: Act) -> bool:
    return act.kind in KINDS and str(act.values.get("topic")).startswith("b")


# --- as it is typed -----------------------------------------------------------------------------------------

COMMANDS = {
    "rename": "TOPIC NAME",
    "merge": "SUBTOPIC SUBTOPIC...",
    "hide": "SUBTOPIC",
    "split": "SUBTOPIC",
    "drop-word": "TOPIC WORD",
    "undo": "[NUMBER]",
    "redo": "[NUMBER]",
}
"""What can be done by name, and to what."""

_HOW_MANY = {"merge": (2, 1000), "hide": (1, 1), "split": (1, 1), "undo": (0, 1), "redo": (0, 1)}


def correct_result(result: Result, kind: str, values: Sequence[str]) -> Result:
    """Correct a result, given what to do and to what as texts: "merge", ("0.1", "0.3").

    Raises
    ------
    QueryError, ParameterError
        If there is no such topic, or it cannot be done.
    """
    doing: dict[str, Callable[..., Result]] = {
        "rename": result.rename,
        "merge": lambda *ids: result.merge(ids),
        "hide": result.hide,
        "split": result.split,
        "drop-word": result.drop_word,
        "undo": lambda *number: result.undo(*map(_act_number, number)),
        "redo": lambda *number: result.redo(*map(_act_number, number)),
    }
    if kind not in doing:
        raise ParameterError(f"{kind!r} is no correction; give one of {', '.join(doing)}.")
    least, most = _HOW_MANY.get(kind, (2, 2))
    if not least <= len(values) <= most:
        raise ParameterError(f"Give {kind} {COMMANDS[kind]}.")
    return doing[kind](*values)


def typed(act: Act) -> tuple[str, ...]:
    """Return a correction as it would be typed: ("merge", "0.1", "0.3")."""
    values = act.values
    if act.kind == MERGE:
        return "merge", *map(str, values["subtopics"])
    names = {RENAME: ("topic", "name"), DROP_WORD: ("topic", "word")}.get(act.kind, ("subtopic",))
    return act.kind.replace("_", "-"), *(str(values[name]) for name in names)


def _act_number(value: str) -> int:
    if not str(value).isdecimal() or len(str(value)) > 9:
        raise ParameterError(f"The number of an act is {value!r}; give a whole number.")
    return int(value)


# --- merged and hidden columns ------------------------------------------------------------------------------


class _Move(NamedTuple):
    """What becomes of the S subtopics right below a topic.

    `ids` are theirs, `kept` those that are shown then, and `into` says as which of these each is, (S,); -1
    for none. `touched` are the ids of what is not as it was.
    """

    topic: str
    ids: tuple[str, ...]
    counts: NDArray[np.float32]
    kept: tuple[str, ...]
    into: NDArray[np.int64]
    touched: frozenset[str]

    @classmethod
    def of(cls, fit: ModelFit, topic: str, goals: Mapping[str, str | None]) -> _Move:
        """Return where all go if some go into another, or nowhere."""
        _, ids, counts = below(fit, topic)
        kept = tuple(id for id in ids if id not in goals)
        went = [goals.get(id, id) for id in ids]
        into = np.array([-1 if goal is None else kept.index(goal) for goal in went], np.int64)
        touched = frozenset(goals) | {goal for goal in goals.values() if goal}
        return cls(topic, ids, counts, kept, into, touched)

    @property
    def hidden_share(self) -> float:
        """The share of the words of all that those have which go nowhere."""
        return float(self.sizes[self.into < 0].sum()) / max(float(self.sizes.sum()), 1.0)

    @property
    def sizes(self) -> NDArray[np.float64]:
        """Tokens of each, (S,)."""
        return np.asarray(self.counts.sum(axis=0, dtype=np.float64))

    def columns(self) -> NDArray[np.float32]:
        """Add up the counts of what goes to the same place, (V, S')."""
        moved = np.zeros((len(self.counts), len(self.kept)), np.float32)
        for column, s in zip(self.counts.T, self.into.tolist(), strict=True):
            if s >= 0:
                moved[:, s] += column
        return moved

    def tokens(self, tokens: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return where tokens are then."""
        moved: NDArray[np.int32] = np.append(self.into, -1)[tokens].astype(np.int32)  # the last for none
        return moved


def _regroup(fit: ModelFit, move: _Move) -> ModelFit:
    """Show the subtopics below a topic otherwise; what was open below the touched ones closes."""
    kept = tuple(split for split in fit.splits if not _is_under(split.of, move.touched))
    parts = _below_split(kept, move) if "." in move.topic else _below_query(fit, move)
    return replace(
        fit,
        presentation=replace(fit.presentation, labels=_moved_labels(fit, move)),
        corrections=_moved_corrections(fit, move),
        **{"splits": kept, **parts},
    )


def _below_query(fit: ModelFit, move: _Move) -> dict[str, Any]:
    """Return the parts of a fit that are about the subtopics right below a query."""
    q = int(move.topic)
    counts, rest, tokens = list(fit.subtopic_counts), list(fit.subtopic_rest), fit.token_subtopics.copy()
    counts[q], rest[q] = move.columns(), rest[q] + (1 - rest[q]) * move.hidden_share
    own = fit.token_topics == q
    tokens[own] = move.tokens(tokens[own])
    return {
        "subtopic_counts": tuple(counts),
        "subtopic_rest": tuple(rest),
        "token_subtopics": tokens,
        "stability": None if fit.stability is None else _moved_stability(fit.stability, q, move),
    }


def _below_split(splits: Sequence[Split], move: _Move) -> dict[str, Any]:
    """Return the splits with other subtopics below one of them."""

    def moved(split: Split) -> Split:
        rest = split.rest + (1 - split.rest) * move.hidden_share
        return replace(
            split, counts=move.columns(), rest=rest, token_children=move.tokens(split.token_children)
        )

    return {"splits": tuple(moved(each) if each.of == move.topic else each for each in splits)}


def _moved_stability(stability: Stability, q: int, move: _Move) -> Stability:
    """Say how firm subtopics are after some were merged or hidden."""
    known = stability.queries[q]
    if not known.subtopics:
        return stability
    parts = [
        [each for each, at in zip(known.subtopics, move.into, strict=True) if at == s]
        for s in range(len(move.kept))
    ]
    moved = replace(known, subtopics=tuple(map(_together, move.kept, parts)))
    return replace(stability, queries=(*stability.queries[:q], moved, *stability.queries[q + 1 :]))


def _together(id: str, parts: Sequence[SubtopicStability]) -> SubtopicStability:
    """A merged subtopic is found in a run if all of its parts are: nobody looked for them together."""
    if len(parts) == 1:
        return parts[0]
    likeness = tuple(min(each) for each in zip(*(part.likeness for part in parts), strict=True))
    n_parts = sum(part.n_parts for part in parts)
    score = float(np.mean(likeness)) if likeness else 0.0
    return SubtopicStability(id, score, likeness, (), (), parts[0].found_from, n_parts)


# --- names and words ----------------------------------------------------------------------------------------


def _rest(fit: ModelFit, topic: str) -> float:
    """What of a topic that was split is in none of its subtopics."""
    if "." not in topic:
        return fit.subtopic_rest[int(topic)]
    return next((split.rest for split in fit.splits if split.of == topic), 0.0)


def _moved_corrections(fit: ModelFit, move: _Move) -> Corrections:
    """Say what is merged and hidden now; all that is not touched keeps its name."""
    known, names = fit.corrections, _names(fit)
    numbers = [int(id.rpartition(".")[2]) for id in move.kept]
    grouping = known.groupings.get(move.topic) or Grouping.of(move.counts)
    merged, words, hidden = dict(known.merged), dict(known.dropped_words), []
    for s, (id, at) in enumerate(zip(move.ids, move.into.tolist(), strict=True)):
        if at < 0:
            share = (1.0 - _rest(fit, move.topic)) * float(move.sizes[s] / max(move.sizes.sum(), 1.0))
            hidden.append(Hidden(id, fit.presentation.labels.get(id) or names[id], share))
        elif (goal := move.kept[at]) != id:
            merged[goal] = (*merged.get(goal, ()), id, *merged.pop(id, ()))
            words[goal] = tuple(dict.fromkeys((*words.get(goal, ()), *words.pop(id, ()))))
    regrouped = {move.topic: grouping.regroup(move.into, numbers)}
    return Corrections(
        groupings=_untouched(known.groupings, move) | regrouped,
        merged=_remaining(merged, move),
        hidden=(*(each for each in known.hidden if not _is_under(each.id, move.touched)), *hidden),
        names=_untouched(names, move),
        dropped_words={id: each for id, each in _remaining(words, move).items() if each},
    )


def _moved_labels(fit: ModelFit, move: _Move) -> dict[str, str]:
    """The user's names; what was merged into a subtopic without one gives it its own."""
    labels = dict(fit.presentation.labels)
    for id, at in zip(move.ids, move.into.tolist(), strict=True):
        if at >= 0 and id in labels:
            labels.setdefault(move.kept[at], labels[id])
    return _remaining(labels, move)


def _names(fit: ModelFit) -> dict[str, str]:
    """What subtopics are called as long as no person names them."""
    parents, _ = build_topics(_with_labels(fit, {}))
    return {each.id: each.short_name for parent in parents for each in parent.below()}


def _is_under(id: str, others: Collection[str]) -> bool:
    return any(is_within(id, other) for other in others)


def _untouched(values: Mapping[str, Any], move: _Move) -> dict[str, Any]:
    """Return what is said of topics that are as they were."""
    return {id: value for id, value in values.items() if not _is_under(id, move.touched)}


def _remaining(values: Mapping[str, Any], move: _Move) -> dict[str, Any]:
    """Return what is said of topics that are as they were, or that others were merged into."""
    return {id: value for id, value in values.items() if id in move.kept or not _is_under(id, move.touched)}


# --- ids ----------------------------------------------------------------------------------------------------


def _subtopics(fit: ModelFit) -> list[str]:
    return [id for q in range(fit.n_queries) for id in subtopic_ids(fit, q)]


def topic_ids(fit: ModelFit) -> list[str]:
    """Return the ids of all topics and subtopics."""
    return [*(topic_id(k, fit.n_queries) for k in range(fit.n_topics)), *_subtopics(fit)]


def _check_subtopic(fit: ModelFit, id: str) -> None:
    known = _subtopics(fit)
    if id in known:
        return
    if id in topic_ids(fit):
        raise QueryError(f"{id!r} is a topic; give the id of a subtopic, such as '{id.strip('b')}.1'.")
    for goal, parts in fit.corrections.merged.items():
        if id in parts:
            raise QueryError(f"There is no subtopic {id!r} any more: it was merged into {goal}.")
    if any(each.id == id for each in fit.corrections.hidden):
        raise QueryError(f"There is no subtopic {id!r} any more: it was hidden.")
    raise QueryError(f"There is no subtopic {id!r} in this model.{_closest(id, known)}")


def _closest(wanted: str, known: Collection[str]) -> str:
    closest = difflib.get_close_matches(wanted, known, n=1)
    return f" Closest: {closest[0]!r}." if closest else ""


# --- in words -----------------------------------------------------------------------------------------------

_SMALL = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def said(act: Act) -> str:
    """Say in a clause what an act did, such as "0.3 was merged into 0.1"."""
    values = act.values
    if act.kind == RENAME:
        name = values.get("name")
        return f"{values.get('topic')} was named “{name}”" if name else f"{values.get('topic')} lost its name"
    if act.kind == MERGE:
        subtopics = values.get("subtopics")
        known = isinstance(subtopics, list) and len(subtopics) > 1
        first, *others = map(str, subtopics if known else ("?", "?"))  # type: ignore[arg-type]
        return f"{_listed(others)} {'was' if len(others) == 1 else 'were'} merged into {first}"
    if act.kind == HIDE:
        return f"{values.get('subtopic')} was hidden"
    if act.kind == SPLIT:
        return f"{values.get('subtopic')} was split"
    if act.kind == DROP_WORD:
        return f"“{values.get('word')}” was dropped from the words of {values.get('topic')}"
    return act.kind


def summary(fit: ModelFit, history: History) -> str:
    """Say in one sentence what was corrected by hand; nothing if nothing was."""
    parts = list(_summarised(fit, history))
    if not parts:
        return ""
    sentence = f"{_listed(parts)} by hand."
    return sentence[0].upper() + sentence[1:]


def _summarised(fit: ModelFit, history: History) -> Iterator[str]:
    acts, known = corrections_of(history), fit.corrections
    n_merged = sum(len(parts) + 1 for parts in known.merged.values())
    n_words = sum(map(len, known.dropped_words.values()))
    opened = {act.values.get("subtopic") for act in acts if act.kind == SPLIT}
    n_split = sum(split.of in opened for split in fit.splits)
    labels = fit.presentation.labels
    by_hand = {
        act.values.get("topic") for act in acts if act.kind == RENAME and not act.by.startswith(BY_MODEL)
    }
    n_named = sum(id in by_hand for id in labels)
    if n_merged:
        yield f"{_number(n_merged)} subtopics were merged into {_number(len(known.merged))}"
    if known.hidden:
        yield f"{_counted(len(known.hidden), 'subtopic')} hidden"
    if n_split:
        yield f"{_counted(n_split, 'subtopic')} split further"
    if n_words:
        yield f"{_counted(n_words, 'word')} dropped from what is shown of topics"
    if n_named:
        yield f"{_counted(n_named, 'topic')} named"


BY_MODEL = "language model "
"""How an act says that no person did it."""


def _number(n: int) -> str:
    return _SMALL[n] if n < len(_SMALL) else f"{n:,}"


def _counted(n: int, noun: str) -> str:
    return f"{_number(n)} {noun}{' was' if n == 1 else 's were'}"


def _listed(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts) or "nothing"
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
