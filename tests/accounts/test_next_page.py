"""Tests of the page after a form: always a page of this site, and never the name of a view."""

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.accounts.next_page import is_local_path
from tests.factories import make_sample, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
ELSEWHERE = [
    "word",
    "login",
    "admin:index",
    "../up",
    "browse/",
    "//evil.example/",
    "/\\evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "/browse/\r\nX-Evil: 1",
    "/" + "x" * 3000,
    "",
]


@pytest.mark.parametrize("target", ELSEWHERE)
@pytest.mark.parametrize("where", ["query", "form"])
def test_signing_in_goes_to_the_start_page_instead(target, where):
    make_user("reader", "rita")
    named = {"username": "rita", "password": "rita"}
    query, form = ({"next": target}, named) if where == "query" else ({}, {**named, "next": target})
    answer = Client(query_params=query).post("/accounts/login/", form)
    assert (answer.status_code, answer.url) == (302, "/")


def test_signing_in_goes_to_the_page_that_was_asked_for():
    make_user("reader", "rita")
    sent = {"username": "rita", "password": "rita", "next": "/browse/?outcome=passed"}
    assert Client().post("/accounts/login/", sent).url == "/browse/?outcome=passed"


def test_who_is_signed_in_already_goes_there_at_once(reader):
    assert reader.get("/accounts/login/", {"next": "/browse/"}).url == "/browse/"
    assert reader.get("/accounts/login/", {"next": "word"}).url == "/"


@pytest.mark.parametrize("target", ELSEWHERE)
def test_asking_for_verifications_goes_to_the_verification_instead(annotator, target):
    answer = annotator.post("/verify/ask/", {"sample": [make_sample().pk], "next": target})
    assert answer.status_code == 302
    assert answer.url.startswith("/verify/")


@pytest.mark.parametrize("target", ELSEWHERE)
def test_a_bulk_action_goes_to_the_list_instead(annotator, target):
    sent = {"do": "tag:selected", "sample": [make_sample().pk], "tag": "fast", "next": target}
    assert annotator.post("/browse/act/", sent).url == "/browse/"


def test_the_admins_door_keeps_the_page_that_was_asked_for_if_it_is_ours():
    assert "next=/admin/auth/" in Client().get("/admin/login/", {"next": "/admin/auth/"}).url
    assert "evil" not in Client().get("/admin/login/", {"next": "//evil.example/"}).url


@given(st.text())
def test_whatever_counts_as_local_begins_at_the_root_and_names_no_host(text):
    if is_local_path(text, "testserver"):
        assert text.startswith("/")
        assert not text.startswith(("//", "/\\"))
