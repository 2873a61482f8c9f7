"""Tests of the other rules, with a few rows each."""

import pytest

from tests.curate.rows import choose, names, reasons, table


def test_outcome_keeps_what_passed_and_counts_why_the_rest_went():
    rows = table(ok={"passed": 2}, wrong={"outcome": "wrong_value"}, cheat={"outcome": "cheated"}, unknown={})
    selection = choose(list(rows.values()), {"rule": "outcome"})
    assert names(selection, rows) == {"ok"}
    assert reasons(selection) == {
        "outcome is wrong value": 1,
        "outcome is cheated": 1,
        "nothing decided on the device": 1,
    }


@pytest.mark.parametrize(("having", "kept"), [("none", {"clean", "labelled"}), ("some", {"audited"})])
def test_findings_are_asked_by_severity(having, kept):
    rows = table(
        clean={"passed": 2},
        labelled={"passed": 2, "findings": frozenset({"label"})},
        audited={"passed": 2, "findings": frozenset({"label", "audit"})},
        unknown={},
    )
    assert names(choose(list(rows.values()), {"rule": "findings", "having": having}), rows) == kept


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        ("accepted", {"yes"}),
        ("not_rejected", {"yes", "fix", "none"}),
        ("reviewed_not_rejected", {"yes", "fix"}),
    ],
)
def test_verdicts(keep, kept):
    rows = table(yes={"verdict": "accept"}, fix={"verdict": "fix"}, no={"verdict": "reject"}, none={})
    assert names(choose(list(rows.values()), {"rule": "verdict", "keep": keep}), rows) == kept


def test_a_sample_without_a_trace_stays_out_of_the_rules_that_need_one():
    rows = table(told={"trace_tokens": 500}, mute={})
    for rule in ("has_trace", "trace_tokens"):
        assert names(choose(list(rows.values()), {"rule": rule}), rows) == {"told"}


def test_trace_length_includes_both_ends():
    rows = table(at_low={"trace_tokens": 10}, at_high={"trace_tokens": 20}, above={"trace_tokens": 21})
    rule = {"rule": "trace_tokens", "minimum": 10, "maximum": 20}
    assert names(choose(list(rows.values()), rule), rows) == {"at_low", "at_high"}


def test_a_measured_speedup_range_ignores_claims_and_the_other_way_round():
    rows = table(measured={"passed": 3}, claimed={"claims": 3})
    assert names(choose(list(rows.values()), {"rule": "speedup"}), rows) == {"measured"}
    assert names(choose(list(rows.values()), {"rule": "speedup", "basis": "claimed"}), rows) == {"claimed"}


def test_a_source_that_calls_its_sample_wrong_claims_no_speedup():
    rows = table(wrong={"claimed_speedup": 3.0, "claimed_correct": False}, silent={"claimed_speedup": 3.0})
    assert names(choose(list(rows.values()), {"rule": "speedup", "basis": "claimed"}), rows) == {"silent"}


def test_licences_are_an_allow_list_and_none_declared_has_a_name():
    rows = table(mit={"licence": "MIT"}, gpl={"licence": "GPL-3.0"}, none={})
    rule = {"rule": "licence", "licences": ["MIT", "none declared"]}
    assert names(choose(list(rows.values()), rule), rows) == {"mit", "none"}


def test_of_equal_kernels_the_accepted_one_stays():
    rows = table(
        fast={"kernel": "k", "passed": 9},
        accepted={"kernel": "k", "passed": 2, "verdict": "accept"},
        other={"kernel": "l", "passed": 1},
        elsewhere={"kernel": "k", "passed": 1, "task": "u"},
    )
    rule = {"rule": "duplicates"}
    assert names(choose(list(rows.values()), rule), rows) == {"accepted", "other", "elsewhere"}
    everywhere = {"rule": "duplicates", "within": "all"}
    assert names(choose(list(rows.values()), everywhere), rows) == {"accepted", "other"}


def test_the_best_of_a_task():
    rows = table(
        best={"passed": 9, "trace_tokens": 90},
        second={"passed": 5, "trace_tokens": 10},
        unmeasured={"trace_tokens": 50},
    )
    by_speed = {"rule": "best_per_task", "rows": 2}
    assert names(choose(list(rows.values()), by_speed), rows) == {"best", "second"}
    by_length = {"rule": "best_per_task", "rows": 1, "by": "shortest"}
    assert names(choose(list(rows.values()), by_length), rows) == {"second"}


def test_balance_keeps_so_many_tasks_of_a_kind_with_all_their_rows():
    rows = table(
        **{f"r{n}": {"task": f"t{n // 2}", "kind": "matmul"} for n in range(10)}, other={"kind": "scan"}
    )
    selection = choose(list(rows.values()), {"rule": "balance_kinds", "tasks": 2})
    assert selection.task_count() == 3
    assert len(selection.chosen) == 5


def test_held_out_suites_go_by_name_by_level_and_by_program():
    rows = table(
        level_one={"task": "a", "suite": "KernelBench", "level": 1, "program": "p1"},
        level_two={"task": "b", "suite": "KernelBench", "level": 2, "program": "p2"},
        twin={"task": "c", "program": "p1"},
        free={"task": "d", "program": "p3"},
    )
    from datasets_app.curate.definition import parse
    from datasets_app.curate.rule import Context
    from datasets_app.curate.selection import apply
    from tests.curate.rows import recipe

    definition = parse(recipe({"rule": "exclude_suites", "suites": ["KernelBench/1"]}))
    context = Context(programs={"KernelBench/1": frozenset({"p1"})})
    selection = apply(definition, list(rows.values()), context)
    assert names(selection, rows) == {"level_two", "free"}
    assert reasons(selection) == {
        "task of a suite that is held out": 1,
        "same program as a task that is held out": 1,
    }


def test_a_claim_holds_within_bounds_of_what_was_measured():
    rows = table(
        half={"passed": 1, "claimed_speedup": 2.0},
        held={"passed": 1.8, "claimed_speedup": 2.0},
        more={"passed": 5, "claimed_speedup": 2.0},
        unclaimed={"passed": 1},
        wrong={"outcome": "wrong_value", "claimed_speedup": 2.0},
    )
    selection = choose(list(rows.values()), {"rule": "claim_holds", "maximum": 1.5})
    assert names(selection, rows) == {"held"}
    assert reasons(selection) == {
        "measured less than claimed": 1,
        "measured more than allowed": 1,
        "no claim, or not measured": 2,
    }
