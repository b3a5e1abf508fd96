"""The app under load: many clients, typists, fits, and some that mean harm, on loopback.

In: nothing. Out: a JSON object: requests and answers by status and how long they took, what became of each
kind of abuse and of each fit, and the server's memory at the start and at the end. Two servers with
workspaces of their own run side by side; each client knows which one it asks, and looks for the other's in
every answer. Both are asked for fits, some with queries of their own; the first is the same and must give the
same bytes in both. Whoever types the same query must be told the same, at any time and by both.

    python -m experiments app-load [--clients 20] [--typists 5] [--seconds 600] [--fits 1] [--documents 20000]
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from experiments.datasets.paper_corpora import load_raw
from experiments.measurements.app_typing import Answers, keep_typing, percentiles
from qdtm.app.corpora import Upload, place_for, write_upload
from qdtm.app.jobs import RESULT, STARTED, JobLimits, Jobs
from qdtm.app.requests import Columns, FitRequest, IndexRequest
from qdtm.app.upload import index_corpus
from qdtm.app.workspace import Workspace
from qdtm.queries import Query
from qdtm.storage.folders import sha256_of

_PATHS = ("/", "/app.css", "/app.js", "/ask/CORPUS", "/kwic/CORPUS", "/fit/nothing", "/explore/nothing",
          "/download/nothing/xlsx", "/../../etc/passwd", "/%00", "/" + "a" * 3000)  # fmt: skip
_SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
_QUERIES = (("cricket", "afghanistan", "israel palestinian"), ("cricket", "asylum seekers", "airline"))
"""What the two workspaces are asked for, in turn; the first of both is the same."""

_TYPED = ("cricket", "airline", "israel", "election", "police")
_DEMO = "demo"

_PATIENCE = 900.0
"""Seconds for the fits after the clients have gone."""


class Server:
    """An app in a process of its own."""

    def __init__(self, workspace: Path) -> None:
        command = [
            sys.executable,
            "-m",
            "qdtm",
            "app",
            "--no-browser",
            "--port",
            "0",
            "--workspace",
            str(workspace),
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        line = self.process.stdout.readline() if self.process.stdout else ""
        found = re.search(r"http://([\d.]+):(\d+)", line)
        if found is None:
            raise SystemExit("the server did not start")
        self.host, self.port = found[1], int(found[2])
        self.workspace = workspace

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """Send a request; return the status and the answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def raw(self, text: str, wait: float = 5.0) -> bytes:
        """Send bytes as they are; return the first of what comes back."""
        with socket.create_connection((self.host, self.port), timeout=wait) as connection:
            connection.sendall(text.encode())
            try:
                return connection.recv(200)
            except TimeoutError:
                return b"nothing"

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{self.host}:{self.port}"

    def wait_for_demo(self) -> None:
        """Wait until the articles that every workspace has can be asked about."""
        while not (self.workspace / "corpora" / _DEMO / "about.json").exists():
            time.sleep(0.2)

    def memory_mb(self) -> int:
        """What the server process has in memory."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) >> 10  # type: ignore[index]


class Visits:
    """What clients were answered.

    Attributes
    ----------
    counts : Counter
        By status.
    seconds : list of float
        How long each took.
    foreign : list of str
        What was about the other workspace, with its surroundings.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.foreign: list[str] = []


def visit(server: Server, other: Server, corpus: str, until: float, visits: Visits) -> None:
    """Be one client until it is time."""
    number = 0
    traces = re.compile(rf"{other.workspace.name}|{other.host}:{other.port}\b".encode())
    while time.monotonic() < until:
        path = _PATHS[number % len(_PATHS)].replace("CORPUS", corpus)
        number += 1
        start = time.monotonic()
        try:
            status, answer = server.ask(path)
        except OSError as error:
            visits.counts[f"no answer: {type(error).__name__}"] += 1
            continue
        visits.seconds.append(time.monotonic() - start)
        visits.counts[str(status)] += 1
        if found := traces.search(answer):
            around = answer[max(found.start() - 60, 0) : found.end() + 60]
            visits.foreign.append(f"{path}: {around.decode(errors='replace')}")


def upgrade(server: Server, origin: str = "") -> str:
    """Return the headers that ask for a websocket, with a key as good as a browser's."""
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET {_SOCKET} HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n{origin}Connection: Upgrade\r\n"
        f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    )


