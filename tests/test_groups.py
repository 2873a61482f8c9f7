"""Tests that the workers honour groups, without which a group's costly set-up is not shared."""

import pytest


@pytest.mark.xdist_group("kept together")
def test_a_test_of_a_group_is_known_by_its_group(request, worker_id):
    if worker_id == "master":
        pytest.skip("one process: nothing to keep together")
    assert request.node.nodeid.endswith("@kept together")
