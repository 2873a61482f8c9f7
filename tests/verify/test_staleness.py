"""Tests that evidence is bound to its versions: when they change it is stale, and names them."""

import pytest
from django.urls import reverse
from django.utils import timezone

from datasets_app.accounts.actor import COMMAND
from datasets_app.browse.query import parse_query
from datasets_app.models import Sample, Verification
from eval_app.engine import ENGINE_VERSION
from eval_app.models import Worker
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from eval_app.results.staleness import note_changes
from eval_app.site_worker import announcements
from tests.factories import make_sample
from tests.verify import reports

pytestmark = pytest.mark.django_db
VERSIONS = {"engine": ENGINE_VERSION, "torch": "2.13.0", "cuda": "13.0", "driver": "580.65"}
H200 = {
    "state": "ready",
    "healthy": True,
    "queues": ["cuda"],
    "devices": [{"kind": "cuda", "name": "NVIDIA H200"}],
    "versions": VERSIONS,
}


def verified(sample=None, **versions):
    (row,) = request_verification([sample or make_sample(language="cuda")], actor=COMMAND)
    record_report(row.pk, 1, reports.passed(row.sample_id, versions={**VERSIONS, **versions}))
    return Verification.objects.select_related("environment").get(pk=row.pk)


def changed(row):
    row.environment.refresh_from_db()
    return row.environment.changed


def test_evidence_of_the_versions_that_run_is_not_stale():
    announcements.announce("box", H200)
    assert changed(verified()) == ""


def test_another_engine_makes_it_stale_whoever_runs():
    assert changed(verified(engine="0.3")) == f"engine 0.3 → {ENGINE_VERSION}"


def test_the_head_of_the_samples_page_says_so(reader):
    announcements.announce("box", H200)
    heads = [
        reader.get(row.sample.get_absolute_url())
        .content.decode()
        .partition("sample-state")[2]
        .partition("</p>")[0]
        for row in (verified(), verified(engine="0.3"))
    ]
    assert ["engine 0.3 →" in head for head in heads] == [False, True]
    assert "stale" in heads[1]


def test_a_new_driver_on_the_device_makes_it_stale():
    row = verified()
    announcements.announce("box", {**H200, "versions": {**VERSIONS, "driver": "590.10", "torch": "2.14.0"}})
    assert changed(row) == "torch 2.13.0 → 2.14.0, driver 580.65 → 590.10"


def test_a_machine_with_another_device_says_nothing_about_this_one():
    row = verified()
    other = [{"kind": "cuda", "name": "NVIDIA A100"}]
    announcements.announce("old", {**H200, "devices": other, "versions": {**VERSIONS, "driver": "1"}})
    assert changed(row) == ""


def test_one_machine_that_still_runs_the_same_is_enough():
    row = verified()
    announcements.announce("old", H200)
    announcements.announce("new", {**H200, "versions": {**VERSIONS, "driver": "590.10"}})
    assert changed(row) == ""


def test_a_machine_that_sleeps_is_remembered_with_what_it_said_last():
    row = verified()
    announcements.announce("box", {**H200, "versions": {**VERSIONS, "driver": "590.10"}})
    Worker.objects.update(seen_at=timezone.now() - timezone.timedelta(days=2))
    note_changes()
    assert changed(row) == "driver 580.65 → 590.10"


def test_what_a_machine_does_not_tell_does_not_count():
    announcements.announce("box", {**H200, "versions": {"engine": ENGINE_VERSION}})
    assert changed(verified()) == ""


def test_a_toolkit_of_which_less_is_told_is_not_another():
    row = verified(nvcc="13.0.88")
    announcements.announce("box", H200)  # which reports 13.0
    assert changed(row) == ""
    announcements.announce("box", {**H200, "versions": {**VERSIONS, "cuda": "13.1"}})
    assert changed(row) == "toolkit 13.0.88 → 13.1"


def test_samples_are_found_by_the_newest_evidence_alone():
    old = verified(engine="0.3").sample
    again = make_sample(language="cuda")
    verified(again, engine="0.3")
    verified(again)
    make_sample()
    assert list(Sample.objects.stale()) == [old]
    assert list(parse_query("stale:yes").queryset()) == [old]
    assert list(parse_query("stale:no").queryset()) == [again]


def test_all_stale_are_verified_again_at_once(annotator):
    old = verified(engine="0.3").sample
    verified()
    page = annotator.get(reverse("verify")).content.decode()
    assert ">1 sample</a> has evidence" in page
    assert "Verify 1 stale sample<" in page
    annotator.post(reverse("verify-ask"), {"query": "stale:yes", "count": "1"})
    assert [row.sample_id for row in Verification.objects.waiting()] == [old.pk]


def test_the_list_is_filtered_by_staleness_and_shows_what_changed(reader):
    old, new = verified(engine="0.3"), verified()
    page = reader.get(reverse("verify") + "?stale=yes").content.decode()
    assert old.get_absolute_url() in page
    assert new.get_absolute_url() not in page
    assert f"engine 0.3 → {ENGINE_VERSION}" in page


def test_programs_are_told_too(reader):
    row = verified(engine="0.3")
    found = reader.get(reverse("api-verification", args=[row.pk])).json()
    assert found["stale_since"] == f"engine 0.3 → {ENGINE_VERSION}"


def test_the_task_page_marks_stale_samples(reader):
    row = verified(engine="0.3")
    page = reader.get(row.sample.task.get_absolute_url()).content.decode()
    assert f'title="engine 0.3 → {ENGINE_VERSION}"' in page
