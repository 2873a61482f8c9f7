"""The response of a process whose queue is full: 503 with an explanation and Retry-After."""

import json
from functools import cache
from typing import Any

from django.template.loader import render_to_string

from datasets_app.accounts.problem import MEDIA_TYPE, problem

RETRY_SECONDS = 5
SENTENCE = (
    "The site is busy: more requests are waiting than it can answer soon. This one was not started and nothing "
    f"was changed. Try again in {RETRY_SECONDS} seconds."
)
HEADERS = [
    ("Retry-After", str(RETRY_SECONDS)),
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'none'"),
]


class Busy:
    """An error in waitress's form: `to_response` gives status, headers and body."""

    def __init__(self, path: str) -> None:
        self.wants_json = path.startswith("/api/")

    def to_response(self, ident: Any = None) -> tuple[str, list[tuple[str, str]], bytes]:
        kind, body = (
            (MEDIA_TYPE, json.dumps(problem(503, SENTENCE)).encode())
            if self.wants_json
            else ("text/html; charset=utf-8", busy_page())
        )
        return "503 Service Unavailable", [("Content-Type", kind), *HEADERS], body


@cache
def busy_page() -> bytes:
    return render_to_string("503.html", {"sentence": SENTENCE}).encode()
