"""Tests of CONCUR_REQUIRE_TOTP: administrators sign in with a second step."""

import pytest
from django.test import Client

from tests.accounts.steps import PAGE, code_for, give, sign_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/", "/admin/", "/admin/auth/user/", "/browse/", "/ingest/"])
def test_where_it_is_required_an_administrator_is_led_to_turn_it_on(ada, settings, path):
    settings.REQUIRE_TOTP = True
    client = Client()
    sign_in(client)
    assert client.get(path).url == PAGE
    assert client.get(PAGE).status_code == 200


def test_where_it_is_required_the_api_answers_a_session_in_json(ada, settings):
    settings.REQUIRE_TOTP = True
    client = Client()
    sign_in(client)
    answer = client.get("/api/v1/reviews/")
    assert answer.status_code == 403
    assert "second step" in answer.json()["detail"]


def test_where_it_is_required_an_enrolled_administrator_works(enrolled, clock, settings):
    settings.REQUIRE_TOTP = True
    client = Client()
    sign_in(client)
    give(client, code_for(enrolled[0], clock))
    assert client.get("/admin/").status_code == 200


def test_where_it_is_required_others_sign_in_as_before(annotator, settings):
    settings.REQUIRE_TOTP = True
    assert annotator.get("/browse/").status_code == 200


def test_where_it_is_required_one_may_still_sign_out(ada, settings):
    settings.REQUIRE_TOTP = True
    client = Client()
    sign_in(client)
    assert client.post("/accounts/logout/").url == "/accounts/login/"


def test_it_is_not_required_unless_said(administrator):
    assert administrator.get("/").status_code == 200
