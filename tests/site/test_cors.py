"""Tests that pages of other origins reach the API only where a setting names them, and never with a cookie."""

import pytest
from django.test import Client

from tests.api.clients import token_for
from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
FRIEND = "https://notebook.example.org"
API = [
    "/api/v1/samples/",
    "/api/schema/",
    "/api/datasets/concur/none",
    "/datasets/concur/none/resolve/main/README.md",
]
ALLOWED = "Access-Control-Allow-Origin"


def asked(path, origin, method="get", **headers):
    return getattr(Client(), method)(path, headers={"Origin": origin, **headers})


@pytest.fixture
def friend(settings):
    settings.CORS_ALLOWED_ORIGINS = [FRIEND]


@pytest.mark.parametrize("path", API)
def test_nobody_is_allowed_by_default(path):
    assert ALLOWED not in asked(path, FRIEND)


@pytest.mark.usefixtures("friend")
@pytest.mark.parametrize("path", API)
def test_a_named_origin_is_allowed_without_cookies(path):
    answer = asked(path, FRIEND)
    assert answer[ALLOWED] == FRIEND
    assert "Access-Control-Allow-Credentials" not in answer


@pytest.mark.usefixtures("friend")
@pytest.mark.parametrize("path", ["/", "/browse/", "/accounts/login/", "/admin/", "/healthz"])
def test_pages_are_for_nobody(path):
    assert ALLOWED not in asked(path, FRIEND)


@pytest.mark.usefixtures("friend")
@pytest.mark.parametrize(
    "origin", ["https://example.org", FRIEND + ".evil.com", "http://notebook.example.org", "null"]
)
def test_other_origins_are_not_allowed(origin):
    assert ALLOWED not in asked(API[0], origin)


@pytest.mark.usefixtures("friend")
def test_a_browser_may_send_the_token_and_read_what_a_download_says():
    token = token_for(make_user("reader"), "read")
    preflight = asked(
        API[0],
        FRIEND,
        "options",
        **{"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"},
    )
    assert preflight.status_code == 200
    assert "authorization" in preflight["Access-Control-Allow-Headers"]
    answer = asked(API[0], FRIEND, Authorization=f"Bearer {token}")
    assert answer.status_code == 200
    assert {"ETag", "Content-Range", "Repr-Digest"} <= set(
        answer["Access-Control-Expose-Headers"].split(", ")
    )
