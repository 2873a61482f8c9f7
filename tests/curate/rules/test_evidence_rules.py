"""Tests of the rules that read the evidence on the recipe's device."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.curate.rows import choose, names, reasons, table


def test_a_finding_is_asked_by_its_code():
    rows = table(
        clean={"passed": 2},
        doubted={"passed": 2, "codes": frozenset({"time_unconfirmed"})},
        noted={"passed": 2, "codes": frozenset({"uses_cublas"})},
        undecided={},
    )
    rule = {"rule": "finding_code", "codes": ["time_unconfirmed"]}
    assert names(choose(list(rows.values()), rule), rows) == {"clean", "noted"}
    assert names(choose(list(rows.values()), rule | {"having": "some"}), rows) == {"doubted"}


def test_a_profile_is_met_by_a_stricter_one():
    rows = table(
        quick={"passed": 2, "profile": "quick"},
        standard={"passed": 2, "profile": "standard"},
        thorough={"passed": 2, "profile": "thorough"},
        undecided={},
    )
    selection = choose(list(rows.values()), {"rule": "profile", "least": "standard"})
    assert names(selection, rows) == {"standard", "thorough"}
    assert reasons(selection) == {"verified under quick": 1, "nothing decided on the device": 1}


@pytest.mark.parametrize(
    ("moment", "kept"),
    [
        (datetime(2026, 5, 3, 23, 59, tzinfo=UTC), False),
        (datetime(2026, 5, 4, tzinfo=UTC), True),
        (datetime(2026, 5, 4, 1, tzinfo=timezone(timedelta(hours=2))), False),
        (None, False),
    ],
)
def test_evidence_is_of_the_day_or_later(moment, kept):
    rows = table(only={"passed": 2, "verified_at": moment})
    selection = choose(list(rows.values()), {"rule": "verified_since", "day": "2026-05-04"})
    assert bool(selection.chosen) is kept


def test_evidence_under_versions_that_changed_is_stale():
    rows = table(
        fresh={"passed": 2, "changed": ""}, stale={"passed": 2, "changed": "engine 0.3 → 0.4"}, undecided={}
    )
    assert names(choose(list(rows.values()), {"rule": "up_to_date"}), rows) == {"fresh"}


def test_the_lower_end_of_the_interval_decides():
    rows = table(
        sure={"passed": 2.1, "speedup_low": 2.0},
        wide={"passed": 2.5, "speedup_low": 1.9},
        untimed={"outcome": "passed"},
    )
    selection = choose(list(rows.values()), {"rule": "speedup_low", "minimum": 2})
    assert names(selection, rows) == {"sure"}


def test_most_of_the_gpu_time_is_in_the_samples_own_kernels():
    rows = table(
        own={"passed": 2, "custom_kernel_share": 1.0},
        half={"passed": 2, "custom_kernel_share": 0.5},
        library={"passed": 2, "custom_kernel_share": 0.1},
        untraced={"passed": 2},
        undecided={},
    )
    selection = choose(list(rows.values()), {"rule": "custom_kernel_share", "minimum": 50})
    assert names(selection, rows) == {"own", "half"}
    assert reasons(selection) == {
        "too much time in other kernels": 1,
        "its kernels were not traced": 1,
        "nothing decided on the device": 1,
    }


def test_a_time_counts_that_the_judges_clock_confirms():
    rows = table(
        confirmed={"passed": 2, "time_confirmed": True},
        unconfirmed={"passed": 2, "time_confirmed": False},
        undecided={},
    )
    assert names(choose(list(rows.values()), {"rule": "time_confirmed"}), rows) == {"confirmed"}


def test_runs_that_disagree_are_dropped():
    rows = table(agree={"passed": 2}, disagree={"passed": 2, "runs_disagree": True}, undecided={})
    assert names(choose(list(rows.values()), {"rule": "runs_agree"}), rows) == {"agree"}


def test_a_kernel_of_another_language_is_dropped():
    rows = table(cuda={"language": "cuda"}, cpp={"language": "cpp"})
    assert names(choose(list(rows.values()), {"rule": "language"}), rows) == {"cuda"}
