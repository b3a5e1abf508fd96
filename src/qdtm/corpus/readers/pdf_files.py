"""A PDF file in, its contents out (pypdfium2, of the extra `documents`).

PDFium runs in a process of its own, which is started when it is first needed and ends with this one: a page
on which it hangs, crashes or takes all memory costs that file and no more, and Ctrl-C is heard.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from qdtm.corpus.readers.contents import PAGE, Contents, needed
from qdtm.corpus.readers.encoding import reading_errors
from qdtm.corpus.readers.records import MAX_TEXT, MAX_TEXT_MB, CorpusWarning
from qdtm.errors import CorpusError

MAX_PAGES = 5_000
MAX_PDF_BYTES = 2**30
MAX_SECONDS = 300.0
"""What a file may take; most take milliseconds."""

PAGE_SECONDS = 20.0
"""What a page may take; one that is made to take longer is not waited for."""

_MEGABYTES = 1_024
_LINE_END_HYPHEN = re.compile(r"(?:[\x02\ufffe]|(?<=[^\W\d_])-\n)(?=[a-zà-ÿ])")
_LETTERLESS = str.maketrans({"\x02": "-", "\ufffe": "-", "\0": " "})


def read_pdf(path: Path, _encoding: str | None) -> Contents:
    """Read the text of a PDF file, page by page."""
    needed("pypdfium2", "documents", path)
    with reading_errors(path):
        path.open("rb").close()  # what the system says is clearer than what PDFium does
        if path.stat().st_size > MAX_PDF_BYTES:
            raise CorpusError(f"{str(path)!r} is larger than {MAX_PDF_BYTES >> 20:,} MB.")
    pages, said = _PROCESS.read(path)
    if not any(map(str.strip, pages)):
        raise CorpusError(f"{str(path)!r} has no text; is it scanned?")
    return Contents(PAGE.join(pages), said["Title"], said["CreationDate"], said["Author"])


def _plain(text: str) -> str:
    """Return the text of a page, with words put together that the end of a line had cut."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace(PAGE, "\n")
    return _LINE_END_HYPHEN.sub("", text).translate(_LETTERLESS)


# --- here ---------------------------------------------------------------------------------------------------


class _Process:
    """The process that PDFium runs in; one file at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._one_at_a_time = threading.Lock()

    def read(self, path: Path) -> tuple[list[str], dict[str, str]]:
        """Return the text of each page, of the first `MAX_PAGES`, and what the file says about itself."""
        with self._one_at_a_time:
            process = self._started(path)
            try:
                with _watched(process) as heard:
                    pages, said = self._asked(process, path, heard)
            except BaseException:  # what it still says would be taken for the answer about the next file
                self.end()
                raise
        if "error" in said:
            raise CorpusError(f"{str(path)!r} {said['error']}.")
        if said["n_pages"] > MAX_PAGES:
            message = f"{path.name!r} has {said['n_pages']:,} pages; the first {MAX_PAGES:,} were read."
            warnings.warn(message, CorpusWarning, stacklevel=2)
        return [_plain(page) for page in pages], said["metadata"]

    def _asked(self, process: Any, path: Path, heard: _Heard) -> tuple[list[str], dict[str, Any]]:
        pages: list[str] = []
        left = MAX_TEXT
        with suppress(BrokenPipeError):
            _write(process.stdin, [str(path.absolute()), MAX_PAGES])
        while (answer := _read(process.stdout)) is not None:
            heard.count += 1
            if "page" not in answer:
                return pages, answer
            pages.append(answer["page"])
            left -= len(pages[-1])
            if left < 0:
                raise CorpusError(f"{str(path)!r} has more than {MAX_TEXT_MB} MB of text; split it.")
        if heard.was_late:
            raise CorpusError(f"{str(path)!r} takes too long to read: page {len(pages) + 1:,}.")
        raise CorpusError(f"{str(path)!r} is not a PDF file, or is damaged.")  # PDFium gave up, all of it

    def _started(self, path: Path) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None or self._owner != os.getpid():
            with reading_errors(path):
                self._process = subprocess.Popen(  # noqa: S603 - our own module
                    [sys.executable, "-P", "-m", __name__],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C is for us
                    env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                )
            self._owner = os.getpid()
        return self._process

    def end(self) -> None:
        """End the process, if there is one and it is ours."""
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.communicate()


_PROCESS = _Process()
atexit.register(_PROCESS.end)


class _Heard:
    """How often a process was heard, and whether it was given up."""

    count = 0
    was_late = False


@contextmanager
def _watched(process: subprocess.Popen[bytes]) -> Iterator[_Heard]:
    """Kill a process that is not heard of for `PAGE_SECONDS`, or takes `MAX_SECONDS`."""
    heard, done = _Heard(), threading.Event()

    def watch() -> None:
        n_before, left = -1, MAX_SECONDS
        while not done.wait(PAGE_SECONDS):
            left -= PAGE_SECONDS
            if heard.count == n_before or left < 0:
                heard.was_late = True
                process.kill()
                return
            n_before = heard.count

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield heard
    finally:
        done.set()
        watcher.join()


def _write(stream: IO[bytes], value: Any) -> None:
    stream.write(json.dumps(value).encode() + b"\n")
    stream.flush()


def _read(stream: IO[bytes]) -> Any:
    """Return the next value; None at the end."""
    line = stream.readline()
    return json.loads(line) if line.endswith(b"\n") else None


# --- there --------------------------------------------------------------------------------------------------


def main() -> None:
    """Read the files that are named on standard input, and say what is in them, until that ends."""
    import pypdfium2 as pdfium

    from qdtm.memory import limit_memory

    limit_memory(_MEGABYTES)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing but answers goes there
    while (asked := _read(sys.stdin.buffer)) is not None:
        for answer in _answers(pdfium, *asked):
            _write(answers, answer)


def _answers(pdfium: Any, path: str, max_pages: int) -> Iterator[dict[str, Any]]:
    try:
        document = pdfium.PdfDocument(path)
        try:
            for number in range(min(len(document), max_pages)):
                yield {"page": _page(document, number)}
            yield {"n_pages": len(document), "metadata": document.get_metadata_dict()}
        finally:
            document.close()
    except MemoryError:
        yield {"error": "takes too much memory to read"}
    except Exception as error:  # a damaged file may raise anything
        is_locked = any(word in str(error).lower() for word in ("password", "security"))
        yield {
            "error": "is encrypted; save it without a password"
            if is_locked
            else "is not a PDF file, or is damaged"
        }


def _page(document: Any, number: int) -> str:
    page = document[number]
    try:
        return str(page.get_textpage().get_text_bounded(errors="replace"))
    finally:
        page.close()


if __name__ == "__main__":
    main()
