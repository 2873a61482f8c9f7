"""Tests of batches: named, followed from one source, placed in the queue, and cancelled as a whole."""

from datetime import timedelta
from urllib.parse import parse_qs, urlparse

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils import timezone

from concur_site.activity import deeds
from datasets_app.accounts.actor import COMMAND
from datasets_app.models import AuditEntry, Priority, Verification
from eval_app.attempts import leases
from eval_app.models import VerificationBatch
from eval_app.pages.batches import batches, under_way
from eval_app.pages.place import position_of
from eval_app.request import batches as request_batches
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from eval_app.site_worker import announcements
from eval_app.workers.fleet import Fleet
from tests.factories import acting, make_sample, make_user
from tests.verify import reports
from tests.verify.test_pace import finished_in
from tests.verify.test_pages import CPU_WORKER

pytestmark = pytest.mark.django_db


def request(count=3, actor=COMMAND, title="C++ samples", **how):
    rows = request_verification(
        [make_sample() for _ in range(count)], device="cpu", actor=actor, title=title, **how
    )
    return VerificationBatch.objects.get(pk=rows[0].batch), rows


def only_batch(actor=COMMAND):
    [shown] = batches(under_way(), Fleet.read(), actor)
    return shown


def verify_page(client, query="", **headers):
    return client.get(reverse("verify") + query, headers=headers).content.decode()


def polled(client, response_page):
    """Return the live part as the page polls it."""
    address = response_page.split('id="verify-live" hx-get="')[1].split('"')[0].replace("&amp;", "&")
    return client.get(address, headers={"HX-Request": "true", "HX-Target": "verify-live"}).content.decode()


def test_a_batch_tells_its_name_its_person_and_its_progress(reader):
    ada = make_user("annotator", "ada")
    batch, (first, second, _) = request(actor=acting(ada))
    record_report(first.pk, 1, reports.passed(first.sample_id))
    leases.renew("box", [{"verification": str(second.pk), "attempt": 1, "stage": "build", "detail": ""}])
    shown = only_batch()
    assert (shown.title, shown.requested_by) == ("C++ samples", "ada")
    assert (shown.total, shown.finished, shown.passed, shown.running, shown.queued) == (3, 1, 1, 1, 1)
    page = verify_page(reader)
    assert "Batches under way" in page
    assert "1 of 3 finished, 1 passed" in page
    assert f"?batch={batch.pk}" in page


def test_a_request_without_a_name_is_called_by_its_number_and_one_sample_makes_no_batch():
    request_verification([make_sample()], actor=COMMAND)
    assert under_way() == []
    request_verification([make_sample(), make_sample()], actor=COMMAND)
    assert only_batch().title == "2 samples"


def test_the_place_in_the_queue_counts_what_is_taken_before():
    request(2, priority=Priority.LATER)
    batch, rows = request(3, priority=Priority.SOON)
    request(4, priority=Priority.SOON)
    request_verification([make_sample(language="cuda") for _ in range(2)], actor=COMMAND)
    request_verification([make_sample()], device="cpu", actor=COMMAND)
    ahead = {one.id: one.ahead for one in batches([batch.pk], Fleet.read(), COMMAND)}
    assert ahead == {batch.pk: 1}
    assert sorted(position_of(row) for row in rows) == [2, 3, 4]


def test_the_place_of_one_verification_is_on_its_page(reader):
    _, rows = request(2)
    last = max(rows, key=position_of)
    assert "number 2 in the queue for CPU" in reader.get(last.get_absolute_url()).content.decode()


def test_the_time_left_is_shown_only_when_it_is_measured_and_a_worker_takes_it(reader, broker):
    request(10)
    assert only_batch().left is None
    finished_in(60, runs=5)
    assert only_batch().left is None
    announcements.announce("box", CPU_WORKER)
    assert only_batch().left == pytest.approx(timedelta(minutes=10), abs=timedelta(seconds=1))
    assert "about 10 minutes left" in verify_page(reader)


def test_the_tables_above_and_below_come_from_one_answer(reader):
    _, rows = request(2)
    page = verify_page(reader)
    assert "2 queued, next in the queue" in page
    for row in rows:
        record_report(row.pk, 1, reports.passed(row.sample_id))
    part = polled(reader, page)
    assert "<html" not in part
    assert "2 finished" in part
    for row in rows:
        assert row.get_absolute_url() in part
    assert "2 queued" not in part
    assert "No verifications are queued." in part
    assert part.count("✓ passed") or part.count("passed</span>") >= 3


