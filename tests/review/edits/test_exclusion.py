"""Tests that a proposed text is in no list, count, facet, rule or page but those of edits, whatever its run says."""

import uuid

import pytest
from django.test import Client
from django.utils import timezone

from concur_site import pipeline
from datasets_app.accounts.actor import SITE
from datasets_app.evidence import devices
from datasets_app.models import Sample, Verification
from datasets_app.review import edits
from eval_app.queue.job import message
from eval_app.request.edits import propose_edit
from eval_app.results.record import record_report
from tests.factories import acting, make_sample, make_user
from tests.site import matrix
from tests.verifications import EPYC
from tests.verify.reports import passed as passed_report

pytestmark = pytest.mark.django_db
MARKER = "edited_marker_5f3a"
KERNEL = f"class ModelNew:\n    def forward(self, {MARKER}):\n        return {MARKER}\n"
OF_EDITS = ("edit", "edits", "api-edit", "api-edits", "edit-change")


@pytest.fixture
def edit():
    base = Sample.objects.with_body().get(pk=make_sample().pk)
    return propose_edit(base, acting(make_user("annotator", "ada")), base.body.reasoning, KERNEL, "simpler")


def passed(edit):
    run = edits.standing_of(edit).newest
    Verification.runs.filter(pk=run.pk).update(
        state="done", outcome="passed", device=EPYC, finished_at=timezone.now(), worker="bench-1"
    )
    return run


def pages():
    """Return the addresses of the whole site that need no id."""
    plain = [route for route in matrix.routes() if "<" not in route.pattern and route.name not in OF_EDITS]
    return [route for route in plain if not route.pattern.startswith(("static", "media", "accounts/logout"))]


def test_no_list_of_the_site_shows_or_counts_a_proposed_text(edit):
    client = Client()
    client.force_login(make_user("administrator", "root"))
    before = {route.pattern: seen(client, route) for route in pages()}
    run = passed(edit)
    version = edits.standing_of(edit).version
    assert len(before) > 40
    for route in pages():
        after = seen(client, route)
        for trace in (MARKER, str(version.content_id), str(run.pk)):
            assert trace not in before[route.pattern] + after, route.name


def seen(client, route):
    answer = client.get("/" + route.pattern)
    return "" if answer.streaming else answer.content.decode(errors="replace")


def test_searches_and_single_addresses_do_not_find_it(edit):
    run = passed(edit)
    version = edits.standing_of(edit).version
    client = Client()
    client.force_login(make_user("administrator", "root"))
    assert client.get(f"/browse/?q={MARKER}").content.count(b"/samples/") == 0
    for address in (
        f"/samples/{version.content_id}/",
        f"/api/v1/samples/{version.content_id}/",
        f"/verify/{run.pk}/",
        f"/api/v1/verifications/{run.pk}/",
    ):
        assert client.get(address).status_code == 404, address


def test_a_passed_run_of_an_edit_leaves_samples_evidence_and_devices_as_they_were(edit):
    passed(edit)
    devices.recount()
    assert (Sample.objects.count(), Sample.objects.verified().count()) == (1, 0)
    assert not Verification.objects.exists()
    assert Verification.objects.state_counts() == {}
    assert pipeline.numbers(SITE)["verifications"] == 0
    assert devices.reference_device() == ""
    assert not Sample.objects.get().verifications.exists()


def test_the_engines_job_has_the_proposed_text_and_its_report_is_bound_to_it(edit, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    run = Verification.runs.with_subject().get()
    job = message(run)["job"]
    assert (job["candidate"], job["id"]) == (KERNEL, str(run.subject_id))
    assert record_report(run.pk, 1, passed_report(edit.base_id))
    run.refresh_from_db()
    assert (run.outcome, run.sample_id) == ("infra_error", None)


def test_a_report_about_the_proposed_text_passes_it_and_becomes_the_revisions_evidence(edit):
    run = Verification.runs.get()
    Verification.runs.update(worker="bench-1")
    assert record_report(run.pk, 1, passed_report(run.subject_id))
    assert edits.standing_of(edit).status == "passed"
    assert not Sample.objects.verified().exists()
    revision = edits.accept_edit(edit, acting(make_user("annotator", "ben")), seen=1)
    run.refresh_from_db()
    assert (run.sample_id, revision.outcome, revision.pk) == (revision.pk, "passed", run.subject_id)
    assert list(Sample.objects.verified()) == [revision]


def test_an_unknown_run_is_still_unknown(edit):
    assert not record_report(uuid.uuid4(), 1, {})
