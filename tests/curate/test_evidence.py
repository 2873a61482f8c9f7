"""What curation is told of verifications."""

from datetime import timedelta

import pytest

from datasets_app.curate import evidence
from datasets_app.curate.definition import parse
from datasets_app.curate.store import select
from datasets_app.evidence.record import refresh
from datasets_app.models import Finding, Verification
from tests.curate.rows import recipe
from tests.curate.store import AT, frozen, passed

pytestmark = pytest.mark.django_db
WITHOUT = recipe({"rule": "findings", "having": "none", "severities": ["audit", "reject"]})


def verification(sample, days: int = 0, severities=(), **fields) -> Verification:
    row = Verification.objects.create(
        sample=sample,
        wanted_device="cpu",
        state="done",
        outcome="passed",
        finished_at=AT + timedelta(days=days),
        speedup=2.0,
        device="H200",
        engine_version="0.1",
        torch_version="2.13",
        **fields,
    )
    for severity in severities:
        Finding.objects.create(verification=row, code="x", severity=severity)
    refresh([sample.pk])
    return row


def test_only_the_newest_verification_speaks():
    cleared, doubted = passed(), passed()
    verification(cleared, severities=["audit"])
    verification(cleared, days=1)
    verification(doubted)
    verification(doubted, days=1, severities=["audit", "label"])
    assert [chosen.row.id for chosen in select(parse(WITHOUT)).chosen] == [str(cleared.pk)]


def test_a_verification_that_still_runs_says_nothing():
    sample = passed()
    verification(sample)
    Verification.objects.create(sample=sample, wanted_device="cpu")
    assert len(select(parse(WITHOUT)).chosen) == 1


def test_a_release_names_the_verification_behind_each_row_and_the_engines():
    sample = passed()
    row = verification(sample)
    release = frozen()
    assert release.rows.get().snapshot["evidence"] == {
        "verification": str(row.pk),
        "engine": "0.1",
        "torch": "2.13",
        "profile": "standard",
        "verified_at": "2026-05-04T00:00:00+00:00",
    }
    assert release.versions["engine"] == ["0.1"]


def test_evidence_of_many_samples_costs_one_query(django_assert_num_queries):
    samples = [passed() for _ in range(5)]
    for sample in samples:
        verification(sample)
    with django_assert_num_queries(1):
        assert len(evidence.provenance([str(sample.pk) for sample in samples])) == 5
