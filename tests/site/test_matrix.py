"""Tests of access to every address: the golden table, and the rules that it must satisfy."""

import logging
import os
from itertools import pairwise

import pytest

from datasets_app.counters import instruments
from tests.site import matrix
from tests.site.matrix import METHODS, ROLES, SCOPES, TOKENS, VISITORS
from tests.site.matrix_objects import Objects
from tests.site.matrix_table import GOLDEN, is_api_line, refused_to_all, rows, statuses_of, table

WRITE = "CONCUR_WRITE_MATRIX"
REGENERATE = f"{WRITE}=1 .venv/bin/python -m pytest -n 0 tests/site/test_matrix.py"
HEAD = f"""\
# What every address answers to every method and every visitor; * : the request wrote to the database.
# Pages:  {" ".join(VISITORS[:5])}
# API:    {" ".join(VISITORS)}
# A token is an administrator's, with the scope named and the smaller ones.
# Written by: {REGENERATE}
"""
CHANGED = (
    "The site answers otherwise than tests/site/matrix.txt says. If that is meant, write the table anew with\n"
    f"    {REGENERATE}\nand read its diff before you commit it: a new address needs a line for each method, a status "
    "below 400 says who may use it, and a * who may write through it.\n"
)


@pytest.fixture
def quiet():
    """Silence the log of thousands of refusals."""
    logger = logging.getLogger("django.request")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)


@pytest.fixture
def things(db, settings, tmp_path, quiet, monkeypatch):
    """Create the objects in the addresses, and the visitors."""
    settings.EXPORT_DIR, settings.UPLOAD_DIR = tmp_path / "exports", tmp_path / "uploads"
    settings.SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"  # one query less per request
    # Thousands of requests to all routes would make /metrics, which some of them ask for, very long.
    monkeypatch.setattr(instruments, "page", lambda *request: None)
    return Objects.make(), matrix.Visitors.make()


@pytest.mark.any_database
@pytest.mark.parametrize("asked", ["needed", pytest.param("all", marks=pytest.mark.long)])
@pytest.mark.parametrize("part", ["pages", "api"])
def test_every_address_answers_as_the_golden_table_says(part, asked, things):
    writes = bool(os.environ.get(WRITE))
    lines, faults = [], []
    for route in part_of(part):
        for method in METHODS:
            stated = {} if writes or asked == "all" else statuses_of(route, method)
            found = matrix.answers(route, method, *things, needed(route, method, stated))
            lines.append(matrix.line(route, method, {**stated, **found}))
            faults += [f"{method} {route.name} as {who}: {fault}" for who, fault in faults_of(route, found)]
    assert not faults
    if writes:
        write(part, lines)
    changed = set(lines) ^ {row for row in table() if is_api_line(row) == (part == "api")}
    assert not changed, CHANGED + "\n".join(sorted(changed, key=lambda line: line.split()[1]))


def needed(route, method, stated):
    """Return the visitors to send a request: strangers, and on both sides of each border that the table states.

    Roles and scopes are ladders, as rules below hold: whoever stands between two that are answered alike is, too. A
    method that is refused to everybody signed in is opened to the largest role if to anybody, and HEAD is answered by
    what answers GET: the largest role is enough for both. OPTIONS describes an address to whoever may ask it anything.
    """
    if not stated:
        return route.visitors
    if method == "HEAD" or refused_to_all(stated):
        return ROLES[-1:]
    if method == "OPTIONS":
        return ["anonymous", *ROLES[-1:]]
    asked = ["anonymous"]
    for ladder in (ROLES, [visitor for visitor in route.visitors if visitor in TOKENS]):
        borders = [who for pair in pairwise(ladder) if stated[pair[0]] != stated[pair[1]] for who in pair]
        asked += dict.fromkeys([*ladder[:1], *borders, *ladder[-1:]])
    return asked


def part_of(part):
    return [route for route in matrix.routes() if route.takes_tokens == (part == "api")]


def write(part, lines):
    others = [line for line in table() if is_api_line(line) != (part == "api")]
    GOLDEN.write_text(HEAD + "\n".join(sorted([*others, *lines], key=order)) + "\n")


def order(line):
    method, address, *_ = line.split()
    return address, METHODS.index(method)


def test_pages_do_not_take_tokens(things):
    objects, visitors = things
    for route in part_of("pages"):
        for method in ("GET", "POST"):
            path, body = objects.path(route.pattern, route.name), objects.body(route.name, method)
            stranger, program = (
                matrix.ask(visitors.client(who), method, path, body, as_json=False)
                for who in ("anonymous", "token:admin")
            )
            assert str(program) == str(stranger), f"{method} {path}"


INVITED = ("join",)  # signs a stranger in, who made an account with an invitation


