"""Tests of the full-size files on a running site: pages stay fast and small, and the disk is not filled."""

import json
import time
import urllib.request
import uuid
from pathlib import Path

import pytest

from tests.hostile import archived_files, columnar_files  # noqa: F401  (add their files to FILES)
from tests.hostile.files import FILES
from tests.live import LiveSite

pytestmark = [pytest.mark.long, pytest.mark.engine, pytest.mark.xdist_group("live")]
MOST_SITE_BYTES = 400 * 2**20
MOST_DISK_BYTES = 1500 * 2**20  # uploads of half a GB, and the rows stored from them
END_SECONDS = 600


def post(site: LiveSite, token: str, name: str, content: bytes) -> str:
    boundary = uuid.uuid4().hex
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": f"multipart/form-data; boundary={boundary}",
    }
    request = urllib.request.Request(f"{site.url}/api/v1/ingests/", body, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["id"]


def peak_bytes(pid: int) -> int:
    """Return the peak memory of a process or any of its children."""
    children = [
        path.parent.name
        for path in Path("/proc").glob("[0-9]*/stat")
        if path.read_text().rsplit(")", 1)[1].split()[1] == str(pid)
    ]
    return max(peak_of(one) for one in [str(pid), *children])


def peak_of(pid: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_every_file_ends_and_the_site_stays_small(tmp_path):
    with LiveSite(tmp_path, CONCUR_DEMO="0") as site:
        token = site.manage("token", "create", "admin", "--scope", "read,curate").stdout.split()[-1]
        slowest = 0.0
        for name, content in FILES.items():
            data = content(True)
            begin = time.monotonic()
            post(site, token, name, data)
            # Without the transfer time.
            slowest = max(slowest, (time.monotonic() - begin) - len(data) / 20e6)
        deadline = time.monotonic() + END_SECONDS
        while time.monotonic() < deadline:
            rows = json.loads(site.get("/api/v1/ingests/?limit=100", token))["results"]
            if all(row["state"] in ("done", "failed") for row in rows):
                break
            time.sleep(1)
        assert {row["state"] for row in rows} <= {"done", "failed"}, [
            (row["file_name"], row["state"]) for row in rows if row["state"] not in ("done", "failed")
        ]
        assert all(row["error"].endswith(".") for row in rows if row["state"] == "failed")
        assert peak_bytes(site.children()["site-1"]) < MOST_SITE_BYTES
        assert size_of(tmp_path) < MOST_DISK_BYTES
        assert slowest < 2
        print(json.dumps({"slowest_s": slowest, "disk_mb": size_of(tmp_path) / 2**20}))
