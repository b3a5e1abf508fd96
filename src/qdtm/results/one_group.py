"""Topics that were looked at for subtopics and have none: a topic in, how to say that it is one group out.

Its data keep the one subtopic, with its runs and documents; whoever shows it says this in its place, since a
table with one row of all documents reads as if the topic had been split.
"""

from __future__ import annotations

from qdtm.results.result import Result
from qdtm.results.topics import Topic

NEXT_TO_NOTHING = 0.05
"""The share of a topic's words outside its one subtopic below which that is all of it: not one in twenty."""


def one_group(result: Result, topic: Topic) -> str:
    """Say that the documents of a topic are one group, and in how many runs; nothing if they are not.

    Nothing either where somebody named, opened, merged or hid what is below it, and wants to see it.
    """
    known, stability = result.fit.corrections, result.stability
    if len(topic.subtopics) != 1 or topic.rest >= NEXT_TO_NOTHING or known.hidden_below(topic.id):
        return ""
    (subtopic,) = topic.subtopics
    if subtopic.subtopics or subtopic.label or subtopic.id in known.merged:
        return ""
    found = None if stability is None else stability.of(subtopic.id)
    runs = "" if found is None else f", in {found.n_found} of {len(found.likeness)} runs"
    return f"the documents about it are one group{runs}"
