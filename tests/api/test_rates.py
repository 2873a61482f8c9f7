"""Tests of the API's rate limits: bad tokens are throttled, good ones have more than they need."""

import pytest
from django.test import Client

from datasets_app.accounts.actor import COMMAND
from datasets_app.accounts.rates import Rate
from datasets_app.api import throttling
from datasets_app.export import publication
from datasets_app.export.finish import finish_files
from datasets_app.models import ApiToken
from tests.curate.store import frozen, passed
from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
ADDRESS = "/api/v1/reviews/"


@pytest.fixture(autouse=True)
def fresh_rates(monkeypatch):
    """Start and end each test with full rates, which live in the process, on a clock that refills nothing."""
    monkeypatch.setattr(throttling.bad_tokens, "_clock", lambda: 0.0)
    throttling.bad_tokens.clear()
    yield
    throttling.bad_tokens.clear()
    throttling.requests_of_tokens.cache_clear()


def ask(token, address="10.0.0.1"):
    return Client().get(ADDRESS, REMOTE_ADDR=address, headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def token():
    return ApiToken.issue(make_user("reader"), ["read"])[1]


def test_bad_tokens_from_one_address_are_slowed_down_in_json():
    answers = [ask(f"cw_{number}") for number in range(throttling.BAD_TOKENS_PER_MINUTE + 1)]
    assert {answer.status_code for answer in answers[:-1]} == {401}
    last = answers[-1]
    assert last.status_code == 429
    assert int(last["Retry-After"]) >= 1
    assert last.json()["detail"].startswith(
        f"Too many requests. Send the next one in {last['Retry-After']} s"
    )


def test_a_good_token_from_that_address_goes_on_working(token):
    for number in range(throttling.BAD_TOKENS_PER_MINUTE + 5):
        ask(f"cw_{number}")
    assert ask(token).status_code == 200
    assert ask("cw_bad", address="10.0.0.2").status_code == 401


def test_a_token_that_runs_away_is_asked_to_wait(token, settings):
    settings.API_RATE = 5
    answers = [ask(token) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert 1 <= int(answers[-1]["Retry-After"]) <= 12


def test_every_answer_to_a_token_says_how_many_requests_are_left(token, settings, monkeypatch):
    settings.API_RATE = 60
    monkeypatch.setattr(throttling.requests_of_tokens(60), "_clock", lambda: 0.0)
    told = [ask(token) for _ in range(61)]
    assert [answer["RateLimit-Remaining"] for answer in told] == [*map(str, range(59, -1, -1)), "0"]
    assert {answer["RateLimit-Limit"] for answer in told} == {"60"}
    assert (told[0]["RateLimit-Reset"], told[59]["RateLimit-Reset"]) == ("1", "60")
    assert (told[60].status_code, told[60]["Retry-After"]) == (429, "1")


def test_an_answer_to_nobody_in_particular_has_no_limit_to_tell():
    assert not [name for name in ask("cw_bad").headers if name.startswith("RateLimit")]


def test_tokens_do_not_share_their_rate(token, settings):
    settings.API_RATE = 2
    other = ApiToken.issue(make_user("reader"), ["read"])[1]
    assert [ask(token).status_code for _ in range(3)] == [200, 200, 429]
    assert ask(other).status_code == 200


def test_people_in_a_browser_are_not_counted(reader, settings):
    settings.API_RATE = 1
    assert {reader.get(ADDRESS).status_code for _ in range(5)} == {200}


def test_downloads_are_not_counted(token, settings):
    """Fifty parallel range downloads are one legitimate client; the file of this test does not exist."""
    settings.API_RATE = 1
    address = "/api/v1/releases/none/files/train.jsonl"
    statuses = {
        Client().get(address, headers={"Authorization": f"Bearer {token}"}).status_code for _ in range(5)
    }
    assert statuses == {404}


def test_a_bucket_fills_again_evenly():
    now = [0.0]
    rate = Rate(60, clock=lambda: now[0])
    assert [rate.take("a") for _ in range(61)] == [0] * 60 + [1]
    now[0] = 2.0
    assert [rate.take("a") for _ in range(3)] == [0, 0, 1]


def test_keys_are_bounded(monkeypatch):
    monkeypatch.setattr("datasets_app.accounts.rates.MOST_KEYS", 3)
    rate = Rate(1)
    for key in "abcd":
        rate.take(key)
    assert rate.take("d") > 0
    assert rate.take("a") == 0


def test_strangers_who_read_a_public_release_are_slowed_down_but_for_its_files(monkeypatch):
    monkeypatch.setattr(throttling.strangers, "_clock", lambda: 0.0)
    monkeypatch.setattr(throttling.strangers, "per_minute", 2)
    throttling.strangers.clear()
    passed()
    finish_files(release := frozen("first"))
    publication.set_visibility(release, "public", actor=COMMAND)
    rows, file = "/api/v1/releases/first/splits/", "/api/v1/releases/first/files/README.md"
    assert [Client().get(rows).status_code for _ in range(3)] == [200, 200, 429]
    assert Client().get(rows, REMOTE_ADDR="10.0.0.2").status_code == 200
    assert Client().get(file).status_code == 200
    reader = Client()
    reader.force_login(make_user("reader"))
    assert reader.get(rows).status_code == 200
    throttling.strangers.clear()
