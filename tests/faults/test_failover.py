"""The primary PostgreSQL is lost and its standby promoted: the site moves over, and nothing accepted is lost."""

import tempfile
from pathlib import Path

import pytest

from tests.faults.replicated import Pair
from tests.faults.rounds import Round
from tests.faults.site import FaultySite, PostgresRows
from tests.faults.test_rounds import broken_promises

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("faults")]


@pytest.fixture
def pair():
    with tempfile.TemporaryDirectory(prefix="cw-pg-") as folder:  # its own user must reach it
        pair = Pair(Path(folder))
        try:
            yield pair
        finally:
            pair.stop()


@pytest.fixture
def site(tmp_path, pair):
    folder = tmp_path / "data"
    folder.mkdir()
    site = FaultySite(folder)
    site.rows = PostgresRows(folder, site.redis_url, pair.url)
    site.rows.run("manage.py", "migrate", "-v", "0")
    (folder / "host-key").touch(mode=0o600)
    (folder / "host-key").write_text(site.rows.run("manage.py", "host", "add", "gpu-7"))
    yield site
    assert site.stop() == []


def test_the_standby_takes_over_and_everything_accepted_is_there_once(site, pair):
    played = Round(site, seed=1)
    site.start_all()
    site.ask("POST", "/api/v1/recipes/", {"name": "everything", "definition": {"rules": []}})
    for _ in range(5):
        played.verify()
        played.review()
    played.ingest()
    site.wait_for(lambda: "done" in {row["state"] for row in site.rows.rows()}, "the first report")
    before = dict(site.running)

    pair.kill("first")
    played.review()  # is refused, or was stored by both servers
    status, health = site.ask("GET", "/healthz")
    assert (status, "database" in str(health)) == (503, True), site.rows.logs()[-6000:]
    pair.promote()
    site.wait_for(lambda: site.ask("GET", "/healthz")[0] == 200, "the site on the second server")

    for _ in range(5):
        played.verify()
        played.review()
    played.freeze()
    site.wait_for(played.is_drained, "everything that was asked for ends")
    assert [*broken_promises(played), *site.hand("check")] == []
    assert all(status for status in (played.verifications, played.reviews, played.files, played.releases))
    assert site.running == before
    assert all(process.poll() is None for process in before.values()), "no process had to be started again"
