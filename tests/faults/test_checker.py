"""Tests that the checker of the rounds detects the errors that it exists for."""

from types import SimpleNamespace

import pytest

from tests.faults.test_rounds import broken_promises

GOOD = {
    "datasets_app_verification": [{"id": "aa"}],
    "datasets_app_review": [{"key": "bb"}],
    "datasets_app_ingest": [{"id": "cc", "state": "done", "rows": 25, "refused": 0}],
    "datasets_app_release": [{"name": "one"}],
    "datasets_app_sample": [{}] * 27,
}


def checked(**changes) -> list[str]:
    tables = {**GOOD, **changes}
    played = SimpleNamespace(
        site=SimpleNamespace(rows=SimpleNamespace(rows=tables.__getitem__)),
        samples=["1", "2"],
        verifications={"a-a"},
        reviews={"b-b": "1"},
        files={"c-c": []},
        releases=["one"],
    )
    return broken_promises(played)


def test_a_round_that_kept_everything_is_faultless():
    assert checked() == []


@pytest.mark.parametrize(
    ("table", "rows", "fault"),
    [
        ("datasets_app_verification", [], "verification a-a"),
        ("datasets_app_review", [], "review b-b"),
        ("datasets_app_review", [{"key": "bb"}] * 2, "review b-b"),
        ("datasets_app_ingest", [{**GOOD["datasets_app_ingest"][0], "rows": 24}], "ingest c-c"),
        ("datasets_app_ingest", [{**GOOD["datasets_app_ingest"][0], "state": "failed"}], "ingest c-c"),
        ("datasets_app_release", [], "release one"),
        ("datasets_app_sample", [{}] * 28, "28 samples"),
    ],
)
def test_what_is_lost_or_doubled_is_named(table, rows, fault):
    assert [line for line in checked(**{table: rows}) if line.startswith(fault)]
