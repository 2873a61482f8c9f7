"""Tests that an ingest is undone and brought back, by a request or by a worker, and what ingesting again does."""

from datetime import timedelta
from functools import partial

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from datasets_app import ingest as stage
from datasets_app import review
from datasets_app.accounts.actor import COMMAND
from datasets_app.ingest import undo
from datasets_app.jobs import job_row
from datasets_app.models import (
    IngestUndo,
    Note,
    ReviewDraft,
    Sample,
    SampleWithdrawal,
)
from tests.factories import acting, make_sample, make_user
from tests.ingest.conftest import concur_row, ingest_file, write_lines
from tests.ingest.withdrawing import in_release, listed, make_ingest

pytestmark = pytest.mark.django_db


def test_undoing_an_ingest_withdraws_what_nobody_has_used_and_names_the_rest(cur, ben):
    ingest = make_ingest(cur)
    free, judged, noted, released = (make_sample(ingest=ingest) for _ in range(4))
    elsewhere = make_sample()
    review.submit_review(judged, ben, "accept")
    Note.objects.create(sample=noted, author=ben.user)
    in_release(released)
    plan = stage.undo_plan(ingest)
    assert (plan.going, plan.staying) == (1, 3)
    assert [(held.sample, held.reasons) for held in plan.held] == [
        (judged, ["reviewed"]),
        (noted, ["noted"]),
        (released, ["released"]),
    ]
    assert stage.undo_ingest(ingest, cur, "wrong file").done == 1
    assert listed() == {judged.pk, noted.pk, released.pk, elsewhere.pk}
    assert SampleWithdrawal.objects.get().sample == free


def test_an_undone_ingest_is_brought_back_at_once_but_for_what_was_withdrawn_by_itself(cur):
    ingest = make_ingest(cur)
    samples = [make_sample(ingest=ingest) for _ in range(3)]
    stage.withdraw_sample(samples[0], cur, "copied")
    assert stage.undo_ingest(ingest, cur, "wrong file").done == 2
    assert stage.restore_ingest(ingest, cur).done == 2
    assert listed() == {sample.pk for sample in samples[1:]}


def test_undoing_ends_drafts_nowhere(cur, ben):
    ingest = make_ingest(cur)
    sample = make_sample(ingest=ingest)
    ReviewDraft.objects.create(sample=sample, reviewer=ben.user, fields={"comment": "so far"})
    stage.undo_ingest(ingest, cur, "wrong file")
    assert ReviewDraft.objects.get().fields == {"comment": "so far"}


def test_an_ingest_that_has_not_ended_and_one_of_somebody_else_are_not_undone(cur):
    with pytest.raises(stage.IngestError, match="cancel it first"):
        stage.undo_ingest(make_ingest(cur, state="running", finished_at=None), cur, "wrong file")
    with pytest.raises(PermissionDenied, match="the person who started it"):
        stage.undo_ingest(make_ingest(cur), acting(make_user("curator")), "wrong file")


def test_the_cost_of_an_undoing_grows_by_batches_and_not_by_samples(cur, django_assert_max_num_queries):
    ingest = make_ingest(cur)
    for _ in range(12):
        make_sample(ingest=ingest)
    assert undo.BATCH >= 12
    with django_assert_max_num_queries(28):
        stage.undo_ingest(ingest, cur, "wrong file")
    with django_assert_max_num_queries(5):
        list(stage.undo_plan(ingest).held)


def test_the_page_of_an_undoing_withdraws_and_brings_back(client, cur):
    ingest = make_ingest(cur, new_samples=1)
    sample = make_sample(ingest=ingest)
    client.force_login(cur.user)
    undo = f"/ingest/{ingest.pk}/undo/"
    assert undo in client.get(f"/ingest/{ingest.pk}/").content.decode()
    assert client.post(undo, {"reason": ""}).status_code == 400
    page = client.post(undo, {"reason": "wrong file"}, follow=True).content.decode()
    assert "Bring back 1 sample" in page
    assert "Withdrew 1 sample." in page
    client.post(f"/ingest/{ingest.pk}/restore/")
    assert listed() == {sample.pk}


