"""Tests that the workers honour groups, without which a group's costly set-up is not shared."""

import pytest


@pytest.mark.xdist_group("kept together")
def test_a_test_of_a_group_is_known_by_its_group(request, worker_id):
    assert group_of(request, worker_id) == "kept together"


@pytest.fixture(scope="module")
def costly():
    return "made once"


def test_a_test_with_a_fixture_of_its_module_is_grouped_by_its_module(request, worker_id, costly):
    assert group_of(request, worker_id) == "tests/test_groups.py"


def group_of(request, worker_id):
    if worker_id == "master":
        pytest.skip("one process: nothing to keep together")
    return request.node.nodeid.rpartition("@")[2]
