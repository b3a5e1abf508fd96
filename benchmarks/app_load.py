"""The app under load: many clients, and some that mean harm, on loopback.

In: nothing. Out: a JSON object: requests and answers by status, what became of each kind of abuse, and the
server's memory at the start and at the end. Two servers with workspaces of their own run side by side; each
client knows which one it asks, and looks for the other's in every answer.

    python benchmarks/app_load.py [--clients 20] [--seconds 300]
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

_PATHS = ("/", "/app.css", "/app.js", "/ask/demo", "/fit/nothing", "/explore/nothing",
          "/download/nothing/xlsx", "/../../etc/passwd", "/%00", "/" + "a" * 3000)  # fmt: skip
_UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)


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

    def memory_mb(self) -> int:
        """What the server process has in memory."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) >> 10  # type: ignore[index]


def visit(server: Server, other: Server, until: float, counts: Counter[str]) -> None:
    """Be one client until it is time."""
    number = 0
    while time.monotonic() < until:
        path = _PATHS[number % len(_PATHS)]
        number += 1
        try:
            status, answer = server.ask(path)
        except OSError as error:
            counts[f"no answer: {type(error).__name__}"] += 1
            continue
        counts[str(status)] += 1
        if other.workspace.name.encode() in answer or str(other.port).encode() in answer:
            counts["cross-talk"] += 1


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
        "websocket from elsewhere": server.raw(
            f"GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: {host}\r\n"
            f"Origin: http://evil.example\r\n{_UPGRADE}\r\n"
        ),
        "nonsense": server.raw("\x00\x01\x02 nonsense\r\n\r\n"),
    }
    return {name: str(said[:12] if isinstance(said, bytes) else said) for name, said in first.items()}


def hold_open(server: Server, n: int, until: float) -> None:
    """Open many connections that send a header or a body byte by byte, and websockets that say nothing."""
    host = f"{server.host}:{server.port}"
    starts = (
        f"GET / HTTP/1.1\r\nHost: {host}\r\nX-Slow: ",
        f"POST /upload HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n\r\n",
        f"GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: {host}\r\n{_UPGRADE}\r\n",
    )
    held = []
    for number in range(n):
        connection = socket.create_connection((server.host, server.port), timeout=30)
        connection.sendall(starts[number % len(starts)].encode())
        held.append(connection)
    while time.monotonic() < until:
        time.sleep(1)
        for connection in held:
            try:
                connection.send(b"a")
            except OSError:  # the server has had enough
                held.remove(connection)
    for connection in held:
        connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        servers = [Server(Path(folder) / name) for name in ("workspace-one", "workspace-two")]
        try:
            print(json.dumps(run(servers, options.clients, options.seconds), indent=1))
        finally:
            for server in servers:
                server.process.send_signal(signal.SIGTERM)
                server.process.wait(60)


def run(servers: list[Server], n_clients: int, seconds: float) -> dict[str, object]:
    """Let clients and abusers loose on the servers; return what was counted."""
    for server in servers:
        server.ask("/")
    counts: Counter[str] = Counter()
    start = [server.memory_mb() for server in servers]
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(target=visit, args=(servers[n % 2], servers[1 - n % 2], until, counts))
        for n in range(n_clients)
    ]
    threads.append(threading.Thread(target=hold_open, args=(servers[0], 60, until)))
    for thread in threads:
        thread.start()
    said = abuse(servers[0])
    halfway = []
    while time.monotonic() < until:
        time.sleep(min(5, seconds / 4))
        if not halfway and time.monotonic() > until - seconds / 2:
            halfway = [server.memory_mb() for server in servers]
    for thread in threads:
        thread.join()
    end = [server.memory_mb() for server in servers]
    alive = [server.ask("/")[0] for server in servers]
    memory = {"start": start, "halfway": halfway, "end": end}
    return {"answers": dict(sorted(counts.items())), "abuse": said, "memory_mb": memory, "alive": alive}


if __name__ == "__main__":
    main()
