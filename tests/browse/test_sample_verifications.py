"""Tests that the parts of a sample's page share its verifications, of which the evidence is taken."""

import pytest
from django.utils import timezone

from datasets_app.browse.sample.evidence import evidence_of
from datasets_app.browse.sample.verifications import HISTORY_SHOWN, rows_of
from datasets_app.models import Sample, Verification
from tests.factories import make_sample
from tests.verifications import verified

pytestmark = pytest.mark.django_db


def read(sample):
    """Return the sample as a page reads it: nothing of its verifications is kept yet."""
    return Sample.objects.get(pk=sample.pk)


def run(sample, **fields):
    done = {"state": "done", "outcome": "infra_error", "finished_at": timezone.now()}
    return Verification.objects.create(sample=sample, **{"wanted_device": "cuda", **done, **fields})


def test_evidence_costs_nothing_beyond_the_history_but_the_findings(django_assert_num_queries):
    sample = make_sample()
    row = verified(sample)
    sample = read(sample)
    with django_assert_num_queries(2):
        rows = rows_of(sample)
        evidence = evidence_of(sample)
    assert evidence.headline.verification is rows[0]
    assert rows == [row]


def test_evidence_and_what_waits_are_found_behind_very_many_newer_runs(django_assert_num_queries):
    row = verified(make_sample())
    waits = run(row.sample, state="queued", outcome="", finished_at=None)
    for _ in range(HISTORY_SHOWN):
        run(row.sample)
    sample = read(row.sample)
    with django_assert_num_queries(4):  # the newest, the headline's, the others that count, the findings
        evidence = evidence_of(sample)
    assert ([one.verification_id for one in evidence.rows], evidence.waiting) == ([row.pk], waits.state)


def test_of_those_that_wait_the_one_that_runs_is_named():
    sample = make_sample()
    lease = {"worker": "one", "lease_until": timezone.now(), "started_at": timezone.now()}
    run(sample, state="running", stage="timing", outcome="", finished_at=None, **lease)
    run(sample, state="queued", outcome="", finished_at=None, wanted_device="cpu")
    evidence = evidence_of(read(sample))
    assert (evidence.waiting, evidence.stage) == ("running", "timing")
