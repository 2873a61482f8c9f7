"""Requests pages and streams of a running site, and pages while its own worker writes a release's files."""

from __future__ import annotations

import http.client
import time
from contextlib import ExitStack, suppress
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks._people import figures, session_keys
from benchmarks._server import running_site, site_worker

FORMATS = ("parquet", "jsonl")
STREAMED, STREAMS = ("ndjson", "parquet"), 5
SET = "/api/v1/samples/?outcome=passed&language=cuda"
BLOCK_BYTES = 2**20
PAUSE_SECONDS = 0.1
FEWEST_REQUESTS = 40  # of a window; a small release's files are written within seconds
LONGEST_EXPORT_SECONDS = 3600.0


class Pages:
    """One person who opens a list, a filter, a search, a sample, a task and the release, one after the other."""

    def __init__(self, port: int, session: str, paths: list[str]) -> None:
        from django.conf import settings

        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.headers = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={session}"}
        self.paths = cycle(paths)
        self.times: list[float] = []

    def open_next(self) -> None:
        path, begun = next(self.paths), time.perf_counter()
        self.line.request("GET", path, headers=self.headers)
        answer = self.line.getresponse()
        answer.read()
        assert answer.status == 200, (path, answer.status)
        self.times.append((time.perf_counter() - begun) * 1000)
        time.sleep(PAUSE_SECONDS)

    def taken(self) -> dict[str, float]:
        """Return the figures of the requests since the last call."""
        times, self.times = self.times, []
        self.line.close()  # the site ends idle connections; the next request opens another
        return figures(times)


def pages_meanwhile(name: str, seconds: float) -> dict[str, Any]:
    """Return times of streams, of pages without an export of the release and while one is under way, and its own."""
    from datasets_app.models import Release

    release = Release.objects.get(name=name)
    session, paths = session_keys("reader", 1)[0], addresses(release)
    with ExitStack() as stack:
        release.exports.all().delete()  # the worker would write the default ones as soon as it starts
        worker = stack.enter_context(site_worker())
        port, _ = stack.enter_context(running_site("--site-only"))
        pages = Pages(port, session, paths)
        for _ in paths:
            pages.open_next()  # fills the site's caches
        pages.taken()
        end = time.monotonic() + seconds
        while time.monotonic() < end or len(pages.times) < FEWEST_REQUESTS:
            pages.open_next()
        before = pages.taken()
        streams = first_bytes(port)
        exports = {format: written_meanwhile(release, format, pages, worker.pid) for format in FORMATS}
    return {"streams_first_byte": streams, "pages": {"before": before, **exports}}


def first_bytes(port: int) -> dict[str, Any]:
    """Return the times until the first byte of a filtered set arrives, as NDJSON and as Parquet, by token."""
    from django.contrib.auth.models import User

    from datasets_app.accounts.actor import COMMAND
    from datasets_app.accounts.api_tokens import make_token

    _, token = make_token(User.objects.get(username="reader-0"), ["read"], "export_speed", "", actor=COMMAND)
    return {name: figures([first_byte(port, token, name) for _ in range(STREAMS)]) for name in STREAMED}


def first_byte(port: int, token: str, format: str) -> float:
    line, begun = http.client.HTTPConnection("127.0.0.1", port, timeout=120), time.perf_counter()
    line.request("GET", f"{SET}&format={format}", headers={"Authorization": f"Bearer {token}"})
    answer = line.getresponse()
    assert answer.status == 200, answer.read()
    answer.read(1)
    taken = (time.perf_counter() - begun) * 1000
    while answer.read(BLOCK_BYTES):
        pass  # an abandoned stream would keep its thread for a while, and the next one waiting
    line.close()
    return taken


def addresses(release: Any) -> list[str]:
    from datasets_app.models import Sample

    sample = Sample.objects.order_by("id").first()
    assert sample is not None
    lists = ["/browse/", "/browse/?outcome=passed&language=cuda", "/browse/?q=softmax"]
    return [*lists, f"/samples/{sample.pk}/", f"/tasks/{sample.task_id}/", f"/releases/{release.name}/"]


def written_meanwhile(release: Any, format: str, pages: Pages, worker: int) -> dict[str, Any]:
    """Request the format's files of the site's worker, open pages until they are written, and return both figures."""
    from datasets_app.accounts.actor import COMMAND
    from datasets_app.export import request_export

    begun, peak_mb = time.monotonic(), 0.0
    files = request_export(release, format, COMMAND)
    ids = [file.pk for file in files]
    while not all_done(release, ids):
        assert time.monotonic() - begun < LONGEST_EXPORT_SECONDS, f"the worker does not write {format}"
        pages.open_next()
        peak_mb = max(peak_mb, *(peak_of(pid) for pid in descendants(worker)), 0.0)
    seconds = time.monotonic() - begun
    return {
        **pages.taken(),
        "files": len(ids),
        "export_seconds": round(seconds, 1),
        "process_peak_mb": round(peak_mb),
    }


def all_done(release: Any, ids: list[Any]) -> bool:
    states = dict(release.exports.filter(pk__in=ids).values_list("path", "state"))
    assert "failed" not in states.values(), states
    return set(states.values()) == {"done"}


def descendants(pid: int) -> list[int]:
    """Return the process ids below a process, which write a file each."""
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):  # the worker starts its processes in threads
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in map(int, thread.read_text().split()):
                found += [child, *descendants(child)]
    return found


def peak_of(pid: int) -> float:
    """Return the most resident MB that a process has had."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)
