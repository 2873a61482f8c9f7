"""Tests of forms that are sent after their writer's session has ended: a sentence, and no text is lost."""

from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse

from datasets_app.models import EditVersion, Preference
from tests.factories import make_sample, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def ended(annotator):
    """Return a browser whose session has ended; it still has the cookie."""
    Session.objects.all().delete()
    return annotator


def post(client, url, fields, referer=""):
    """Send a form as a browser does."""
    return client.post(
        url, urlencode(fields), "application/x-www-form-urlencoded", headers={"Referer": referer}
    )


def test_an_edit_that_is_sent_too_late_is_there_to_copy(ended):
    url = reverse("edit-propose", args=[make_sample().pk])
    fields = {"kernel_code": "import torch\n# <mine>", "trace": "a thought", "key": str(uuid4())}
    answer = post(ended, url, fields | {"password": "hunter2"}, f"http://testserver{url}")
    assert answer.status_code == 401
    text = answer.content.decode()
    assert "Nothing was saved: your session has ended." in text
    assert "import torch\n# &lt;mine&gt;</textarea>" in text
    assert "a thought</textarea>" in text
    assert f'href="/accounts/login/?next={url.replace("/", "%2F")}"' in text
    assert "hunter2" not in text
    assert fields["key"] not in text
    assert not EditVersion.objects.exists()


def test_a_comparison_that_is_sent_too_late_is_there_to_copy(ended):
    task = make_task()
    pair = [make_sample(task=task).pk for _ in range(2)]
    fields = {"choice": "left", "comment": "fewer loads"}
    answer = post(ended, reverse("compare-pair", args=pair), fields, "http://evil.example/")
    assert answer.status_code == 401
    assert "fewer loads</textarea>" in answer.content.decode()
    assert 'href="/accounts/login/"' in answer.content.decode()
    assert not Preference.objects.exists()


@pytest.mark.parametrize("headers", [{"Accept": "application/json"}, {"HX-Request": "true"}])
def test_scripts_get_the_redirect_that_they_know(ended, headers):
    answer = ended.post("/compare/next/", {"comment": "fewer loads"}, headers=headers)
    assert (answer.status_code, answer.url) == (302, "/accounts/login/?next=/compare/next/")


def test_pages_and_visitors_without_a_session_go_to_the_sign_in_page(ended, client):
    for answer in (
        ended.get("/review/"),
        ended.post("/review/next/"),
        client.post("/review/next/", {"a": "b"}),
    ):
        assert answer.status_code == 302
