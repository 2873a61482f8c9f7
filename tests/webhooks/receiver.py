"""A receiver of webhooks: a real HTTP server on loopback that answers as a test tells it to."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Webhook, WebhookEvent
from datasets_app.webhooks import verbs
from datasets_app.webhooks.endpoint import Endpoint, parse_url

LOOPBACK = [ip_network("127.0.0.0/8")]
Answering = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    port: int
    received: list[Received] = field(default_factory=list)
    answers: list[int | Answering] = field(default_factory=list)  # used up in order; then 200
    ended: threading.Event = field(default_factory=threading.Event)  # lets answers that wait go on

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?room=7"

    @property
    def endpoint(self) -> Endpoint:
        return parse_url(self.url)

    def webhook(self, *events: str) -> tuple[Webhook, str]:
        """Add a webhook that leads here; return it with its secret."""
        return verbs.create(self.url, events or WebhookEvent.values, actor=COMMAND)


def status(code: int, **headers: str) -> Answering:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a receiver on 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.received.append(Received(self.path, dict(self.headers), body))
            answer = receiver.answers.pop(0) if receiver.answers else 200
            (status(answer) if isinstance(answer, int) else answer)(self)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # a client that hangs up is part of the test
    receiver = Receiver(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


def allow_loopback(settings: Any) -> None:
    settings.WEBHOOK_NETWORKS = LOOPBACK
    settings.WEBHOOK_HTTP_HOSTS = ["127.0.0.1", "hooks.example.org"]
