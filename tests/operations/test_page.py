"""Tests of /operations/: tables hold every number without a script, hostile words stay text, queries are bounded."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets_app.models import BulkAction
from eval_app.models import Alert, Host
from tests.operations import site

pytestmark = pytest.mark.django_db


def page(client):
    answer = client.get("/operations/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_empty_site_teaches(administrator):
    text = page(administrator)
    assert "No alert is raised." in text
    assert "No worker finished a verification within the last 24 hours." in text
    assert "manage.py host add NAME" in text


def test_every_number_is_in_a_table(administrator):
    site.host()
    site.waiting("cuda", minutes=250)
    site.finished("wrong_value", seconds={"build": 2.5, "trials": 1.5})
    BulkAction.objects.create(
        action="tag", state="failed", error="the disk went away", finished_at=timezone.now()
    )
    Alert.objects.create(rule="old_job", sentence="3 wait.", raised_at=timezone.now(), seen_at=timezone.now())
    text = page(administrator)
    assert "A verification has waited for too long" in text
    for cell in ("4 h", "wrong value", "100.0 %", "build", "2.5", "the disk went away", "1 of 4"):
        assert cell in text, cell


def test_what_a_host_wrote_stays_text(administrator):
    site.host(versions={"engine": "<script>alert(1)</script>"})
    Host.objects.update(refusal="<img src=x onerror=alert(1)>")
    text = page(administrator)
    assert "<script>alert(1)" not in text
    assert "<img src=x" not in text


def test_it_is_for_administrators(reader, curator):
    assert reader.get("/operations/").status_code == curator.get("/operations/").status_code == 403


def test_the_number_of_queries_does_not_grow_with_what_there_is(administrator):
    page(administrator)
    site.host("one")
    site.finished(seconds={"build": 1.0})
    with CaptureQueriesContext(
        connection,
    ) as few:
        page(administrator)
    for name in ("two", "three", "four"):
        site.host(name)
        site.finished("infra_error", seconds={"build": 1.0})
        site.waiting("cuda")
    with CaptureQueriesContext(connection) as many:
        page(administrator)
    assert len(many) == len(few)
