"""Records the answer of every address to every method and kind of visitor, from the real request handler.

Each request is rolled back, so that none affects another. `*` after a status: the request wrote to the
database.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Any

from django.db import connection, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from datasets_app.accounts.roles import Scope
from datasets_app.models import ApiToken
from tests.factories import make_user
from tests.site.matrix_objects import Objects

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
ROLES = ["reader", "annotator", "curator", "administrator"]
SCOPES = [
    str(scope) for scope in Scope if scope != Scope.METRICS
]  # which opens one address, and has a test there
TOKENS = [f"token:{scope}" for scope in SCOPES]  # an administrator's, with this scope and the lesser ones
VISITORS = ["anonymous", *ROLES, *TOKENS]
NOT_ASKED = ("admin/",)  # Django's own pages; tests/admin covers their roles
SILENT_TABLES = ("django_session",)
WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")
TABLE = re.compile(r'(?:INTO|UPDATE|FROM) "(\w+)"')
Look = Callable[[set[str]], Any]


@dataclass(frozen=True)
class Route:
    """An address of the site, by its name and its pattern."""

    name: str
    pattern: str
    view: Any

    @property
    def view_class(self) -> Any:
        return getattr(self.view, "view_class", None) or getattr(self.view, "cls", None)

    @property
    def takes_tokens(self) -> bool:
        """Return whether it is one of the API's views, whatever its address."""
        return hasattr(self.view, "cls")

    @property
    def visitors(self) -> list[str]:
        """Return the visitors to try: pages ignore tokens, as another test shows."""
        return VISITORS if self.takes_tokens else VISITORS[:5]


def routes() -> list[Route]:
    return sorted(walk(get_resolver().url_patterns, ""), key=lambda route: (route.pattern, route.name))


def walk(patterns: list[Any], before: str) -> Iterator[Route]:
    for one in patterns:
        path = before + str(one.pattern)
        if path.startswith(NOT_ASKED):
            continue
        if isinstance(one, URLResolver):
            yield from walk(one.url_patterns, path)
        elif isinstance(one, URLPattern):
            yield Route(one.name or "", path, one.callback)


@dataclass
class Visitors:
    """A signed-in session of each role, and an administrator's token of each scope."""

    cookies: dict[str, SimpleCookie] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)  # each loads the middleware once

    @classmethod
    def make(cls) -> "Visitors":
        found = cls()
        for role in ROLES:
            client = Client()
            client.force_login(make_user(role, f"matrix-{role}"))
            found.cookies[role] = client.cookies
        owner = make_user("administrator", "matrix-program")
        for place, name in enumerate(TOKENS, start=1):
            token, text = ApiToken.issue(
                owner, SCOPES[:place] if place < len(SCOPES) else list(map(str, Scope))
            )
            # Ahead, so that no use is noted while the requests last, however slow the machine is.
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=timezone.now() + timedelta(hours=1))
            found.headers[name] = {"Authorization": f"Bearer {text}"}
        return found

    def client(self, visitor: str) -> Client:
        """Return the visitor's client, with the cookies that it had at first."""
        if visitor not in self.clients:
            self.clients[visitor] = Client(raise_request_exception=False, headers=self.headers.get(visitor))
        client = self.clients[visitor]
        client.cookies = SimpleCookie(
            {name: morsel.value for name, morsel in self.cookies.get(visitor, {}).items()}
        )
        return client


@dataclass
class Answer:
    """The answer to one request."""

    status: int
    wrote: bool
    allow: str
    content_type: str
    location: str

    def __str__(self) -> str:
        return f"{self.status}{'*' if self.wrote else ''}"


class Watch:
    """Detects writing statements, through Django's hook around every statement."""

    def __init__(self) -> None:
        self.tables: set[str] = set()

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().upper().startswith(WRITES) and not any(table in sql for table in SILENT_TABLES):
            named = TABLE.search(sql)
            self.tables.add(named[1] if named else "")
        return execute(sql, params, many, context)

    @property
    def wrote(self) -> bool:
        return bool(self.tables)


def exchange(
    client: Client,
    method: str,
    path: str,
    body: Any,
    as_json: bool,
    look: Look = lambda tables: None,
    **headers: str,
) -> tuple[Any, bool]:
    """Send one request and roll back its changes. Return the response, whose body is `whole`, and whether it wrote.

    `look` is called before the roll-back with the tables that were written, if any; what it returns is `looked`.
    """
    is_file = any(hasattr(value, "read") for value in body.values())
    content = {"content_type": "application/json"} if as_json and not is_file else {}
    watch = Watch()
    with transaction.atomic():
        with connection.execute_wrapper(watch):
            if method in ("GET", "HEAD", "OPTIONS"):
                answer = getattr(client, method.lower())(path, headers=headers)
            elif method == "POST":
                answer = client.post(path, body, **content, headers=headers)
            else:
                answer = getattr(client, method.lower())(
                    path, body, content_type="application/json", headers=headers
                )
        # A stream is read here, inside the transaction; the client closes it at its end.
        answer.whole = answer.getvalue() if answer.streaming else answer.content
        answer.looked = look(watch.tables) if watch.wrote else None
        transaction.set_rollback(True)
    return answer, watch.wrote


def ask(client: Client, method: str, path: str, body: Any, as_json: bool) -> Answer:
    """Return what the matrix notes of one request."""
    answer, wrote = exchange(client, method, path, body, as_json)
    headers = answer.headers
    return Answer(
        answer.status_code,
        wrote,
        headers.get("Allow", ""),
        headers.get("Content-Type", ""),
        headers.get("Location", ""),
    )


def answers(
    route: Route, method: str, objects: Objects, visitors: Visitors, names: list[str]
) -> dict[str, Answer]:
    """Return the answers to these visitors."""
    path = objects.path(route.pattern, route.name)
    return {
        name: ask(visitors.client(name), method, path, objects.body(route.name, method), route.takes_tokens)
        for name in names
    }


def line(route: Route, method: str, found: dict[str, Answer | str]) -> str:
    statuses = " ".join(f"{found[visitor]!s:4}" for visitor in route.visitors)
    return f"{method:7} /{route.pattern:60} {statuses}".rstrip()
