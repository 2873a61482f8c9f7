"""A site and two hosts of different kinds with addresses of their own; one is cut off and comes back.

Where namespaces cannot be made, the test says why it is skipped.
"""

import shutil

import pytest

from tests.faults.namespaces import Network, NetworkedSite, unavailable
from tests.verify.conftest import migrated  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("faults")]


@pytest.fixture
def site(tmp_path, migrated):  # noqa: F811
    if reason := unavailable():
        pytest.skip(reason)
    shutil.copytree(migrated, tmp_path / "data")
    network = Network()
    site = NetworkedSite(tmp_path / "data", network)
    try:
        for name in ("small", "large"):
            network.add_host(name)
        site.start_broker()
        site.start_site_worker()
        yield site
    finally:
        site.stop()
        network.close()


def row_of(site, row_id):
    return next(row for row in site.rows() if row["id"] == row_id.replace("-", ""))


def test_a_host_that_is_cut_off_loses_its_lease_and_the_other_does_the_job_once(site):
    site.start_host("small", gib=8)
    (cut_off,) = site.ask("sleep 4")
    site.wait_for(lambda: row_of(site, cut_off)["state"] == "running", "the small host's lease")
    site.network.cable("small", "down")
    site.start_host("large", gib=64)
    site.wait_for(lambda: row_of(site, cut_off)["state"] == "done", "the large host's report")
    assert (site.runs_of("small"), site.runs_of("large")) == ([(cut_off, 1)], [(cut_off, 2)])
    assert (row_of(site, cut_off)["worker"], row_of(site, cut_off)["lost"]) == ("large", 1)

    site.network.cable("small", "up")
    site.wait_for(lambda: f"Dropped a report of {cut_off}, attempt 1" in site.logs(), "the late report")
    assert row_of(site, cut_off)["worker"] == "large"

    (back,) = site.ask("memory:8|sleep 0")  # a queue of its own, which both serve
    (only_large,) = site.ask("memory:32|sleep 0.1")
    (nowhere,) = site.ask("memory:512|sleep 0.2")
    for row_id in (back, only_large):
        site.wait_for(lambda row_id=row_id: row_of(site, row_id)["state"] == "done", "its report")
    assert row_of(site, only_large)["worker"] == "large"
    assert row_of(site, nowhere)["sent_at"] is None, "no host has it, so that none is given it"

    site.run("manage.py", "host", "drain", "large")
    site.wait_for(lambda: "drained" in site.run("manage.py", "host", "list"), "the large host's drain")
    (last,) = site.ask("sleep 0.3")
    site.wait_for(lambda: row_of(site, last)["state"] == "done", "the small host's report")
    assert row_of(site, last)["worker"] == "small"
    assert len(site.rows("datasets_app_verificationreport")) == 4, "nothing is lost, nothing is there twice"
