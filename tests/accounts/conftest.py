"""Fixtures: an administrator, ada, with two-step sign-in, and the clock that codes are computed from."""

import time

import pytest

from datasets_app.accounts import second_factor
from tests.accounts.steps import code_for
from tests.factories import acting, make_user


@pytest.fixture
def clock(monkeypatch):
    """The clock that codes are computed from; a test moves it by hand."""
    now = [time.time()]
    monkeypatch.setattr("datasets_app.accounts.second_factor.time.time", lambda: now[0])
    return now


@pytest.fixture
def ada():
    return make_user("administrator", "ada")


@pytest.fixture
def enrolled(ada, clock):
    """The account's secret and recovery codes; the code of the next half minute is unused."""
    secret = second_factor.new_secret()
    codes = second_factor.enrol(secret, code_for(secret, clock), actor=acting(ada))
    clock[0] += 30
    return secret, codes
