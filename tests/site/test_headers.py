"""Tests of the headers of every kind of answer: pages, errors, the API, static files, downloads."""

import pytest
from django.test import Client

from tests.factories import make_sample

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
ANSWERS = {
    "a page": ("/browse/", 200),
    "the sign-in page": ("/accounts/login/", 302),
    "a missing page": ("/nothing/", 404),
    "a forbidden page": ("/admin/", 302),
    "the API": ("/api/v1/reviews/", 200),
    "an error of the API": ("/api/v1/reviews/?verdict=perhaps", 400),
    "an unknown address of the API": ("/api/v1/nothing/", 404),
    "the schema": ("/api/schema/", 200),
    "health": ("/healthz", 200),
    "a static file": ("/static/css/base.css", 200),
}


@pytest.fixture(scope="module")
def first_answers():
    """Hold the answers for the module's tests: the schema alone takes a second to generate."""
    return {}


@pytest.fixture
def answers(first_answers, reader, settings):
    settings.WHITENOISE_USE_FINDERS = True
    settings.WHITENOISE_AUTOREFRESH = True
    reader.handler.load_middleware()
    if not first_answers:
        first_answers.update({name: reader.get(path) for name, (path, _) in ANSWERS.items()})
    assert {name: answer.status_code for name, answer in first_answers.items()} == {
        name: status for name, (_, status) in ANSWERS.items()
    }
    return first_answers


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Referrer-Policy", "same-origin"),
    ],
)
def test_every_answer_has_it(answers, header, value):
    assert {name: answer.headers.get(header) for name, answer in answers.items()} == dict.fromkeys(
        ANSWERS, value
    )


def test_no_page_may_use_a_device_of_its_reader(answers):
    for answer in answers.values():
        policy = answer["Permissions-Policy"]
        for feature in ("camera", "microphone", "geolocation", "usb", "payment", "serial"):
            assert f"{feature}=()" in policy


def test_nothing_but_static_files_is_stored(answers):
    storing = [name for name, answer in answers.items() if "no-store" not in answer["Cache-Control"]]
    assert storing == ["a static file"]
    assert "private" in answers["a page"]["Cache-Control"]


def test_an_error_of_ours_has_them_too(reader, monkeypatch):
    reader.raise_request_exception = False
    monkeypatch.setattr("concur_site.views.pipeline.stations", lambda *args: 1 / 0)
    answer = reader.get("/")
    assert answer.status_code == 500
    assert "no-store" in answer["Cache-Control"]
    assert "camera=()" in answer["Permissions-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_part_of_a_page_is_stored_no_more_than_the_page(reader):
    sample = make_sample()
    answer = reader.get(f"/samples/{sample.pk}/text/kernel/", headers={"HX-Request": "true"})
    assert "no-store" in answer["Cache-Control"]


def test_a_strangers_answers_are_not_stored_either():
    assert "no-store" in Client().get("/browse/")["Cache-Control"]
