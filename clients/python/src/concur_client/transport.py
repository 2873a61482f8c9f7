"""Requests to one site. Those that may be repeated are, for as long as the site asks, a limited number of times."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from concur_client.errors import ConcurError, SiteError, UnexpectedAnswerError, UnreachableError
from concur_client.version import __version__

API = "/api/v1"
CONNECT_SECONDS = 10.0
LONGEST_BACKOFF_SECONDS = 8.0
Pause = Callable[[float], object]  # waits so many seconds


class Transport:
    """The site's API. `retries` are per request; a longer wait than `max_wait_s` that the site asks for is an error."""

    def __init__(self, url: str, token: str, *, timeout_s: float, retries: int, max_wait_s: float) -> None:
        self.root = root_of(url)
        self.retries = retries
        self.max_wait_s = max_wait_s
        self.pause: Pause = time.sleep
        headers = {"User-Agent": f"concur-client/{__version__}", "Accept": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {checked(token)}"
        timeout = httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_SECONDS))
        # Redirects are followed only by downloads, which a bucket may serve: httpx sends the token to no other origin.
        self.http = httpx.Client(headers=headers, timeout=timeout, follow_redirects=False)

    def call(self, method: str, path: str, **options: Any) -> Any:
        """Return the JSON of an answer; None if it has no content."""
        response = self.send(method, path, **options)
        if not response.content:
            return None
        try:
            return response.json()
        except ValueError:
            raise UnexpectedAnswerError(
                f"{self.root}{path} answered with something else than JSON. Is this the address of the site?"
            ) from None

    @contextmanager
    def stream(self, method: str, path: str, **options: Any) -> Iterator[httpx.Response]:
        """Yield an answer whose body is still to be read; the retries have been made."""
        response = self.send(method, path, stream=True, **options)
        try:
            yield response
        finally:
            response.close()

    def send(
        self, method: str, path: str, *, stream: bool = False, pause: Pause | None = None, **options: Any
    ) -> httpx.Response:
        """Return a successful answer. Raises SiteError, UnreachableError or UnexpectedAnswerError."""
        for attempt in range(self.retries + 1):
            failure: ConcurError
            try:
                request = self.http.build_request(method, self.root + path, **options)
                response = self.http.send(request, stream=stream, follow_redirects=stream)
                if response.is_success:
                    return response
                read_and_close(response)
            except httpx.RequestError as error:
                failure, wait_s = unanswered(method, self.root, error), None
                if may_repeat(method, error):
                    wait_s = backoff_s(attempt)
            else:
                failure = failure_of(response)
                wait_s = wait_of(method, response, attempt)
            if wait_s is None or wait_s > self.max_wait_s or attempt == self.retries:
                raise failure
            (pause or self.pause)(wait_s)
        raise AssertionError("the last attempt returns or raises")


def read_and_close(response: httpx.Response) -> None:
    try:
        response.read()
    finally:
        response.close()


def root_of(url: str) -> str:
    """Return the address that the API's paths are appended to. Raises ConcurError."""
    text = url.strip().rstrip("/").removesuffix(API)
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_address = False
    if not is_address or parts.query or parts.fragment:
        raise ConcurError(f"{url!r:.200} is not the address of a site, such as https://concur.example.org.")
    return f"{text}{API}/"


def checked(token: str) -> str:
    """Return the token without space around it. Raises ConcurError if a header cannot hold it."""
    text = token.strip()
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise ConcurError("The token has characters that no token has. Was it copied in one piece?")
    return text


def segment(text: str) -> str:
    """Return a name as one part of a path."""
    return quote(text, safe="")


def may_repeat(method: str, error: httpx.RequestError) -> bool:
    """Return whether the request reads only, or never reached the site."""
    return method == "GET" or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)


def wait_of(method: str, response: httpx.Response, attempt: int) -> float | None:
    """Return the seconds to wait before the request is repeated; None: it is not."""
    asked_s = retry_after_s(response.headers.get("Retry-After", ""))
    if response.status_code in (429, 503) and (method == "GET" or asked_s is not None):
        return backoff_s(attempt) if asked_s is None else asked_s
    if response.status_code in (502, 504) and method == "GET":  # of a proxy whose site restarts
        return backoff_s(attempt)
    return None


def retry_after_s(header: str) -> float | None:
    """Return the seconds of a Retry-After header, which has a number or a date; None: it has neither."""
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def backoff_s(attempt: int) -> float:
    """Return the seconds before attempt + 1: doubled each time, and spread so that clients do not come together."""
    longest = min(LONGEST_BACKOFF_SECONDS, 0.5 * 2.0 ** min(attempt, 10))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311  # no secret


def unanswered(method: str, root: str, error: httpx.RequestError) -> UnreachableError:
    words = f"{root} cannot be reached: {words_of(error)}."
    if not may_repeat(method, error):
        words += " The request may have been carried out: look before you repeat it."
    failure = UnreachableError(words)
    failure.__cause__ = error
    return failure


def failure_of(response: httpx.Response) -> ConcurError:
    if response.is_redirect:
        where = response.headers.get("Location", "another address")
        return UnexpectedAnswerError(f"The site redirects to {where:.200}. Give that site's address.")
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    return SiteError(response.status_code, problem if isinstance(problem, dict) else {})


def words_of(error: httpx.RequestError) -> str:
    return str(error).strip().rstrip(".") or type(error).__name__