def faults_of(route, found):
    """Yield the visitors whose answer lacks more than the status shows."""
    for visitor, answer in found.items():
        if answer.status == 405 and not answer.allow:
            yield visitor, "405 without an Allow header"
        if route.takes_tokens and answer.status >= 400 and "json" not in answer.content_type:
            yield visitor, f"{answer.status} as {answer.content_type or 'nothing'}, not as JSON"
        if route.name in INVITED:
            continue
        if visitor == "anonymous" and answer.status == 302 and "/accounts/login/" not in answer.location:
            yield visitor, f"sent to {answer.location}, not to sign in"


# --- Rules over the table -----------------------------------------------------------------------------

# Addresses open to strangers: to sign in and out, to ask for a link or follow one, to ask for health, to read the API's
# description.
LINKS = {
    "/account/forgotten/",
    "/account/join/<slug:text>/",
    "/account/reset/<slug:uidb64>/<slug:token>/",
}
HEALTH = {"/healthz", "/health/live", "/health/ready"}
DESCRIPTION = {"/api/docs/", "/api/schema/"}
# The page of releases lists the public ones alone.
OPEN = {
    *("/accounts/login/", "/accounts/login/code/", "/accounts/logout/", "/releases/"),
    *DESCRIPTION,
    *HEALTH,
    *LINKS,
}
# Addresses where a reader may write: their own account, and private saved views.
READERS_WRITE = (
    "/account/",
    "/accounts/",
    "/browse/views/",
    "/api/v1/views/",
    "/browse/actions/<uuid:pk>/dismiss/",
)


def is_api(row):
    return len(row[2]) == len(VISITORS)


def refused(status):
    return status in ("401", "403", "404", "405")


def wrong(condition):
    return [row for row in rows() if not condition(row)]


def test_the_table_has_every_address_with_every_method():
    there = {(method, address) for method, address, _ in rows()}
    missing = [
        (route.name, method)
        for route in matrix.routes()
        for method in METHODS
        if (method, f"/{route.pattern}") not in there
    ]
    assert not missing, CHANGED


def test_nothing_ever_breaks():
    assert not wrong(lambda row: not any(status.startswith("5") for status in row[2].values()))


def test_a_stranger_is_sent_to_sign_in_by_pages_and_refused_by_the_api():
    listed = [("GET", "/api/v1/releases/"), ("HEAD", "/api/v1/releases/")]  # with the public ones alone

    def holds(row):
        status = row[2]["anonymous"]
        return row[1] in OPEN or row[:2] in listed or status in (("401", "403") if is_api(row) else ("302",))

    assert not wrong(holds)


def test_a_stranger_writes_nothing_but_failures_to_sign_in_and_an_account_by_invitation():
    written = ("/accounts/login/", "/account/join/<slug:text>/")
    assert not wrong(lambda row: "*" not in row[2]["anonymous"] or row[1] in written)


def test_a_token_of_one_scope_opens_what_the_role_with_that_scope_opens():
    """An administrator's token for reading equals a reader's, whatever its owner may do."""
    pairs = [(f"token:{scope}", role) for scope, role in zip(SCOPES, ROLES, strict=True)]

    def holds(row):
        return not is_api(row) or all(row[2][token] == row[2][role] for token, role in pairs)

    assert not wrong(holds)


def test_a_larger_role_is_never_refused_what_a_smaller_one_may_do():
    def holds(row):
        statuses = [row[2][role] for role in ROLES]
        granted = [not refused(status) for status in statuses]
        return granted == sorted(granted)

    assert not wrong(holds)


def test_readers_and_tokens_for_reading_write_only_what_is_their_own():
    def holds(row):
        readers = [row[2]["reader"], row[2].get("token:read", "")]
        return row[1].startswith(READERS_WRITE) or not any("*" in status for status in readers)

    assert not wrong(holds)


def test_reading_writes_nothing_but_a_claim_on_the_sample_under_review():
    def holds(row):
        reads = row[0] in ("GET", "HEAD", "OPTIONS")
        return not reads or row[1] == "/review/<uuid:pk>/" or not any("*" in one for one in row[2].values())

    assert not wrong(holds)


def test_head_answers_as_get_does():
    gets = {row[1]: row[2] for row in rows() if row[0] == "GET"}
    assert not wrong(lambda row: row[0] != "HEAD" or row[2] == gets[row[1]])


def test_methods_that_an_address_does_not_have_are_refused_to_everybody_signed_in():
    def holds(row):
        unknown = [row[2][role] == "405" for role in ROLES]
        return all(unknown) or not any(unknown)

    assert not wrong(holds)
    pages = [row for row in rows() if not is_api(row) and row[0] in ("PUT", "PATCH", "DELETE")]
    assert all(row[2][role] == "405" for row in pages for role in ROLES)