def test_programs_withdraw_and_undo_through_the_same_verbs(client, cur):
    ingest = make_ingest(cur)
    sample = make_sample(ingest=ingest)
    client.force_login(cur.user)
    send = partial(client.post, content_type="application/json")
    url, reason = f"/api/v1/samples/{sample.pk}", {"reason": "wrong file"}
    assert send(f"{url}/withdraw/", reason).json()["withdrawn_by"] == "cur"
    assert send(f"{url}/withdraw/", {"reason": "other"}).status_code == 409
    assert send(f"{url}/restore/").json() == {"samples": 1}
    url = f"/api/v1/ingests/{ingest.pk}"
    assert send(f"{url}/undo/", {"reason": "\x07"}).status_code == 400
    assert client.get(f"{url}/undo/").status_code == 404
    for verb, sentence in (("undo", "Withdrew 1 sample."), ("restore", "Brought back 1 sample.")):
        answer = send(f"{url}/{verb}/", reason)
        assert (answer.status_code, answer.json()["samples"], answer.json()["sentence"]) == (200, 1, sentence)
        assert client.get(f"{url}/undo/").json() == answer.json()


# --- An ingest with many samples ----------------------------------------------------------------------


@pytest.fixture
def many(monkeypatch, cur):
    """An ingest whose samples take three batches."""
    monkeypatch.setattr(undo, "BATCH", 2)
    ingest = make_ingest(cur, new_samples=5)
    for _ in range(5):
        make_sample(ingest=ingest)
    return ingest


def test_many_samples_are_withdrawn_and_brought_back_by_a_worker(many, client, cur):
    client.force_login(cur.user)
    page = f"/ingest/{many.pk}/undo/"
    client.post(page, {"reason": "wrong file"})
    run = undo.latest_run(many)
    assert (run.state, run.done, len(listed())) == ("queued", 0, 5)
    assert "Withdrawing the samples: waiting for a worker." in client.get(page).content.decode()
    assert client.post(page, {"reason": "again"}).status_code == 409
    undo.run_undo(run.pk)
    run.refresh_from_db()
    assert (run.state, run.done, run.total, listed()) == ("done", 5, 5, set())
    withdrawal = SampleWithdrawal.objects.first()
    assert (withdrawal.reason, withdrawal.withdrawn_by) == ("wrong file", cur.user)
    answer = client.post(f"/api/v1/ingests/{many.pk}/restore/", content_type="application/json")
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    undo.run_undo(undo.latest_run(many).pk)
    assert client.get(f"/api/v1/ingests/{many.pk}/undo/").json()["samples"] == len(listed()) == 5


def test_a_run_whose_worker_died_continues_and_counts_each_sample_once(many, cur, monkeypatch):
    run = stage.undo_ingest(many, cur, "wrong file")
    batch = undo.withdraw_batch
    calls = []

    def die_at_the_second(run, ids):
        calls.append(ids)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return batch(run, ids)

    monkeypatch.setattr(undo, "withdraw_batch", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        undo.run_undo(run.pk)
    run.refresh_from_db()
    assert (run.state, run.done) == ("running", 2)
    type(run).objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert [row.pk for row in job_row.requeue_expired(IngestUndo)] == [run.pk]
    undo.run_undo(run.pk)
    run.refresh_from_db()
    assert (run.state, run.done, run.total, listed()) == ("done", 5, 5, set())


# --- A file that is ingested again --------------------------------------------------------------------


def test_a_file_that_is_ingested_again_brings_back_what_its_undoing_withdrew(tmp_path):
    rows = [concur_row(number) for number in (1, 2, 3)]
    path = write_lines(tmp_path / "rows.jsonl", [*rows, rows[0]])
    first = ingest_file(path)
    assert (first.new_samples, first.restored_samples, first.duplicates) == (3, 0, 1)
    judged = Sample.objects.order_by("pk").first()
    stage.withdraw_sample(judged, COMMAND, "copied")
    assert stage.undo_ingest(first, COMMAND, "wrong file").done == 2
    again = ingest_file(path)
    assert (again.rows, again.new_samples, again.restored_samples, again.duplicates) == (4, 0, 2, 2)
    others = set(Sample.objects.exclude(pk=judged.pk).values_list("pk", flat=True))
    assert listed() == listed(ingest=str(again.pk)) == others
    assert [row.sample for row in SampleWithdrawal.objects.in_force()] == [judged]
    assert stage.undo_ingest(again, COMMAND, "wrong file again").done == 2
