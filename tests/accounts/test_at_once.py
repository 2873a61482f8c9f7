"""Tests of eight simultaneous requests for the same new object: it is created once, and nothing fails."""

import json
import logging
from collections import Counter

import pytest
from django.contrib.auth.models import User
from django.test import Client

from datasets_app.models import Recipe, Release, SampleTag, SavedView, Tag, Verification
from eval_app.results.record import import_report
from tests.api.clients import token_for
from tests.curate.store import PASSED
from tests.factories import make_sample, make_user
from tests.review.test_at_once import at_once
from tests.verify import reports

pytestmark = pytest.mark.django_db(transaction=True)
EIGHT = 8


@pytest.fixture
def eight():
    """Send eight identical requests at once, each on its own connection; return the statuses, counted."""
    text = token_for(make_user("administrator"), "read", "annotate", "curate", "admin")

    def send(path, body):
        client = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {text}"})
        return client.post(path, json.dumps(body), content_type="application/json")

    def sent(path, body):
        answers = at_once(*[lambda: send(path, body)] * EIGHT)
        assert all("detail" in answer.json() for answer in answers if answer.status_code >= 400)
        return Counter(answer.status_code for answer in answers)

    level = logging.getLogger("django.request").level
    logging.getLogger("django.request").setLevel(logging.CRITICAL)
    yield sent
    logging.getLogger("django.request").setLevel(level)


def test_a_recipe(eight):
    assert eight("/api/v1/recipes/", {"name": "same", "definition": PASSED}) == {201: 1, 400: EIGHT - 1}
    assert Recipe.objects.filter(name="same").count() == 1


def test_a_tag(eight):
    assert eight("/api/v1/tags/", {"name": "same"}) == {201: 1, 400: EIGHT - 1}
    assert Tag.objects.count() == 1


def test_a_saved_view(eight):
    assert eight("/api/v1/views/", {"name": "same", "query": ""}) == {201: 1, 400: EIGHT - 1}
    assert SavedView.objects.count() == 1


def test_a_release(eight):
    sent = {"name": "same", "definition": PASSED}
    assert eight("/api/v1/releases/", sent) == {202: 1, 400: EIGHT - 1}
    assert Release.objects.count() == 1


def test_a_new_tag_on_one_sample_is_made_once_and_nobody_is_refused(eight):
    sent = {"action": "tag", "samples": [str(make_sample().pk)], "tag": "same"}
    assert eight("/api/v1/bulk-actions/", sent) == {201: EIGHT}
    assert SampleTag.objects.count() == 1


def test_an_account_in_the_admin():
    clients = [Client(raise_request_exception=False) for _ in range(EIGHT)]
    person = make_user("administrator")
    for client in clients:
        client.force_login(person)
    form = {"username": "same", "usable_password": "false"}
    answers = at_once(
        *(lambda client=client: client.post("/admin/auth/user/add/", form) for client in clients)
    )
    assert all(answer.status_code < 500 for answer in answers)
    assert User.objects.filter(username="same").count() == 1


def test_a_report_that_several_files_bring():
    sample = make_sample()
    stored = at_once(*[lambda: import_report(sample.pk, reports.passed(sample.pk))] * EIGHT)
    assert stored.count(None) == EIGHT - 1
    assert Verification.objects.count() == 1
