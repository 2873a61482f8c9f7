"""Tests that background jobs run in separate processes, which end with their job, site worker or limit."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.ingest.conftest import workbench_row
from tests.verify.processes import PATIENCE_SECONDS

START = """
from pathlib import Path
from datasets_app.accounts.actor import COMMAND
from datasets_app.ingest import IncomingFile, start_ingests
files = [IncomingFile(Path(path), Path(path).name, "workbench") for path in {paths!r}]
print(*[ingest.pk for ingest in start_ingests(files, COMMAND)])
"""
CANCEL = """
from datasets_app.accounts.actor import COMMAND
from datasets_app.ingest import cancel_ingest
from datasets_app.models import Ingest
cancel_ingest(Ingest.objects.get(pk="{pk}"), COMMAND)
"""
ROWS = 40_000  # half a minute's work; no test waits for its end


@pytest.fixture(scope="module")
def long_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("long") / "long.jsonl"
    row = workbench_row(1)
    with path.open("w") as file:
        for number in range(ROWS):
            file.write(json.dumps({**row, "reasoning": f"{number} " + "think " * 300}) + "\n")
    return path


@pytest.fixture(autouse=True)
def long_lease(live_site):
    """On a busy machine a job's imports alone outlast a short lease: it is taken back before its first row."""
    live_site.environment["CONCUR_LEASE_SECONDS"] = "20"


def shell(site, code: str) -> str:
    return site.run("manage.py", "shell", "-v", "0", "-c", code).strip()


def ingest_of(site, number: int = 0) -> dict:
    return sorted(site.rows("datasets_app_ingest"), key=lambda row: row["created_at"])[number]


def job_processes(site) -> list[int]:
    """Return the child processes that run jobs, by their process names and the site's folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            is_job = path.read_text().startswith("job ")
            environment = path.with_name("environ").read_bytes()
        except OSError:
            continue
        if is_job and f"CONCUR_DATA_DIR={site.folder}".encode() in environment:
            found.append(int(path.parent.name))
    return found


def begun(site, path: Path, more: tuple[Path, ...] = ()) -> int:
    """Start the ingest of a long file; return the process that reads it, once rows are stored."""
    shell(site, START.format(paths=[str(one) for one in (path, *more)]))
    site.wait_for(lambda: ingest_of(site)["rows"], "its first rows")
    (pid,) = job_processes(site)
    return pid


def test_a_job_that_is_killed_goes_on_in_another_process_which_ends_with_the_site_worker(
    live_site, long_file
):
    worker = live_site.start_site_worker()
    os.kill(begun(live_site, long_file), signal.SIGKILL)
    live_site.wait_for(lambda: ingest_of(live_site)["attempt"] == 2, "the second attempt")
    row = ingest_of(live_site)
    assert row["state"] == "running"
    assert "SIGKILL" in live_site.logs()
    live_site.wait_for(lambda: job_processes(live_site), "the second process")
    worker.kill()
    worker.wait()
    live_site.wait_for(lambda: not job_processes(live_site), "the end of the job's process")


@pytest.mark.long
def test_a_cancelled_ingest_stops_within_seconds_and_the_next_file_goes_in(live_site, long_file, tmp_path):
    short = tmp_path / "short.jsonl"
    short.write_text(json.dumps(workbench_row(2)) + "\n")
    live_site.start_site_worker()
    begun(live_site, long_file, (short,))
    shell(live_site, CANCEL.format(pk=ingest_of(live_site)["id"]))
    live_site.wait_for(lambda: ingest_of(live_site, 1)["state"] == "done", "the file that waited")
    live_site.wait_for(lambda: not job_processes(live_site), "the end of the process")
    cancelled = ingest_of(live_site)
    assert (cancelled["state"], cancelled["error"]) == ("cancelled", "Cancelled by command.")
    assert 0 < cancelled["rows"] < ROWS
    stored = [row for row in live_site.rows("datasets_app_sample") if row["ingest_id"] == cancelled["id"]]
    assert len(stored) == cancelled["new_samples"] == cancelled["rows"], (
        "what was stored stays and is counted"
    )


@pytest.mark.long
def test_a_site_worker_that_is_told_to_stop_gives_its_jobs_back(live_site, long_file):
    worker = live_site.start_site_worker()
    begun(live_site, long_file)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=PATIENCE_SECONDS) == 0
    row = ingest_of(live_site)
    assert (row["state"], row["attempt"], row["lease_until"]) == ("queued", 0, None)
    assert not job_processes(live_site)
