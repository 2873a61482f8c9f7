"""Tests of the profiler's counters of two samples side by side."""

import pytest

from tests.verify import reports
from tests.verify.test_code_pairs import address
from tests.verify.test_evidence import verified

pytestmark = pytest.mark.django_db
DRAM = "dram__throughput.avg.pct_of_peak_sustained_elapsed"


def counted(**metrics):
    def report(pk):
        data = reports.full(pk)
        data["inspection"]["metrics"] = metrics
        return data

    return report


def without(pk):
    data = reports.full(pk)
    data["inspection"] |= {"metrics": {}, "missing": {"metrics": "ncu was not found: install Nsight Compute"}}
    return data


def test_the_counters_of_both_stand_side_by_side_with_their_ratio(reader):
    half = counted(**{DRAM: {"value": 42.45, "unit": "%"}, "own__counter.sum": {"value": 7, "unit": ""}})
    counters = reader.get(address(verified(half).sample, verified().sample)).context["counters"]
    rows = {row.name: row for row in counters.rows}
    assert (rows[DRAM].theirs, rows[DRAM].ours, rows[DRAM].unit) == (84.9, 42.45, "%")
    assert rows[DRAM].ratio == pytest.approx(0.5)
    assert rows[DRAM].label == "memory throughput, of peak"
    assert (rows["own__counter.sum"].theirs, rows["own__counter.sum"].ratio) == (None, None)
    assert [row.name for row in counters.rows][-1] == "own__counter.sum"  # unknown ones follow


def test_a_newer_run_without_counters_does_not_hide_them(reader):
    one, other = verified().sample, verified().sample
    verified(without, sample=one)
    counters = reader.get(address(one, other)).context["counters"]
    assert {row.ratio for row in counters.rows} == {1.0}


def test_why_there_are_none_is_said_beside_the_side_that_lacks_them(reader):
    page = reader.get(address(verified(without).sample, verified().sample)).content.decode()
    assert "The right sample has no counters: ncu" in " ".join(page.split())
    assert "ncu was not found: install Nsight Compute" in page


def test_counters_of_two_devices_are_marked_as_not_comparable(reader):
    def elsewhere(pk):
        data = reports.full(pk)
        return {**data, "device": {**data["device"], "name": "NVIDIA L40"}}

    page = reader.get(address(verified(elsewhere).sample, verified().sample)).content.decode()
    assert "Counted on different devices" in page
