"""The site's server in this process, with a small application and a test's own limits."""

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from concur_site.server.limits import Limits
from concur_site.server.serve import without_body_for_head
from concur_site.server.server import Server
from concur_site.up import listener

PATIENCE_SECONDS = 60.0


class Site:
    """A running server, and a client's actions on it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.port = int(server.effective_port)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS)

    def get(self, path: str = "/", method: str = "GET", **headers: str) -> http.client.HTTPResponse:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        line.request(method, path, headers=headers)
        answer = line.getresponse()
        answer.content = answer.read()
        line.close()
        return answer

    def exchange(self, sent: bytes) -> bytes:
        """Return everything that is received until the server closes the connection."""
        with self.connect() as line:
            line.sendall(sent)
            return read_all(line)


def read_all(line: socket.socket) -> bytes:
    found = b""
    while block := line.recv(65536):
        found += block
    return found


def wait_until(condition: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen"
        time.sleep(0.01)


@contextmanager
def serving(application: Any, **limits: Any) -> Iterator[Site]:
    server = Server(without_body_for_head(application), listener.bind(0), Limits(**{"threads": 2, **limits}))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield Site(server)
    finally:
        server.stop()
        thread.join()
        for pool in (server.pages, server.express):
            pool.shutdown(timeout=PATIENCE_SECONDS)


def page(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """An application that returns the request and its body."""
    body = environ["wsgi.input"].read()
    text = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']} {len(body)}".encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text]