def abuse(server: Server) -> dict[str, str]:
    """Mean harm in every way that we know; return what the server said to each."""
    host = f"{server.host}:{server.port}"
    first = {
        "foreign host": server.ask("/", Host="evil.example")[0],
        "foreign origin": server.ask("/", Origin="http://evil.example")[0],
        "no length": server.raw(
            f"POST / HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        "oversize": server.raw(f"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: {10**12}\r\n\r\n"),
        "endless header": server.raw(f"GET / HTTP/1.1\r\nHost: {host}\r\nX-Long: {'a' * 100_000}"),
        "websocket from elsewhere": server.raw(upgrade(server, "Origin: http://evil.example\r\n")),
        "nonsense": server.raw("\x00\x01\x02 nonsense\r\n\r\n"),
    }
    return {name: str(said[:12] if isinstance(said, bytes) else said) for name, said in first.items()}


class Pest:
    """A connection that is kept open as long as the server lets it, and opened again then.

    Parameters
    ----------
    server : Server
    kind : {"slow header", "slow body", "silent websocket", "websocket flood"}
    counts : Counter
        Takes what the server said at the start, and how often it ended the connection.
    """

    def __init__(self, server: Server, kind: str, counts: Counter[str]) -> None:
        self._server, self._kind, self._counts = server, kind, counts
        self._connection: socket.socket | None = None

    def press(self) -> None:
        """Send a little more; notice what came."""
        try:
            if self._connection is None:
                self._open()
            elif self._kind == "websocket flood":
                self._connection.send(b"".join(_frame(text) for text in _FLOOD) * 40)
            elif self._kind != "silent websocket":
                self._connection.send(b"a")
            self._hear()
        except OSError:
            self._lose("ended")

    def close(self) -> None:
        """Go away."""
        if self._connection is not None:
            self._connection.close()

    def _open(self) -> None:
        host = f"{self._server.host}:{self._server.port}"
        start = {
            "slow header": f"GET / HTTP/1.1\r\nHost: {host}\r\nX-Slow: ",
            "slow body": f"POST /upload HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n\r\n",
        }.get(self._kind) or upgrade(self._server)
        self._connection = socket.create_connection((self._server.host, self._server.port), timeout=30)
        self._connection.sendall(start.encode())
        self._connection.setblocking(False)

    def _hear(self) -> None:
        assert self._connection is not None
        try:
            heard = self._connection.recv(2**20)
        except BlockingIOError:
            return
        status = re.match(rb"HTTP/1.1 (\d+)", heard)
        if status:
            self._counts[f"{self._kind}: {status[1].decode()}"] += 1
        if not heard:
            self._lose("ended")

    def _lose(self, how: str) -> None:
        self._counts[f"{self._kind}: {how}"] += 1
        self.close()
        self._connection = None


_KINDS = ("slow header", "slow body", "silent websocket", "websocket flood")
_FLOOD = ("2", "40", "4junk", '42["event",{}]', '42["handshake",{"client_id":"x"}]', "b" + "A" * 4_000)


def _frame(text: str) -> bytes:
    """Return a text frame of a client's, whose mask changes nothing."""
    data = text.encode()
    length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
    return b"\x81" + length + bytes(4) + data


def press_on(servers: list[Server], n: int, until: float, counts: Counter[str]) -> None:
    """Be many pests at once until it is time; each says something every second."""
    pests = [Pest(servers[i // len(_KINDS) % 2], _KINDS[i % len(_KINDS)], counts) for i in range(n)]
    while time.monotonic() < until:
        for pest in pests:
            pest.press()
        time.sleep(1)
    for pest in pests:
        pest.close()


class Fits:
    """Fits that a server is asked for, and what became of them.

    They are put into the workspace as the pages put them; the server finds and starts them.
    """

    def __init__(self, server: Server, corpus: str, queries: tuple[str, ...], n: int) -> None:
        self._jobs = Jobs(Workspace(server.workspace.absolute()), JobLimits(running=0))
        self.asked = [queries[i % len(queries)] for i in range(n)]
        self.ids = [
            self._jobs.submit(FitRequest(corpus, corpus, (Query(query),), seed=i))
            for i, query in enumerate(self.asked)
        ]

    def wait(self, until: float) -> None:
        """Wait until all have ended."""
        while time.monotonic() < until and not all(self._jobs.get(id).has_ended for id in self.ids):
            time.sleep(0.5)

    def report(self) -> dict[str, Any]:
        """Say how they ended, whether they began in the order they were asked for, and what they found."""
        jobs = [self._jobs.get(id) for id in self.ids]
        began = [(job.folder / STARTED).stat().st_mtime_ns for job in jobs if (job.folder / STARTED).exists()]
        return {
            "asked": self.asked,
            "states": [job.state for job in jobs],
            "in order": began == sorted(began) and len(began) == len(jobs),
            "own queries": [job.request.queries[0].text for job in jobs] == self.asked,  # type: ignore[union-attr]
            "bytes": [_digest(job.folder / RESULT / "model.safetensors") for job in jobs],
        }


def _digest(path: Path) -> str:
    return sha256_of(path)[:12] if path.exists() else ""


def _children(server: Server) -> int:
    """Return how many processes a server has."""
    tasks = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    return sum(len(task.read_text().split()) for task in tasks)


def measure_app_load(arguments: Sequence[str]) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments app-load", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--typists", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--fits", type=int, default=1, help="for each of the two servers")
    parser.add_argument("--documents", type=int, default=0, help="of TagMyNews; the demo articles by default")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / name for name in ("workspace-one", "workspace-two")]
        corpus = _give_corpus(places, options.documents) if options.documents else _DEMO
        servers = [Server(place) for place in places]
        try:
            load = Load(options.clients, options.typists, options.seconds, options.fits, corpus)
            print(json.dumps(run(servers, load), indent=1))
        finally:
            for server in servers:
                server.process.send_signal(signal.SIGTERM)
                server.process.wait(60)


class Load(NamedTuple):
    """What is put on the servers."""

    n_clients: int
    n_typists: int
    seconds: float
    n_fits: int
    corpus: str


def _give_corpus(places: Sequence[Path], n_documents: int) -> str:
    """Put the same corpus into workspaces, as an upload does; return under which name."""
    every = load_raw("tagmynews").texts
    texts = [every[i * len(every) // n_documents] for i in range(n_documents)]  # they lie by category
    workspace = Workspace.open(places[0])
    upload = Upload(workspace.new("corpora"))
    file = place_for(workspace, upload, "news.jsonl")
    Path(file.place).write_text("\n".join(json.dumps({"text": text}) for text in texts), "utf-8")
    write_upload(workspace, Upload(upload.id, (file,)))
    index_corpus(workspace, IndexRequest(upload.id, "news", Columns(text="text")))
    for place in places[1:]:
        shutil.copytree(places[0], place)
    return upload.id


def run(servers: list[Server], load: Load) -> dict[str, object]:
    """Let clients, typists, fits and abusers loose on the servers; return what was counted."""
    for server in servers:
        server.ask("/")
        server.wait_for_demo()
    visits, answers = Visits(), Answers()
    pests: Counter[str] = Counter()
    start = [server.memory_mb() for server in servers]
    until = time.monotonic() + load.seconds
    threads = _threads(servers, load, until, visits, answers)
    threads.append(threading.Thread(target=press_on, args=(servers, 80, until, pests)))
    for thread in threads:
        thread.start()
    fits = [
        Fits(server, load.corpus, queries, load.n_fits)
        for server, queries in zip(servers, _QUERIES, strict=True)
    ]
    said = abuse(servers[0])
    time.sleep(max(0.0, until - load.seconds / 2 - time.monotonic()))
    halfway = [server.memory_mb() for server in servers]
    for thread in threads:
        thread.join()
    end = [server.memory_mb() for server in servers]
    for each in fits:
        each.wait(until + _PATIENCE)
    memory = {"start": start, "halfway": halfway, "end": end}
    return {
        "answers": dict(sorted(visits.counts.items())),
        "seconds": percentiles(visits.seconds),
        "about the other workspace": visits.foreign,
        "typed": answers.report(),
        "abuse": said,
        "held open": dict(sorted(pests.items())),
        "fits": [each.report() for each in fits],
        "memory_mb": memory,
        "alive": [server.ask("/")[0] for server in servers],
        "processes": [_children(server) for server in servers],
    }


def _threads(
    servers: list[Server], load: Load, until: float, visits: Visits, answers: Answers
) -> list[threading.Thread]:
    """Return the clients and the typists, half of them for each server."""
    clients = [
        threading.Thread(target=visit, args=(servers[n % 2], servers[1 - n % 2], load.corpus, until, visits))
        for n in range(load.n_clients)
    ]
    typists = [
        threading.Thread(
            target=keep_typing,
            args=(servers[n % 2].address, f"/ask/{load.corpus}", _TYPED[n:] + _TYPED[:n], until, answers),
        )
        for n in range(load.n_typists)
    ]
    return clients + typists
