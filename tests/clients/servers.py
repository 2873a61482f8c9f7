"""Servers on loopback for what a healthy site does not do: connections that end early, answers made up by a test."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE_SECONDS = 60.0


class Cutter:
    """Forwards to a port; the next `cuts` answers with a release's file end after `cut_after_bytes`."""

    def __init__(self, port: int) -> None:
        self.behind = port
        self.cuts, self.cut_after_bytes = 0, 0
        self.requests: list[bytes] = []

    def __enter__(self) -> "Cutter":
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self._accept)
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(PATIENCE_SECONDS)

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._exchange, args=[line], daemon=True).start()

    def _exchange(self, line: socket.socket) -> None:
        """Forward one GET and its response, and close: the connection is not kept."""
        with line, socket.create_connection(("127.0.0.1", self.behind), PATIENCE_SECONDS) as site:
            line.settimeout(PATIENCE_SECONDS)
            request = b""
            while b"\r\n\r\n" not in request:  # none of them has a body
                request += line.recv(65536)
            self.requests.append(request)
            site.sendall(request.replace(b"Connection: keep-alive", b"Connection: close"))
            body = b""
            while block := site.recv(65536):
                body += block
            head, _, content = body.partition(b"\r\n\r\n")
            head = head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
            if self.cuts and b"/files/" in request.splitlines()[0]:
                self.cuts -= 1
                content = content[: self.cut_after_bytes]
            line.sendall(head + b"\r\n\r\n" + content)


Answer = tuple[int, dict[str, str], bytes]


@contextmanager
def answering(answer: Callable[[str], Answer], bodies: list[bytes] | None = None) -> Iterator[str]:
    """Yield the address of a server that answers a GET or POST of a path as the function says; `bodies` gets theirs."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if bodies is not None:
                bodies.append(body)
            status, headers, body = answer(self.path)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer  # noqa: N815  # names of the base class

        def log_message(self, format: str, *arguments: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(PATIENCE_SECONDS)
