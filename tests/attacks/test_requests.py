"""Tests of requests that somebody else makes in a visitor's name, or with a token that is over, at every address."""

from datetime import timedelta
from itertools import cycle

import pytest
from django.test import Client
from django.utils import timezone

from datasets_app.api.throttling import bad_tokens
from datasets_app.models import ApiToken
from tests.factories import make_user
from tests.site import matrix
from tests.site.matrix_table import methods_of

pytestmark = pytest.mark.any_database
OVER = {
    "revoked": {"revoked_at": timezone.now() - timedelta(days=1)},
    "expired": {"expires_at": timezone.now() - timedelta(days=1)},
    "of a closed account": {},
    "unknown": None,
}
# Asks nobody who they are.
OPEN = ("health", "schema")


@pytest.fixture
def dead_tokens(db, monkeypatch):
    """Return the headers of an administrator's tokens that are over, each in its own way."""
    monkeypatch.setattr(bad_tokens, "per_minute", 1_000_000)
    bad_tokens.clear()
    found = {}
    for kind, fields in OVER.items():
        owner = make_user("administrator", f"owner-{kind.replace(' ', '-')}")
        token, text = ApiToken.issue(owner, matrix.SCOPES)
        if fields is None:
            token.delete()
        else:
            ApiToken.objects.filter(pk=token.pk).update(**fields)
        if kind == "of a closed account":
            owner.is_active = False
            owner.save()
        found[kind] = {"Authorization": f"Bearer {text}"}
    return found


def test_a_token_that_is_over_opens_nothing(objects, dead_tokens):
    """One place tells all kinds apart, so that each address is asked with one of them, in turn."""
    opened = []
    kinds = cycle(dead_tokens.items())
    for route in matrix.routes():
        if not route.takes_tokens or route.name in OPEN:
            continue
        path = objects.path(route.pattern, route.name)
        for method in methods_of(route, matrix.METHODS):
            kind, headers = next(kinds)
            body = objects.body(route.name, method)
            answer, wrote = matrix.exchange(Client(headers=headers), method, path, body, as_json=True)
            if answer.status_code != 401 or wrote:
                opened.append(f"{method} {path} with a token {kind}: {answer.status_code}")
    assert not opened


def test_a_form_of_another_site_is_refused_at_every_address(objects, visitors):
    """The browser sends the session's cookie with it, and no token: nothing may be written, or answered as if."""
    taken = []
    for route in matrix.routes():
        path = objects.path(route.pattern, route.name)
        for method in methods_of(route, ("POST", "PUT", "PATCH", "DELETE")):
            client = Client(enforce_csrf_checks=True, raise_request_exception=False)
            client.cookies = visitors.client("administrator").cookies
            for as_json in {False, route.takes_tokens}:
                answer, wrote = matrix.exchange(
                    client, method, path, objects.body(route.name, method), as_json
                )
                if wrote or answer.status_code not in (403, 405, 415):
                    taken.append(f"{method} {path}: {answer.status_code}")
    assert not taken


# Pages that a stranger sends a form to: signing somebody in as somebody else is an attack too.
STRANGERS = ("login", "login-code", "logout", "forgotten", "join", "password_reset_confirm")


def test_a_form_of_another_site_signs_nobody_in(objects):
    taken = []
    for route in matrix.routes():
        if route.name in STRANGERS:
            path = objects.path(route.pattern, route.name)
            client = Client(enforce_csrf_checks=True)
            body = {
                "username": "matrix-owner",
                "password": "matrix-owner",
                **objects.body(route.name, "POST"),
            }
            answer, wrote = matrix.exchange(client, "POST", path, body, as_json=False)
            if wrote or answer.status_code != 403:
                taken.append(f"{path}: {answer.status_code}")
    assert not taken


EVIL = "evil.example"
ADDRESSES = (f"https://{EVIL}/", f"//{EVIL}/")  # tests/accounts/test_next_page.py has the odd ones
LEADING = ("Location", "Content-Location", "Refresh", "Link", "HX-Redirect", "HX-Location", "HX-Push-Url")
LEADING += ("HX-Replace-Url", "X-Accel-Redirect")
FIELDS = ("next", "back", "return", "return_to", "redirect", "url", "from", "here", "page", "to")


@pytest.mark.parametrize("target", [ADDRESSES[0], pytest.param(ADDRESSES[1], marks=pytest.mark.long)])
def test_no_address_leads_to_another_site(objects, visitors, target):
    """Whatever a field, the page before, htmx or a proxy say: no header leads elsewhere, and no link either."""
    leads = []
    sent = {
        "Referer": target,
        "HX-Current-URL": target,
        "X-Forwarded-Host": EVIL,
        "Forwarded": f"host={EVIL}",
    }
    given = dict.fromkeys(FIELDS, target)
    for route in matrix.routes():
        path = objects.path(route.pattern, route.name)
        client = Client(query_params=given, raise_request_exception=False)
        client.cookies = visitors.client("anonymous" if route.name in STRANGERS else "administrator").cookies
        for method in methods_of(route, ("GET", "POST")):
            body = {**given, **objects.body(route.name, method)} if method == "POST" else {}
            answer, _ = matrix.exchange(client, method, path, body, route.takes_tokens, **sent)
            leads += [f"{method} {path}: {what}" for what in leading(answer, target)]
    assert not leads


def leading(answer, target):
    """Yield the headers and links of an answer that lead to the other site; its name in a query leads nowhere."""
    for name in LEADING:
        if EVIL in answer.headers.get(name, "").partition("?")[0]:
            yield f"{name}: {answer.headers[name]}"
    text = answer.whole.decode(errors="replace")
    for name in ("href", "action", "src", "hx-get", "hx-post", "formaction"):
        if f'{name}="{target}' in text:
            yield f"{name} of a page"
