"""One site process: the site on a listening socket, until it is told to stop or is stuck."""

import logging
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings

from concur_site.server.board import Board
from concur_site.server.limits import Limits
from concur_site.server.server import Server
from datasets_app.processes.stall_guard import StallGuard

Application = Callable[..., Iterable[bytes]]
SWITCH_SECONDS = (
    0.001  # how long the loop waits for the interpreter while threads compute; Python's default is 0.005
)


def run(application: Application, descriptor: int, board: Board | None = None) -> None:
    """Serve until SIGTERM, then finish running requests and end the process. Never returns."""
    prepare_process()
    server = Server(
        without_body_for_head(application), socket.socket(fileno=descriptor), Limits.of_settings(), board
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())
    guard = StallGuard(settings.STALL_SECONDS, server.is_well)
    guard.start()
    server.run()
    logging.shutdown()
    os._exit(0 if guard.is_alive() else 1)  # a thread that is stuck must not keep the process


def prepare_process() -> None:
    sys.setswitchinterval(SWITCH_SECONDS)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65536)), hard))
    logging.getLogger("waitress").setLevel(logging.WARNING)  # do not log a line per client that disconnects
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)


def without_body_for_head(application: Application) -> Application:
    """Wrap the application: waitress would send its body for HEAD, too."""

    def wrapped(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        body = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return body
        if hasattr(body, "close"):
            body.close()
        return []

    return wrapped
