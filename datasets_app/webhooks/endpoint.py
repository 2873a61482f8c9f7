"""The URL of a webhook, checked and in parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings

from datasets_app.models.webhook import LONGEST_URL
from datasets_app.webhooks.addresses import check_address
from datasets_app.webhooks.errors import WebhookError

URL_TEXT = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=%#]+")  # what RFC 3986 allows
NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_.])?")
DEFAULT_PORTS = {"https": 443, "http": 80}
FIRST_FREE_PORT = 1024  # below it are the ports of other services, such as mail


@dataclass(frozen=True)
class Endpoint:
    scheme: str  # https or http
    host: str  # a name in lower case, or an IP address without brackets
    port: int
    netloc: str  # host and port as the URL has them, for the Host header
    target: str  # path and query

    @property
    def is_tls(self) -> bool:
        return self.scheme == "https"


def parse_url(url: str) -> Endpoint:
    """Return the parts of a URL that a webhook may have. Raises WebhookError."""
    if len(url) > LONGEST_URL:
        raise refused(f"The URL has {len(url):,} characters; at most {LONGEST_URL} are allowed.")
    if not URL_TEXT.fullmatch(url):
        raise refused(
            "This is not a URL: write it as https://hooks.example.org/path, with other characters as %41 and names "
            "in their xn-- form."
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise refused("This is not a URL: its host or port cannot be read.") from None
    if "@" in parts.netloc:
        raise refused("The URL contains a user or password. Leave them out: the signature proves who sends.")
    if "#" in url:
        raise refused("The URL contains a #, and what follows it is never sent. Leave that out.")
    check_scheme(parts.scheme, host)
    check_host(host, parts.netloc.lower(), port)
    port = DEFAULT_PORTS[parts.scheme] if port is None else port
    if port not in DEFAULT_PORTS.values() and port < FIRST_FREE_PORT:
        raise refused(f"Port {port} is not allowed: use 443, 80, or one from {FIRST_FREE_PORT} on.")
    path = parts.path or "/"
    return Endpoint(parts.scheme, host, port, parts.netloc, f"{path}?{parts.query}" if parts.query else path)


def check_host(host: str, netloc: str, port: int | None) -> None:
    """Raise WebhookError unless the host is a name or an IP address that may be reached, and all of `netloc`."""
    shown = f"[{host}]" if ":" in host else host
    if netloc not in (shown, f"{shown}:{port}"):
        raise refused("This is not a URL: its host or port cannot be read.")
    try:
        ip_address(host)
    except ValueError:
        if not NAME.fullmatch(host):
            raise refused(
                "The URL's host is not a name: write it as https://hooks.example.org/path."
            ) from None
        return
    check_address(host, host, settings.WEBHOOK_NETWORKS)


def check_scheme(scheme: str, host: str) -> None:
    if scheme == "https":
        return
    if scheme != "http":
        raise refused("The URL must begin with https://.")
    if host not in settings.WEBHOOK_HTTP_HOSTS:
        raise refused(f"The URL must begin with https://, unless CONCUR_WEBHOOK_HTTP_HOSTS names {host}.")


def refused(sentence: str) -> WebhookError:
    return WebhookError(sentence, "url")
