"""Tests of `manage.py up` on a disk that fills up: pages work, writes are refused in words, it recovers."""

import http.client
import json
import re
import uuid

import pytest

from tests import full_disk
from tests.live import PATIENCE_SECONDS, LiveSite, wait_until
from tests.site.person import Person

pytestmark = [pytest.mark.engine, pytest.mark.long, pytest.mark.xdist_group("live")]
DISK_SIZE = "160m"
PROFILES = ["quick", "standard"]  # a profile that is already queued would not be a write
ROW = {
    "problem_name": "relu",
    "pytorch_code": "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x): return x.relu()\n"
    "def get_inputs(): return [torch.rand(4)]\ndef get_init_inputs(): return []\n",
    "generated_think": "a trace",
    "generated_code": "class ModelNew(Model): pass\n",
    "speedup_over_eager": 1.0,
}


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    full_disk.skip_without_mounts()
    folder = tmp_path_factory.mktemp("disk")
    site = LiveSite(
        folder, CONCUR_DEMO="0", CONCUR_SWEEP_SECONDS="1", CONCUR_FREE_DISK_MB="1", CONCUR_SITE_PROCESSES="1"
    )
    site.command = full_disk.on_a_small_disk(folder, DISK_SIZE, site.command)
    with site:
        yield site


@pytest.fixture(scope="module")
def disk(live):
    return full_disk.SmallDisk(live.process.pid, live.folder)


@pytest.fixture(scope="module")
def admin(live):
    person = Person(live.url)
    assert person.sign_in() == 200
    status, _ = person.upload("rows.jsonl", json.dumps(ROW).encode())
    assert status == 200
    wait_until(lambda: json.loads(person.get("/api/v1/samples/")[1])["results"], "the sample")
    person.token = re.search(r"cw_[\w-]{20,}", person.post("/account/tokens/", scope="read")[1]).group()
    return person


def health(person: Person) -> tuple[int, dict]:
    status, text = person.get("/healthz")
    return status, json.loads(text)


def writes(person: Person, sample: str) -> dict[str, tuple[int, str]]:
    """Return one write of each kind, with a new name so that there is always something to write."""
    name = f"tag{uuid.uuid4().hex[:8]}"
    return {
        "a page's form": person.post(f"/samples/{sample}/tags/", add=name),
        "REST": person.post_json("/api/v1/verifications/", {"sample": sample, "profile": PROFILES.pop()}),
        "an upload": person.upload("more.jsonl", json.dumps({**ROW, "generated_think": name}).encode()),
        "an export": person.post_json("/api/v1/recipes/", {"name": name, "definition": {"rules": []}}),
        "a token": person.post("/account/tokens/", label=name, scope="read"),
        "signing in": (Person(person.url).sign_in(), ""),
        "a wrong password": (Person(person.url).sign_in("wrong"), ""),
    }


def write_more_log_than_a_pipe_holds(live: LiveSite) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", live.port, timeout=PATIENCE_SECONDS)
    for number in range(300):
        connection.request("GET", f"/healthz/{number}/{'x' * 600}")
        assert connection.getresponse().read()
    connection.close()


def test_a_full_disk_refuses_writes_in_words_and_needs_no_restart(live, disk, admin):
    sample = json.loads(admin.get("/api/v1/samples/")[1])["results"][0]["id"]
    task = json.loads(admin.get("/api/v1/tasks/")[1])["results"][0]["id"]
    before = live.children()
    uploads = sorted((disk.path / "uploads").iterdir())
    with disk.long_reader("concur.sqlite3"), disk.full():
        pages = [
            "/",
            "/browse/",
            f"/samples/{sample}/",
            f"/tasks/{task}/",
            "/verify/",
            "/curate/",
            "/releases/",
        ]
        pages += ["/analysis/", "/ingest/", "/account/", "/api/v1/samples/", "/api/v1/stats/"]
        token = {"Authorization": f"Bearer {admin.token}"}  # a token's first use would be recorded
        assert Person(live.url).get("/api/v1/samples/", **token)[0] == 200
        read = {page: admin.get(page) for page in pages}
        assert {page: status for page, (status, _) in read.items()} == dict.fromkeys(pages, 200), read

        refused = writes(admin, sample)
        assert {kind: status for kind, (status, _) in refused.items()} == dict.fromkeys(refused, 507), refused
        assert "free on the disk of the data folder" in refused["an upload"][1]
        for kind in ("a page's form", "REST"):
            assert f"The disk of the data folder {live.folder} is full (" in refused[kind][1]
            assert "Everything that was stored before is kept." in refused[kind][1]
        assert sorted((disk.path / "uploads").iterdir()) == uploads, "nothing half-written remains"

        status, told = health(admin)
        assert (status, told["status"], told["disk"]["status"]) == (503, "failed", "failed")
        assert str(live.folder) not in json.dumps(health(Person(live.url))[1])
        write_more_log_than_a_pipe_holds(live)
        assert admin.get("/browse/")[0] == 200

    wait_until(lambda: health(admin)[1]["disk"]["status"] != "failed", "the disk is well again")
    stored = writes(admin, sample)
    assert 507 not in {status for status, _ in stored.values()}, stored
    assert stored["signing in"][0] == 200
    samples = "/api/v1/samples/"
    wait_until(lambda: len(json.loads(admin.get(samples)[1])["results"]) == 2, "the new upload is read")
    assert live.children() == before, "no process was started again"
    wait_until(lambda: health(admin)[1]["broker"]["status"] == "ok", "the broker takes work again")
    log = disk.path / "logs" / "site-1.log"
    admin.get("/nowhere")  # writes a line of the site's log, with the count of lines dropped before
    wait_until(lambda: "lines are missing here" in log.read_text(), "the log says what it misses")
