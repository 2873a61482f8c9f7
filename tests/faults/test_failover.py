"""The primary PostgreSQL is lost and its standby promoted: the site moves over, and nothing accepted is lost."""

import tempfile
from pathlib import Path

import pytest

from tests.faults.replicated import Pair
from tests.faults.rounds import Round
from tests.faults.site import site_on_postgres
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
    site = site_on_postgres(tmp_path / "data", pair.url)
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
    # Its answer is kept for a second.
    site.wait_for(
        lambda: site.ask("GET", "/healthz")[0] == 503, "a health that says that the database is away"
    )
    assert "database" in str(site.ask("GET", "/healthz")[1])
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
