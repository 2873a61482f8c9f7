"""Tests of the corpus of texts on a running site: its pages answer soon, and its processes stay small."""

import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.hostile.pages import FIRST, LARGEST_PAGE_BYTES, main_addresses, rows_of
from tests.hostile.texts import HostileText, whole_corpus
from tests.live import LiveSite, SiteAlone
from tests.site.person import Person

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("live")]
PAGE_SECONDS = 2.0
BUSY = 3  # slowdown of a machine that runs other tests
MOST_SITE_BYTES = 400 * 2**20
PROCESSES = ("site-1", "site-2")
KEPT = 10  # number of the slowest pages to report


class Opened(NamedTuple):
    seconds: float
    status: int
    bytes: int
    entry: str
    path: str


def resident_bytes(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def ingest(live: LiveSite, entries: Iterable[HostileText], file: Path) -> None:
    with file.open("w") as lines:
        for entry in entries:
            lines.writelines(json.dumps(row) + "\n" for row in rows_of(entry))
    done = live.manage("ingest", str(file), timeout_seconds=1200)
    assert done.returncode == 0, done.stderr
    file.unlink()


def pages(person: Person, entry: HostileText) -> Iterator[str]:
    """Return the addresses of an entry; none if the ingest refused it, with its reason."""
    found = []
    for number in (1, 2):
        status, text = person.get(f"/api/v1/samples/?generator={entry}/{number}")
        assert status == 200, text
        found += json.loads(text)["results"]
    if len(found) == 2:
        yield from main_addresses(found[0]["id"], found[1]["id"], found[0]["task"])


def opened(person: Person, entry: HostileText, path: str) -> Opened:
    started = time.monotonic()
    status, text = person.get(path)
    return Opened(time.monotonic() - started, status, len(text.encode()), str(entry), path)


def report(found: list[Opened], sizes: dict[str, int]) -> str:
    slowest = [f"{one.seconds:.2f} s, {one.bytes:,} bytes: {one.entry} {one.path}" for one in sorted(found)]
    memory = [f"{name}: {size / 2**20:.0f} MiB" for name, size in sizes.items()]
    return "\n".join([f"{len(found)} pages", *memory, *slowest[: -KEPT - 1 : -1]])


def is_within(one: Opened, seconds: float) -> bool:
    return one.status == 200 and one.bytes < LARGEST_PAGE_BYTES and one.seconds < seconds


@pytest.mark.parametrize(
    ("entries", "seconds"),
    [
        pytest.param(
            [one for one in whole_corpus() if str(one) in FIRST],
            BUSY * PAGE_SECONDS,
            id="first",
            marks=pytest.mark.long,
        ),
        pytest.param(whole_corpus(), PAGE_SECONDS, id="whole", marks=pytest.mark.long),
    ],
)
def test_every_page_answers_soon_and_the_site_stays_small(entries, seconds, tmp_path):
    with SiteAlone(tmp_path, CONCUR_DEMO="0", CONCUR_SITE_PROCESSES=str(len(PROCESSES))) as live:
        ingest(live, entries, tmp_path / "rows.jsonl")
        person = Person(live.url)
        assert person.sign_in() == 200
        before = live.children()
        found = [opened(person, entry, path) for entry in entries for path in pages(person, entry)]
        after = live.children()
        sizes = {name: resident_bytes(after[name]) for name in PROCESSES}
    print(report(found, sizes))
    assert len(found) > 3 * len(entries), "most of the corpus was refused"
    assert [one for one in found if not is_within(one, seconds)] == []
    assert max(sizes.values()) < MOST_SITE_BYTES
    assert {name: after[name] for name in PROCESSES} == {name: before[name] for name in PROCESSES}
