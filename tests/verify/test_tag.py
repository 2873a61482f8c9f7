"""Tests of the evidence under a sample's page: a template tag that any page may use."""

import pytest
from django.db import connection
from django.template import Context, Template
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from datasets_app.accounts.actor import COMMAND
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from eval_app.site_worker import announcements
from tests.factories import make_sample, make_user
from tests.verify import reports
from tests.verify.test_pages import verified

pytestmark = pytest.mark.django_db


def rendered(sample, role="annotator"):
    request = RequestFactory().get("/")
    request.user = make_user(role)
    template = Template("{% load evidence %}{% evidence sample %}")
    return template.render(Context({"sample": sample, "request": request}))


def test_a_sample_without_evidence_says_that_claims_are_only_claims():
    page = rendered(make_sample())
    assert "Not verified yet" in page
    assert "<button" in page


def test_a_reader_is_not_offered_to_verify():
    assert "<button" not in rendered(make_sample(), "reader")


def test_a_waiting_cuda_sample_says_what_it_waits_for():
    sample = make_sample(language="cuda")
    request_verification([sample], actor=COMMAND)
    assert "waits for a CUDA worker; none has been seen" in rendered(sample)


def test_a_worker_that_stopped_just_now_was_not_seen_zero_minutes_ago():
    sample = make_sample(language="cuda")
    request_verification([sample], actor=COMMAND)
    device = {"kind": "cuda", "name": "NVIDIA H200"}
    announcements.announce("gpu-3", {"state": "stopped", "devices": [device], "queues": ["cuda"]})
    assert "the last one, gpu-3, was seen less than a minute ago" in rendered(sample)


def test_the_tag_costs_six_queries_whatever_the_history():
    sample = make_sample()
    for number in range(6):
        (row,) = request_verification([sample], actor=COMMAND)
        record_report(row.pk, 1, reports.passed(sample.pk, detail=f"run {number}"))
    request_verification([sample], actor=COMMAND)
    with CaptureQueriesContext(connection) as captured:
        page = rendered(sample)
    tables = ("verification", "finding", "eval_app_worker")
    reads = [query["sql"] for query in captured if any(table in query["sql"] for table in tables)]
    assert len(reads) == 6  # history, workers, listings, stages, report, findings
    assert not [sql for sql in reads if "samplebody" in sql]
    assert "run 5" in page
    assert "run 4" not in page


def test_our_own_error_does_not_hide_older_evidence():
    row = verified()
    (again,) = request_verification([row.sample], actor=COMMAND)
    record_report(again.pk, 1, reports.report(row.sample_id, "infra_error"))
    assert "<strong>2.00×</strong>" in rendered(row.sample)
