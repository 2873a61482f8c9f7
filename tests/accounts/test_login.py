"""Tests of the sign-in throttle: it slows down guessing and nobody else."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from django.utils import timezone

from datasets_app.accounts import brake
from datasets_app.accounts.brake import NAME_FAILURES, PAIR_FAILURES, SPRAY_NAMES
from datasets_app.models import LoginFailure
from tests.factories import make_user

pytestmark = pytest.mark.django_db
WRONG = "That name and password do not match an active account."
WAIT = re.compile(r"Too many failed attempts\. Try again in (\d+) s\.")


def attempt(password, name="ada", address="10.0.0.1", client=None, **headers):
    client = client or Client()
    sent = {"username": name, "password": password}
    return client.post("/accounts/login/", sent, REMOTE_ADDR=address, headers=headers)


def seconds_to_wait(answer) -> int:
    """Return the number of seconds that the answer asks to wait; 0 if it does not."""
    found = WAIT.search(answer.content.decode())
    return int(found[1]) if found else 0


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch):
    """Stop the clock: time passes only where a test makes failures older, however slow the machine."""
    now = timezone.now()
    monkeypatch.setattr("django.utils.timezone.now", lambda: now)


@pytest.fixture
def ada():
    return make_user("annotator", "ada")


def fail(times=PAIR_FAILURES, **where):
    for _ in range(times):
        attempt("wrong", **where)


def age(seconds):
    for row in LoginFailure.objects.all():
        LoginFailure.objects.filter(pk=row.pk).update(at=row.at - timedelta(seconds=seconds))


def test_the_right_password_signs_in(ada):
    assert attempt("ada").url == "/"


def test_a_wrong_one_is_told_without_saying_what_was_wrong(ada):
    for answer in (attempt("wrong"), attempt("wrong", name="nobody")):
        assert WRONG in answer.content.decode()


def test_a_closed_account_is_told_the_same(ada):
    ada.is_active = False
    ada.save()
    assert WRONG in attempt("ada").content.decode()


def test_a_name_that_exists_takes_no_longer_than_one_that_does_not(ada, monkeypatch):
    """Hashing is all that takes long: each attempt hashes once, whatever the name is."""
    closed, hashed = make_user("annotator", "closed"), []
    closed.is_active = False
    closed.save()
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(
        MD5PasswordHasher, "encode", lambda self, *args: hashed.append(1) or encode(self, *args)
    )
    counts = {}
    for name in ("ada", "closed", "nobody"):
        hashed.clear()
        attempt("wrong", name=name)
        counts[name] = len(hashed)
    assert counts == dict.fromkeys(counts, 1)


# --- a name at an address -------------------------------------------------------------------------------


def test_four_failures_do_not_lock_out(ada):
    fail(PAIR_FAILURES - 1)
    assert attempt("ada").status_code == 302


def test_after_five_failures_even_the_right_password_waits(ada):
    fail()
    answer = attempt("ada")
    assert answer.status_code == 200
    assert 0 < seconds_to_wait(answer) <= 60


def test_an_unknown_name_waits_alike(ada):
    fail(name="nobody")
    assert seconds_to_wait(attempt("wrong", name="nobody"))


def test_waiting_does_not_count_as_failing(ada):
    fail()
    attempt("wrong")
    assert LoginFailure.objects.count() == PAIR_FAILURES


def test_succeeding_does_not_count_as_failing(ada):
    attempt("ada")
    assert not LoginFailure.objects.exists()


def test_after_a_minute_the_name_may_try_again(ada):
    fail()
    age(seconds=61)
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
    assert seconds_to_wait(attempt("ada"))


def test_guesses_sent_at_once_count_each_other(ada):
    """Each attempt is recorded before its password is checked, so the sixth waits although none has ended."""
    one = brake.Attempt.of("ada", "10.0.0.1")
    for _ in range(PAIR_FAILURES):
        brake.begin(one)
    with pytest.raises(brake.BrakedError):
        brake.begin(one)


# --- a spray over many names ----------------------------------------------------------------------------


def spray(names, **where):
    return [attempt("wrong", name=f"name-{number}", **where) for number in range(names)]


def test_a_spray_over_forty_names_is_braked(ada):
    waits = [seconds_to_wait(answer) for answer in spray(40)]
    assert not any(waits[:SPRAY_NAMES])
    assert all(waits[SPRAY_NAMES:])
    assert LoginFailure.objects.count() == SPRAY_NAMES


def test_the_wait_of_a_spray_grows_with_its_names_to_a_bound(ada):
    spray(SPRAY_NAMES)
    waits = []
    for number in range(8):
        waits.append(seconds_to_wait(attempt("wrong", name=f"more-{number}")))
        age(seconds=61)
        attempt("wrong", name=f"more-{number}")
    assert waits == sorted(waits)
    assert waits[0] <= 2
    assert waits[-1] == 60


def test_one_who_mistypes_one_name_often_is_no_spray(ada):
    for _ in range(3):
        fail()
        age(seconds=61)
    make_user("reader", "rita")
    assert attempt("rita", name="rita").status_code == 302


def test_a_spray_from_one_address_does_not_hold_up_another(ada):
    spray(SPRAY_NAMES)
    assert attempt("ada", address="10.0.0.2").status_code == 302


def test_addresses_of_one_ipv6_network_count_as_one(ada):
    for number in range(SPRAY_NAMES):
        attempt("wrong", name=f"name-{number}", address=f"2001:db8:0:7::{number + 1:x}")
    assert seconds_to_wait(attempt("ada", address="2001:db8:0:7:ffff::1"))
    assert attempt("ada", address="2001:db8:0:8::1").status_code == 302


# --- one name from many addresses -----------------------------------------------------------------------


def guess_from_everywhere(times):
    for number in range(times):
        attempt("wrong", address=f"10.1.{number // 250}.{number % 250 + 1}")


def test_a_name_that_is_tried_from_everywhere_waits_but_is_never_locked(ada):
    guess_from_everywhere(NAME_FAILURES)
    wait = seconds_to_wait(attempt("ada", address="10.9.9.9"))
    assert 0 < wait <= 2
    age(seconds=wait + 1)
    assert attempt("ada", address="10.9.9.9").status_code == 302


def test_the_wait_of_a_name_is_never_longer_than_a_minute(ada):
    LoginFailure.objects.bulk_create(
        LoginFailure(name="ada", address=f"10.2.0.{number}") for number in range(200)
    )
    assert seconds_to_wait(attempt("ada", address="10.9.9.9")) == 60


# --- known devices --------------------------------------------------------------------------------------


@pytest.fixture
def known(ada):
    """Ada's own browser, which has signed in before."""
    client = Client()
    attempt("ada", client=client)
    client.post("/accounts/logout/")
    return client


