"""Tests of counting in several processes: their files add up, survive a restart, and never grow on a full disk."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from datasets_app.counters import files, instruments

pytestmark = pytest.mark.any_database
ROOT = Path(__file__).resolve().parents[2]
COUNT = """
import json, os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "concur_site.settings"
import django; django.setup()
from datasets_app.counters import files, instruments
shared = files.share("site-1")
for _ in range(int(sys.argv[1])):
    instruments.page("home", 200, 0.02)
if os.fork() == 0:
    instruments.page("home", 200, 0.02)  # of a child: counts nowhere
    os._exit(0)
os.wait()
print(json.dumps([shared, sorted(path.name for path in files.folder().glob("*.db"))]), flush=True)
sys.stdin.read()
"""


def start(folder, count):
    return subprocess.Popen(
        [sys.executable, "-c", COUNT, str(count)],
        cwd=ROOT,
        env={**os.environ, "CONCUR_DATA_DIR": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def requests_counted(settings, folder):
    settings.DATA_DIR = folder
    return {
        (sample.labels["route"], sample.labels["status"]): sample.value
        for metric in files.everything().collect()
        for sample in metric.samples
        if sample.name == "concur_page_seconds_count"
    }


def test_processes_add_up_and_a_restarted_one_goes_on(settings, tmp_path):
    first = start(tmp_path, 3)
    assert json.loads(first.stdout.readline()) == [True, ["counter_site-1.db", "histogram_site-1.db"]]
    second = start(tmp_path, 4)  # at the same time, under the same name
    assert "histogram_site-1-2.db" in json.loads(second.stdout.readline())[1]
    first.communicate("")
    third = start(tmp_path, 5)  # goes on where the first ended
    assert len(json.loads(third.stdout.readline())[1]) == 4
    assert requests_counted(settings, tmp_path) == {("home", "200"): 12}
    files.clear()  # both are running: nothing is forgotten
    assert requests_counted(settings, tmp_path) == {("home", "200"): 12}
    second.communicate("")
    third.communicate("")
    files.clear()
    assert list(files.folder().glob("*.db")) == []


def test_the_files_take_their_room_when_they_are_made(tmp_path):
    path = tmp_path / "histogram_site-1.db"
    files.reserve(path, 2**16)
    status = path.stat()
    assert status.st_size == 2**16 <= status.st_blocks * 512
    assert status.st_mode & 0o777 == 0o600


def test_a_file_that_lost_power_begins_anew(tmp_path):
    path = tmp_path / "histogram_site-1.db"
    path.write_bytes(b"\x7f\xff\xff\x00" * 1000)
    files.reserve(path, 2**16)
    assert path.read_bytes() == bytes(2**16)


def test_without_room_a_process_counts_in_its_memory(settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(files, "_locks", [])
    monkeypatch.setattr(instruments, "_program", "other")

    def refuse(path, size):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "reserve", refuse)
    assert files.share("site-1") is False
    assert files.values.ValueClass is files.values.MutexValue


def test_routes_and_statuses_beyond_a_number_are_counted_together(monkeypatch):
    monkeypatch.setattr(instruments, "_pairs", {("a", "200")})
    monkeypatch.setattr(instruments, "MOST_PAIRS", 1)
    before = instruments.PAGE_SECONDS.labels("other", "other")._sum.get()
    instruments.page("b", 200, 2.0)
    assert instruments.PAGE_SECONDS.labels("other", "other")._sum.get() == before + 2.0
    assert ("b", "200") not in instruments.PAGE_SECONDS._metrics


def test_the_stages_are_those_of_the_engines_reports():
    lines = (ROOT / "datasets_app" / "demo_pack" / "reports.jsonl").read_text().splitlines()
    reports = [json.loads(line) for line in lines]
    sent = {stage for report in reports for stage in (report.get("report") or report)["seconds"]}
    assert sent
    assert sent <= instruments.STAGES


def test_the_reserved_room_holds_every_pair():
    key = json.dumps(
        [
            "concur_page_seconds",
            "concur_page_seconds_bucket",
            {"le": "0.025", "route": "r" * 60, "status": "200"},
            instruments.PAGE_SECONDS._documentation,
        ]
    )
    per_pair = (len(instruments.PAGE_BUCKETS) + 2) * (len(key) + 4 + 8 + 16)
    assert instruments.MOST_PAIRS * per_pair < files.RESERVED_BYTES["histogram"]
