"""Names of subtopics by a language model on this machine: a `Result` and a server's address in, names out.

Any server with the usual chat interface will do (`POST /chat/completions`). It gets the words and some
passages of each subtopic, and must quote one of these for its name; a name without a true quotation is not
taken. A name says who gave it, and the user's own names stay.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from qdtm.errors import ParameterError, QdtmError
from qdtm.results.representative import representative_documents
from qdtm.results.result import Result
from qdtm.results.topics import Topic

HERE = ("127.0.0.1", "localhost", "::1")
"""Hosts that are this machine: passages are sent to no other."""

N_WORDS, N_PASSAGES, LONGEST_PASSAGE = 12, 3, 600
"""What a model is shown of a subtopic: words, passages, and characters of each."""

LONGEST_NAME, SHORTEST_QUOTE = 60, 8
"""Characters of a name at most, and of what is quoted for it at least."""

MOST_BYTES, SECONDS = 1_000_000, 120.0
"""An answer may be so long, and take so long."""

MARK = " (named by {})"

ASKED = """Name a group of documents in two to five words, as a librarian would: specific, no full sentence.
Answer with JSON only: {{"name": "...", "quote": "..."}}, where quote is copied word by word from one passage
and shows that the name is right. Names that are taken: {taken}.

Words of the group: {words}

{passages}"""


class ServerError(QdtmError):
    """The server of a language model did not answer as it should."""


def name_by_model(result: Result, server: str, model: str) -> dict[str, str]:
    """Ask a language model for the names of all subtopics that the user has not named.

    Parameters
    ----------
    result : Result
    server : str
        The address of its interface on this machine, such as "http://127.0.0.1:11434/v1".
    model : str
        What the server calls the model.

    Returns
    -------
    dict of str to str
        A name by id, marked as the model's; none for a subtopic whose name it could not prove.

    Raises
    ------
    ParameterError
        If the address is not one of this machine.
    ServerError
        If nobody answers there, or with something else.
    """
    mark, names = MARK.format(model), dict[str, str]()
    for topic in _unnamed(result, mark):
        texts = [document.text for document in representative_documents(result, topic.id)[topic.id]]
        passages = [" ".join(text.split())[:LONGEST_PASSAGE] for text in texts[:N_PASSAGES]]
        answer = ask(server, model, _question(topic, passages, names))
        if (name := proven_name(answer, passages)) and name.lower() not in map(str.lower, names.values()):
            names[topic.id] = name
    return {id: name + mark for id, name in names.items()}


def proven_name(answer: str, passages: list[str]) -> str | None:
    """Return the name of an answer if what it quotes is in a passage; None otherwise."""
    start, end = answer.find("{"), answer.rfind("}")
    try:
        said = json.loads(answer[start : end + 1]) if start >= 0 else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, Mapping):
        return None
    name, quote = (" ".join(str(said.get(key, "")).split()) for key in ("name", "quote"))
    is_there = any(quote.lower() in passage.lower() for passage in passages)
    return name if 0 < len(name) <= LONGEST_NAME and len(quote) >= SHORTEST_QUOTE and is_there else None


def ask(server: str, model: str, question: str) -> str:
    """Send one question to a server on this machine; return what its model says."""
    address = urlsplit(server)
    if address.scheme != "http" or address.hostname not in HERE:
        raise ParameterError(
            f"The server is {server!r}; give one of this machine, such as http://127.0.0.1:11434/v1."
        )
    content = {"model": model, "temperature": 0, "messages": [{"role": "user", "content": question}]}
    try:
        connection = http.client.HTTPConnection(address.hostname, address.port or 80, timeout=SECONDS)
        path = f"{address.path.rstrip('/')}/chat/completions"
        connection.request("POST", path, json.dumps(content), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        said = answer.read(MOST_BYTES)
        connection.close()
    except (OSError, http.client.HTTPException) as error:
        raise ServerError(f"The server {server} does not answer: {error}.") from error
    if answer.status != http.client.OK:
        raise ServerError(f"The server {server} answers {answer.status} {answer.reason}.")
    return _said(said, server)


def _said(answer: bytes, server: str) -> str:
    """Return the text of an answer of the chat interface."""
    try:
        text = json.loads(answer)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise ServerError(f"The server {server} does not have the chat interface.") from error
    return str(text)


def _unnamed(result: Result, mark: str) -> Iterator[Topic]:
    """Yield the subtopics without a name of the user's."""
    for parent in result.topics:
        yield from (each for each in parent.below() if each.label is None or each.label.endswith(mark))


def _question(topic: Topic, passages: list[str], names: Mapping[str, Any]) -> str:
    words = ", ".join(dict.fromkeys([*topic.label_words, *(word for word, _ in topic.top_words(N_WORDS))]))
    numbered = "\n\n".join(f"Passage {n}: {passage}" for n, passage in enumerate(passages, start=1))
    return ASKED.format(taken=", ".join(names.values()) or "none", words=words, passages=numbered)
