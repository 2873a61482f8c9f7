"""Tests of the reference device, and of the headline of samples on it."""

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.evidence import devices
from datasets_app.evidence.record import refresh
from datasets_app.maintenance import evidence as maintenance
from datasets_app.maintenance import runs
from datasets_app.models import Evidence, EvidenceDevice, MaintenanceKind, Sample
from tests.factories import make_sample
from tests.verifications import EPYC, H200, L40, timed, verified

pytestmark = pytest.mark.django_db


def rebuild() -> int:
    job = runs.run(runs.request(MaintenanceKind.EVIDENCE, COMMAND, in_background=False).pk)
    assert job is not None
    return job.done


def everything() -> list[list[tuple]]:
    tables = (Evidence, Sample, EvidenceDevice)
    return [list(table.objects.order_by("pk").values_list()) for table in tables]


def test_the_first_device_is_the_reference_until_a_maintenance_run_counts():
    one, two = make_sample(), make_sample()
    timed(one, 2.0, L40)
    timed(one, 3.0)
    timed(two, 4.0)
    assert devices.reference_device() == L40
    assert rebuild() == 1
    assert devices.reference_device() == H200
    one.refresh_from_db()
    assert (one.device, one.measured_speedup) == (H200, 3.0)


def test_a_setting_names_the_reference_device_by_one_word(settings):
    sample, elsewhere = make_sample(), make_sample()
    timed(sample, 2.0)
    verified(sample, "wrong_value", L40)
    timed(elsewhere, 5.0)
    settings.REFERENCE_DEVICE = "l40"
    assert devices.reference_device() == L40
    assert list(maintenance.waiting()) == [sample]
    rebuild()
    sample.refresh_from_db()
    assert (sample.outcome, sample.device, sample.measured_speedup) == ("wrong_value", L40, None)
    assert not maintenance.waiting().exists()
    elsewhere.refresh_from_db()
    assert (elsewhere.device, elsewhere.measured_speedup) == (H200, 5.0)


def test_a_word_within_a_name_is_a_device_and_a_part_of_a_word_is_not():
    assert devices.is_device("H200", "NVIDIA H200")
    assert devices.is_device("nvidia h200", "NVIDIA H200")
    assert not devices.is_device("H20", "NVIDIA H200")


def test_a_rebuild_changes_nothing():
    one, two = make_sample(), make_sample()
    timed(one, 2.0)
    verified(one, "wrong_value", L40, days=1)
    timed(one, 2.5, days=2)
    verified(one, "unsupported", EPYC, days=3)
    verified(two, "infra_error")
    devices.recount()
    before = everything()
    assert rebuild() == 0
    assert everything() == before


def test_a_rebuild_makes_what_is_missing_and_takes_away_what_is_wrong():
    sample = make_sample()
    timed(sample, 2.0)
    verified(sample, "wrong_value", L40)
    before = [
        list(Evidence.objects.order_by("device").values_list("device", "outcome", "is_headline")),
        sample.outcome,
    ]
    Evidence.objects.filter(device=H200).delete()
    Evidence.objects.filter(device=L40).update(device="nowhere", is_headline=True)
    Sample.objects.update(outcome="cheated", measured_speedup=None)
    rebuild()
    sample.refresh_from_db()
    assert [
        list(Evidence.objects.order_by("device").values_list("device", "outcome", "is_headline")),
        sample.outcome,
    ] == before


def test_a_report_costs_six_queries_however_many_runs_there_are(django_assert_num_queries):
    sample = make_sample()
    for day in range(5):
        timed(sample, 2.0, days=day)
        verified(sample, "wrong_value", L40, days=day)
    Evidence.objects.filter(device=H200).update(outcome="cheated", speedup=None)
    with django_assert_num_queries(
        8
    ):  # a savepoint's two; sample, runs, devices, evidence, the old headline, the row
        refresh([sample.pk])
