"""Signing in slows down for whoever guesses."""

from datetime import timedelta

import pytest
from django.test import Client

from datasets_app.login import FAILURES
from datasets_app.models import LoginFailure
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def attempt(password, name="ada", address="10.0.0.1", client=None):
    client = client or Client()
    return client.post("/accounts/login/", {"username": name, "password": password}, REMOTE_ADDR=address)


@pytest.fixture
def ada():
    return make_user("annotator", "ada")


def fail(times=FAILURES, **where):
    for _ in range(times):
        attempt("wrong", **where)


def test_the_right_password_signs_in(ada):
    assert attempt("ada").url == "/"


def test_a_wrong_one_is_told_without_saying_what_was_wrong(ada):
    known, unknown = attempt("wrong"), attempt("wrong", name="nobody")
    sentence = "That name and password do not match an active account."
    assert sentence in known.content.decode()
    assert sentence in unknown.content.decode()


def test_a_closed_account_is_told_the_same(ada):
    ada.is_active = False
    ada.save()
    assert "do not match an active account" in attempt("ada").content.decode()


def test_four_failures_do_not_lock_out(ada):
    fail(FAILURES - 1)
    assert attempt("ada").status_code == 302


def test_after_five_failures_even_the_right_password_waits(ada):
    fail()
    answer = attempt("ada")
    assert answer.status_code == 200
    assert "Too many failures for this name. Try again in" in answer.content.decode()


def test_waiting_does_not_count_as_failing(ada):
    fail()
    attempt("wrong")
    assert LoginFailure.objects.count() == FAILURES


def test_after_a_minute_the_name_may_try_again(ada):
    fail()
    for row in LoginFailure.objects.all():
        LoginFailure.objects.filter(pk=row.pk).update(at=row.at - timedelta(seconds=61))
    assert attempt("ada").status_code == 302


def test_others_at_the_same_address_are_not_held_up(ada):
    make_user("reader", "rita")
    fail()
    assert attempt("rita", name="rita").status_code == 302


def test_the_same_name_elsewhere_is_not_held_up(ada):
    fail()
    assert attempt("ada", address="10.0.0.2").status_code == 302


def test_upper_case_is_no_way_around(ada):
    fail(name="ADA")
    assert "Too many failures" in attempt("ada").content.decode()


def test_old_failures_are_forgotten(ada):
    fail(2)
    for row in LoginFailure.objects.all():
        LoginFailure.objects.filter(pk=row.pk).update(at=row.at - timedelta(seconds=61))
    attempt("wrong")
    assert LoginFailure.objects.count() == 1


@pytest.mark.parametrize("name", ["x" * 400, "nul\x00", ""])
def test_a_strange_name_breaks_nothing(name):
    assert attempt("wrong", name=name).status_code == 200
