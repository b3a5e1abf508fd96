"""Python imports this at its start if its folder is on the path: no process may then reach another machine.

Whoever tries ends at once with a code of its own, and the attempt is written down in a file.
"""

import os
import sys

_LOOPBACK = ("127.", "::1", "localhost")
_WATCHED = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg")


def _watch(event, arguments):
    if event not in _WATCHED:
        return
    host = arguments[0]
    if not isinstance(host, (str, bytes)):  # a socket; then its goal, an address or a path
        host = arguments[1][0] if isinstance(arguments[1], tuple) else ""
    host = os.fsdecode(host)
    if not host or host.startswith(_LOOPBACK):
        return
    descriptor = os.open(os.environ["QDTM_TEST_ATTEMPTS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, f"{event} {arguments!r}\n".encode())
    os._exit(97)


sys.addaudithook(_watch)