def test_a_known_device_signs_in_while_others_guess_its_name_from_its_own_address(known):
    fail()
    assert seconds_to_wait(attempt("ada"))
    assert attempt("ada", client=known).status_code == 302


def test_a_known_device_signs_in_through_a_flood_from_everywhere_and_a_spray(known):
    guess_from_everywhere(NAME_FAILURES + 5)
    spray(SPRAY_NAMES + 5)
    assert attempt("ada", client=known).status_code == 302


def test_a_known_device_that_guesses_is_braked_too(known):
    fail(client=known)
    assert seconds_to_wait(attempt("ada", client=known))


def test_a_device_is_known_for_its_own_name_alone(known):
    make_user("reader", "rita")
    fail(name="rita")
    assert seconds_to_wait(attempt("rita", name="rita", client=known))


def test_a_forged_device_is_unknown(ada, known):
    forged = Client()
    for name, morsel in known.cookies.items():
        if name.startswith("known-device"):
            forged.cookies[name] = morsel.value[:-2] + "xx"
    fail()
    assert seconds_to_wait(attempt("ada", client=forged))


def test_the_devices_cookie_is_out_of_reach_of_scripts(known):
    cookie = next(morsel for name, morsel in known.cookies.items() if name.startswith("known-device"))
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["path"] == "/accounts/"


# --- housekeeping ---------------------------------------------------------------------------------------


def test_old_failures_are_forgotten(ada):
    fail(2)
    age(seconds=3601)
    attempt("wrong")
    assert LoginFailure.objects.count() == 1


def test_a_sign_in_costs_few_queries(ada, django_assert_max_num_queries):
    client = Client()
    with django_assert_max_num_queries(18):
        attempt("ada", client=client)


@pytest.mark.parametrize("name", ["x" * 400, "nul\x00", "", "\u202e"])
def test_a_strange_name_breaks_nothing(name):
    assert attempt("wrong", name=name).status_code == 200