def test_a_polled_list_keeps_its_rows_and_offers_the_newer_ones(reader):
    request(2)
    Verification.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    page = verify_page(reader, "?state=waiting")
    _, newer = request(3)
    part = polled(reader, page)
    assert "Show 3 newer" in part
    assert newer[0].get_absolute_url() not in part
    assert newer[0].get_absolute_url() in verify_page(reader, "?state=waiting")


@pytest.mark.parametrize("until", ["yesterday", "2026-01-01"])
def test_a_moment_that_no_page_gave_is_explained(reader, until):
    headers = {"HX-Request": "true", "HX-Target": "verify-live"}
    assert "reload" in verify_page(reader, f"?until={until}", **headers)


def test_the_list_of_a_finished_batch_still_names_it(reader):
    batch, rows = request(2)
    for row in rows:
        record_report(row.pk, 1, reports.passed(row.sample_id))
    page = verify_page(reader, f"?batch={batch.pk}")
    assert "Verifications of the batch" in page
    assert "2 of 2 finished, 2 passed" in page
    assert "Batches under way" not in page


def test_the_page_of_a_batch_under_way_shows_it_once(reader):
    batch, _ = request(2)
    page = verify_page(reader, f"?batch={batch.pk}")
    assert page.count("0 of 2 finished") == 1
    assert "Batches under way" in page


def test_a_batch_is_cancelled_with_one_press_by_whoever_requested_it(annotator):
    person = annotator.get(reverse("account")).context["user"]
    batch, (first, *_) = request(actor=acting(person))
    leases.renew("box", [{"verification": str(first.pk), "attempt": 1, "stage": "build", "detail": ""}])
    assert ">Cancel 2 queued</button>" in verify_page(annotator)
    response = annotator.post(reverse("verify-batch-cancel", args=[batch.pk]), follow=True)
    assert "Cancelled 2 queued verifications. Running ones finish." in response.content.decode()
    assert Verification.objects.state_counts() == {"running": 1, "failed": 2}
    entry = AuditEntry.objects.get(action="verification.cancel-batch")
    [deed] = deeds([entry])
    assert deed.words == "cancelled 2 queued verifications of the batch “C++ samples”"
    again = annotator.post(reverse("verify-batch-cancel", args=[batch.pk]), follow=True)
    assert "None of the batch is queued any more" in again.content.decode()


def test_somebody_elses_batch_is_cancelled_by_a_curator_alone(annotator, curator):
    batch, _ = request()
    assert "Cancel 3 queued" not in verify_page(annotator)
    assert annotator.post(reverse("verify-batch-cancel", args=[batch.pk])).status_code == 403
    with pytest.raises(PermissionDenied):
        request_batches.cancel_queued(batch, actor=acting(make_user("annotator")))
    assert Verification.objects.waiting().count() == 3
    assert "Cancel 3 queued" in verify_page(curator)
    curator.post(reverse("verify-batch-cancel", args=[batch.pk]))
    assert not Verification.objects.waiting().exists()


def test_programs_read_and_cancel_batches(curator):
    batch, _ = request()
    [told] = curator.get("/api/v1/verification-batches/").json()
    assert (told["title"], told["queued"], told["seconds_left"]) == ("C++ samples", 3, None)
    answer = curator.post(f"/api/v1/verification-batches/{batch.pk}/cancel/").json()
    assert answer == {"cancelled": 3}
    assert curator.get("/api/v1/verification-batches/").json() == []


def test_a_long_or_hostile_name_is_shortened_and_shown_as_text(reader):
    request(title="<script>alert(1)</script>" + "x" * 400)
    page = verify_page(reader)
    assert "<script>alert" not in page
    assert VerificationBatch.objects.get().title.endswith("xxx")


def test_the_polled_address_keeps_the_filter(reader):
    request(2)
    page = verify_page(reader, "?state=waiting&device=cpu")
    address = page.split('id="verify-live" hx-get="')[1].split('"')[0].replace("&amp;", "&")
    assert parse_qs(urlparse(address).query)["state"] == ["waiting"]
