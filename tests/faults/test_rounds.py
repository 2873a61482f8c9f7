"""Seeded rounds of faults: whatever dies, hangs, forgets or repeats, all accepted work exists exactly once.

A failure names its seed and the sequence of actions.
"""

import shutil
from collections import Counter

import pytest

from tests.faults.rounds import ROWS_A_FILE, Round
from tests.faults.site import FaultySite
from tests.verify.conftest import migrated  # noqa: F401  (a fixture)

pytestmark = pytest.mark.xdist_group("faults")
QUICK = [2]
ALL = [pytest.param(seed, marks=[] if seed in QUICK else [pytest.mark.long]) for seed in range(1, 21)]


@pytest.fixture
def site(tmp_path_factory, migrated):  # noqa: F811
    folder = tmp_path_factory.mktemp("round")
    shutil.copytree(migrated, folder, dirs_exist_ok=True)
    site = FaultySite(folder)
    yield site
    assert site.stop() == [], "no process is left over"


@pytest.mark.parametrize("seed", ALL)
def test_after_a_round_of_faults_everything_is_there_once(site, seed):
    # On a busy machine a child's imports alone outlast a short lease.
    site.rows.environment["CONCUR_LEASE_SECONDS"] = "20"
    played = Round(site, seed)
    try:
        played.run()
        faults = [*broken_promises(played), *site.hand("check")]
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {' '.join(played.said)}\n{error}") from error
    assert not faults, f"seed {seed}: {' '.join(played.said)}"
    assert site.ask("GET", "/healthz")[1]["status"] in ("ok", "degraded")


def broken_promises(played: Round) -> list[str]:
    """Return what the site accepted and then lost or duplicated."""
    rows = played.site.rows.rows
    stored = {row["id"].replace("-", "") for row in rows("datasets_app_verification")}
    reviews = Counter(row["key"].replace("-", "") for row in rows("datasets_app_review") if row["key"])
    ingests = {row["id"].replace("-", ""): row for row in rows("datasets_app_ingest")}
    releases = {row["name"] for row in rows("datasets_app_release")}
    lost = [f"verification {one}" for one in played.verifications if one.replace("-", "") not in stored]
    lost += [f"review {one}" for one in played.reviews if reviews[one.replace("-", "")] != 1]
    lost += [f"release {one}" for one in played.releases if one not in releases]
    for pk in played.files:
        row = ingests.get(pk.replace("-", ""))
        if row is None or (row["state"], row["rows"], row["refused"]) != ("done", ROWS_A_FILE, 0):
            lost.append(f"ingest {pk}: {row}")
    expected = len(played.samples) + ROWS_A_FILE * len(ingests)
    found = len(rows("datasets_app_sample"))
    return lost + ([f"{found} samples where {expected} were given"] if found != expected else [])
