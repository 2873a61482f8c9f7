"""Tests of pages about background work, running or failed: each shows progress and the available actions."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from datasets_app.curate import freeze
from datasets_app.curate.definition import parse
from datasets_app.models import (
    BulkAction,
    Ingest,
    IngestUndo,
    MaintenanceKind,
    MaintenanceRun,
    Release,
    Review,
    ReviewClaim,
    Sample,
    TableExport,
)
from datasets_app.review.queue import CLAIM_LASTS
from tests.browser.states import curating
from tests.factories import acting

pytestmark = pytest.mark.browser
HALF_WAY = {
    "state": "running",
    "size_bytes": 48_000_000,
    "bytes_read": 21_000_000,
    "rows": 8_412,
    "new_samples": 8_007,
}
INGESTS = {
    "queued": ({"state": "queued"}, "waiting for a worker"),
    "stuck": ({"state": "queued", "created_at": timezone.now() - timedelta(hours=1)}, "worker"),
    "running": (HALF_WAY, "43 %"),
    "failed": (
        {**HALF_WAY, "state": "failed", "error": "line 8,413 is cut off"},
        "stored before that",
    ),
}


@pytest.fixture
def changed() -> Iterator[Any]:
    """Put a row into another state, and restore it after the test."""
    before: list[tuple[Any, dict[str, Any]]] = []

    def put(row: Any, **state: Any) -> None:
        before.append((row, {name: getattr(row, name) for name in state}))
        type(row).objects.filter(pk=row.pk).update(**state)

    yield put
    for row, state in reversed(before):
        type(row).objects.filter(pk=row.pk).update(**state)


@pytest.mark.parametrize("name", INGESTS)
def test_an_ingest_says_how_far_it_is(site, visit, judge, changed, name):
    state, says = INGESTS[name]
    one = Ingest.objects.get(file_name="demo.jsonl")
    started = timezone.now() - timedelta(seconds=4)
    changed(one, **{"created_at": timezone.now(), "finished_at": None, "started_at": started, **state})
    page = visit(one.get_absolute_url(), "curator")
    assert says in page.locator("main").inner_text()
    judge.look(page, f"ingest {name}")


def test_an_action_over_many_rows_says_how_far_it_is(site, visit, judge, changed):
    changed(BulkAction.objects.latest("created_at"), state="running", seen=41, total=90)
    page = visit("/browse/?view=all")
    assert "41 of 90" in page.locator("#bar").inner_text()
    judge.look(page, "browse action running")


@pytest.fixture
def unfinished(site) -> Iterator[Release]:
    """Return a release whose files are not written yet."""
    made = freeze.create(
        acting(site.people.curator), name="second", definition=parse(curating.PASSED), recipe_name="test"
    )
    yield made
    Release.objects.filter(pk=made.pk).delete()


def test_a_release_that_is_being_written_and_one_that_could_not_be(unfinished, visit, judge, changed):
    assert "Waiting for a site worker" in visit("/releases/second/", "curator").locator("main").inner_text()
    changed(unfinished, state="running", rows_written=12)
    page = visit("/releases/second/", "curator")
    assert "12 written so far" in page.locator("main").inner_text()
    judge.look(page, "release running")
    changed(unfinished, state="failed", error="The disk is full.")
    page = visit("/releases/second/", "curator")
    assert page.get_by_role("button", name="Try again").is_visible()
    judge.look(page, "release failed")


def test_maintenance_that_runs_and_one_that_failed(site, visit, judge, changed):
    running = MaintenanceRun.objects.filter(kind=MaintenanceKind.NEIGHBOURS).latest("id")
    changed(running, state="running", done=30, finished_at=None)
    changed(
        MaintenanceRun.objects.filter(kind=MaintenanceKind.TOKENS).latest("id"),
        state="failed",
        error="No such tokenizer.",
    )
    page = visit("/maintenance/", "administrator")
    assert f"30 of {running.total}" in page.locator("main").inner_text()
    judge.look(page, "maintenance running")


def test_a_sample_that_somebody_else_reviews_can_be_read(site, visit, judge, changed):
    held = ReviewClaim.objects.filter(reviewer=site.people.curator).earliest(
        "pk"
    )  # of no queue with a second slot
    changed(held, expires_at=timezone.now() + CLAIM_LASTS)  # a slow run outlasts the example's claims
    page = visit(held.sample.get_absolute_url().replace("/samples/", "/review/"), "annotator")
    assert "is reviewing this sample" in page.locator("main").inner_text()
    judge.look(page, "review held")


def test_a_queue_that_is_empty_after_its_last_judgement(site, visit, judge):
    """A filter whose samples the person has all reviewed."""
    mine = Review.objects.filter(reviewer=site.people.annotator, verdict="reject").latest("created_at")
    sample = Sample.objects.select_related("task").get(pk=mine.sample_id)
    page = visit(f"/review/?task={sample.task.pk}&verdict=reject&generator={sample.generator}", "annotator")
    assert "reviewed every sample" in page.locator("main").inner_text()
    judge.look(page, "review all judged")


RUNNING = {"state": "running", "started_at": timezone.now(), "total": 20_000, "done": 8_500}
FAILED = {**RUNNING, "state": "failed", "error": "Given up after 3 attempts: its process was killed"}


@pytest.mark.parametrize(
    ("state", "says"), [(RUNNING, "8,500 of 20,000"), (FAILED, "Given up")], ids=["running", "failed"]
)
@pytest.mark.parametrize("kind", ["undo of an ingest", "export of a table"])
def test_an_undo_and_an_export_of_a_table_say_how_far_they_are(site, visit, judge, kind, state, says):
    curator = site.people.curator
    if kind == "export of a table":
        job = TableExport.objects.create(table="reviews", format="csv", created_by=curator, **state)
    else:
        ingest = Ingest.objects.get(file_name="demo.jsonl")
        job = IngestUndo.objects.create(ingest=ingest, created_by=curator, **state)
    try:
        page = visit(job.get_absolute_url(), "curator")
        assert says in page.locator("main").inner_text()
        judge.look(page, f"{kind} {state['state']}")
    finally:
        job.delete()
