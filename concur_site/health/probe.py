"""Asks a site on this machine for its health, as `doctor` does."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

from django.conf import settings

from concur_site.health.report import signature

TIMEOUT_SECONDS = 3.0


def ask(port: int) -> dict[str, Any] | None:
    """Return the response of /healthz on this port, if a site with this data folder answers; None otherwise."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/healthz", headers=headers())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
            text = answer.read(2**16)
    except urllib.error.HTTPError as error:  # 503 has the report as well
        text = error.read(2**16)
    except (OSError, ValueError):
        return None
    return own(text)


def headers() -> dict[str, str]:
    """Return headers that the site accepts: one of its names, and no redirection to TLS."""
    name = next((host.lstrip(".") for host in settings.ALLOWED_HOSTS if host.strip(".*")), "127.0.0.1")
    return {"Host": name} | ({"X-Forwarded-Proto": "https"} if settings.SECURE_SSL_REDIRECT else {})


def own(text: bytes) -> dict[str, Any] | None:
    try:
        health = json.loads(text)
    except ValueError:
        return None
    is_own = isinstance(health, dict) and health.get("site") == signature()
    return health if is_own else None
