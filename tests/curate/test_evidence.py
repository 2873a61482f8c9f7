"""Tests of a recipe's view of verifications: the evidence on one device, and its findings."""

import pytest

from datasets_app.curate.definition import parse
from datasets_app.curate.rebuild import check
from datasets_app.curate.snapshot import snapshots
from datasets_app.curate.store import select
from datasets_app.models import Finding, Verification
from tests.curate.rows import recipe
from tests.curate.store import PASSED, frozen, passed
from tests.factories import make_sample, make_task
from tests.verifications import AT, H200, L40, timed, verified

pytestmark = pytest.mark.django_db
WITHOUT = recipe({"rule": "findings", "having": "none", "severities": ["audit", "reject"]})


def noticed(sample, *severities, days: float = 0, device: str = H200) -> Verification:
    row = timed(sample, 2.0, device, days=days, engine_version="0.1", torch_version="2.13")
    Finding.objects.bulk_create(Finding(verification=row, code="x", severity=one) for one in severities)
    return row


def chosen(definition, **more) -> dict[str, float | None]:
    return {one.row.id: one.row.measured_speedup for one in select(parse({**definition, **more})).chosen}


def test_only_findings_of_the_run_that_speaks_count():
    cleared, doubted = make_sample(), make_sample()
    noticed(cleared, "audit")
    noticed(cleared, days=1)
    noticed(doubted)
    noticed(doubted, "audit", "label", days=1)
    assert set(chosen(WITHOUT)) == {str(cleared.pk)}


def test_findings_on_another_device_do_not_count():
    sample = passed()
    noticed(sample, "audit", device=L40)
    assert set(chosen(WITHOUT)) == {str(sample.pk)}
    assert not chosen(WITHOUT, device="L40")


def test_a_verification_that_still_runs_says_nothing():
    sample = passed()
    Verification.objects.create(sample=sample, wanted_device="cpu")
    assert len(chosen(WITHOUT)) == 1


def test_a_recipe_sees_the_speedups_of_its_own_device():
    sample = passed(speedup=3)
    timed(sample, 1.5, L40)
    assert chosen(PASSED) == {str(sample.pk): 3.0}
    assert chosen(PASSED, device="L40") == {str(sample.pk): 1.5}
    assert chosen(PASSED, device="NVIDIA L40") == {str(sample.pk): 1.5}


def test_a_sample_verified_elsewhere_alone_has_nothing_decided_here():
    passed(device=H200)
    elsewhere = passed(device=L40)
    selection = select(parse(PASSED))
    assert str(elsewhere.pk) not in {one.row.id for one in selection.chosen}
    assert selection.funnel()[0]["dropped"][0]["reason"] == "nothing decided on the device"


@pytest.mark.parametrize("rule", ["time_confirmed", "custom_kernel_share"])
def test_what_was_measured_on_another_device_does_not_count(rule):
    sample = make_sample()
    timed(sample, 3, H200, time_confirmed=True, custom_kernel_share=0.9)
    timed(sample, 3, L40)
    assert chosen(recipe({"rule": rule})) == {str(sample.pk): 3.0}
    assert not chosen(recipe({"rule": rule}), device="L40")


def test_the_operators_of_a_task_are_those_that_one_run_executes():
    traced, untraced = make_task(operator_calls=7), make_task()
    fast, slow = passed(traced), passed(untraced)
    assert set(chosen(recipe({"rule": "single_operator"}))) == {str(slow.pk)}
    traced.record_admission({"operator_calls": 1}, "9", AT)
    assert set(chosen(recipe({"rule": "single_operator"}))) == {str(fast.pk), str(slow.pk)}


def test_the_device_is_the_reference_device_unless_the_recipe_names_one(settings):
    sample = passed()
    timed(sample, 1.5, L40)
    assert select(parse(PASSED)).device == H200
    settings.REFERENCE_DEVICE = "L40"
    assert select(parse(PASSED)).device == L40
    assert select(parse({**PASSED, "device": "H200"})).device == H200


def test_a_release_row_is_bound_to_the_run_behind_its_facts():
    sample = make_sample()
    run = timed(sample, 2.0, engine_version="0.1", torch_version="2.13", kernelbench_correct=True)
    release = frozen()
    row = release.rows.get()
    assert row.verification == run
    evidence = ("verification", "outcome", "device", "speedup_over_eager", "speedup_low", "speedup_high")
    assert [row.snapshot[name] for name in evidence] == [str(run.pk), "passed", H200, 2.0, 1.96, 2.04]
    versions = ("engine", "torch", "profile", "verified_at", "kernelbench_correct")
    assert [row.snapshot[name] for name in versions] == [
        "0.1",
        "2.13",
        "standard",
        "2026-05-04T00:00:00+00:00",
        True,
    ]
    assert (release.versions["engine"], release.device) == (["0.1"], H200)


def test_a_check_names_the_run_that_took_the_place_of_the_frozen_one():
    sample = passed()
    release = frozen()
    newer = timed(sample, 2.0, days=1)
    (difference,) = check(release).differences
    assert difference.change == "changed"
    assert f"became '{newer.pk}'" in difference.why


def test_a_check_stays_on_the_device_of_the_release(settings):
    sample = passed()
    release = frozen()
    verified(sample, "wrong_value", L40, days=1)
    settings.REFERENCE_DEVICE = "L40"
    assert check(release).same


def test_the_facts_of_many_samples_cost_a_query_or_two_per_column(django_assert_num_queries):
    ids = [str(passed().pk) for _ in range(5)]
    with django_assert_num_queries(11):  # the columns of one sample, and those that are gathered
        assert len(snapshots(ids, H200)) == 5
