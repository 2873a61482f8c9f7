"""Measures waiting times while 200 read, 30 annotate and 10 download, and while idle clients stay connected.

    python -m benchmarks load --rows 20000 --database sqlite
    python -m benchmarks load --rows 20000 --database postgresql
    python -m benchmarks load --rows 100000 --database postgresql --behind-nginx

Fills its own database (`--folder` keeps and reuses it), freezes a release of tens of MB, starts the site by
`manage.py up`, waits until its background jobs (similar kernels of a new database: minutes) are done, and lets
locust's people use it on loopback, from one more process on the same machine. A reader opens a page (a list, a
search, a sample, a task) every 5 to 25 s; an annotator takes the queue's next sample, autosaves two drafts and
submits a review, with 5 to 15 s before each. Then one client requests lists while 24 idle request bodies, or 16 slow
readers of the large file, are held open, alternating with the same requests while none are. With --behind-nginx the
people come by TLS through a real nginx with deploy/nginx.conf, held to 400 ms, and no connections are held. Three
phases: half of the downloads as fast as loopback carries them and half at 16 Mbit/s; each held to 100 Mbit/s; and
none. Each phase records the processor seconds of the site, its analyses of texts, PostgreSQL, nginx, the workers, the
broker, locust, and the rest of the machine. Writes benchmarks/results/load-<vendor>-<rows>[-nginx].json.
"""

import argparse
import http.client
import json
import os
import random
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks._database import add_database, filled
from benchmarks._people import WARM_UP_SECONDS, crowd, figures, session_keys
from benchmarks._results import record_on_database
from benchmarks._server import running_site
from benchmarks._settling import settle

READERS, ANNOTATORS, DOWNLOADS = 200, 30, 10
IDLE_BODIES, SLOW_READERS = 24, 16
THINK_SECONDS = {"reader": (5, 25), "annotator": (5, 15), "download": (1, 1)}
DRAFTS_A_REVIEW = 2
HELD_BYTES_A_SECOND = 100e6 / 8
TARGET_P95_MS, TARGET_P95_BEHIND_NGINX_MS, TARGET_RATIO = 1500, 400, 2.0
WINDOWS, WINDOW_SECONDS = 4, 5.0
BEHIND_NGINX = {  # as deploy/nginx.conf says
    "CONCUR_TLS": "1",
    "CONCUR_HOSTS": "localhost",
    "CONCUR_TRUSTED_PROXIES": "127.0.0.1",
    "CONCUR_ACCEL_REDIRECT": "/protected/",
}
RECIPE = {"version": 1, "seed": 0, "rules": [{"rule": "outcome", "outcomes": ["passed"]}]}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_database(parser)
    parser.add_argument("--plain", action="store_true", help="fill by plain INSERTs, which is quicker")
    parser.add_argument("--seconds", type=int, default=90, help="for which the crowd is counted")
    parser.add_argument("--behind-nginx", action="store_true", help="through nginx with the shipped file")
    parser.add_argument("--no-write", action="store_true", help="print the result only")
    return parser.parse_args()


# --- Requests -------------------------------------------------------------------------------------------


def paths(rows: int) -> dict[str, list[str]]:
    from benchmarks._triples import COMMON
    from datasets_app.models import Sample, Task

    some = random.Random(5)
    samples = list(Sample.objects.order_by("id").values_list("pk", flat=True)[:: max(1, rows // 500)])
    tasks = list(Task.objects.order_by("id").values_list("pk", flat=True)[:200])
    filters = ["", "?outcome=passed", "?language=cuda&outcome=failed", "?operator=softmax", "?sort=-measured"]
    words = [*COMMON, *(f"word_{some.randint(20_000, 39_999)}" for _ in range(20))]
    return {
        "list": [f"/browse/{query}" for query in filters],
        "sample": [f"/samples/{pk}/" for pk in samples],
        "search": [f"/browse/?q={word}" for word in words],
        "task": [f"/tasks/{pk}/" for pk in tasks],
    }


def release_file() -> tuple[str, float]:
    """Return the address and MB of the largest file of a release of all passed samples."""
    from datasets_app.accounts.actor import COMMAND
    from datasets_app.curate import freeze
    from datasets_app.curate.definition import parse
    from datasets_app.export.finish import finish_files
    from datasets_app.models import Export, Release

    release = Release.objects.filter(name="load").first()
    if release is None:
        release = freeze.create(COMMAND, name="load", definition=parse(RECIPE), recipe_name="load")
        freeze.run_freeze(release.pk)
        release.refresh_from_db()
        finish_files(release)
    largest = Export.objects.filter(release=release, state="done").order_by("-size_bytes").first()
    assert largest is not None, "the release has no file"
    return f"/releases/load/files/{largest.path}", largest.size_bytes / 2**20


# --- Idle and slow connections --------------------------------------------------------------------------------


@contextmanager
def idle_bodies(port: int, plan: dict[str, Any]) -> Iterator[None]:
    """Hold connections of clients without a login that announce a body and send none."""
    head = b"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx"
    with held([head] * IDLE_BODIES, port):
        yield


@contextmanager
def slow_readers(port: int, plan: dict[str, Any]) -> Iterator[None]:
    """Hold connections of clients that request the large file and read none of it."""
    key = plan["sessions"]["reader"][0]
    head = f"GET {plan['file']} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: sessionid={key}\r\n\r\n".encode()
    with held([head] * SLOW_READERS, port):
        yield


@contextmanager
def held(heads: list[bytes], port: int) -> Iterator[None]:
    with ExitStack() as stack:
        for head in heads:
            line = stack.enter_context(socket.socket())
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.connect(("127.0.0.1", port))
            line.sendall(head)
        time.sleep(1)
        yield


def list_times(port: int, plan: dict[str, Any]) -> list[float]:
    """Request lists from one client for some seconds, one after the other."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers, times = {"Cookie": f"sessionid={plan['sessions']['reader'][1]}"}, []
    end = time.perf_counter() + WINDOW_SECONDS
    while time.perf_counter() < end:
        begun = time.perf_counter()
        line.request("GET", plan["paths"]["list"][len(times) % 5], headers=headers)
        answer = line.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        times.append((time.perf_counter() - begun) * 1000)
        time.sleep(0.02)
    line.close()
    return times


def with_and_without(port: int, plan: dict[str, Any], holding: Any) -> dict[str, Any]:
    alone, beside = [], []
    for _ in range(WINDOWS):
        alone += list_times(port, plan)
        with holding(port, plan):
            beside += list_times(port, plan)
    p95 = [figures(times)["p95_ms"] for times in (alone, beside)]
    return {"alone": figures(alone), "beside": figures(beside), "p95_ratio": round(p95[1] / p95[0], 2)}


# --- The whole run --------------------------------------------------------------------------------------


def prepared(given: argparse.Namespace) -> dict[str, Any]:
    from datasets_app.models import ReviewClaim, ReviewDraft

    filled(given)
    ReviewClaim.objects.all().delete()  # left by an earlier run on a kept folder: its drafts would conflict
    ReviewDraft.objects.all().delete()
    file, megabytes = release_file()
    return {
        "seconds": given.seconds,
        "warm_up_seconds": WARM_UP_SECONDS,
        "think_seconds": THINK_SECONDS,
        "drafts_a_review": DRAFTS_A_REVIEW,
        "next": "/review/next/",
        "paths": paths(given.rows),
        "file": file,
        "file_mb": round(megabytes),
        "sessions": {
            "reader": session_keys("reader", READERS),
            "annotator": session_keys("annotator", ANNOTATORS),
            "download": session_keys("reader", DOWNLOADS),
        },
    }


def measure(given: argparse.Namespace) -> dict[str, Any]:
    from django.db import connections

    plan = prepared(given)
    connections.close_all()
    with running_site() as (port, pid), addressed(given, port) as host:
        plan["host"] = host
        unsettled = settle(pid)
        before = [round(value, 2) for value in os.getloadavg()]
        phases = {}
        for name, other in {
            "all_at_once": {},
            "downloads_at_100_mbit": {"download_bytes_a_second": HELD_BYTES_A_SECOND},
            "without_downloads": {"sessions": plan["sessions"] | {"download": []}},
        }.items():
            phases[name] = crowd(plan | other, pid, given.postgres_pid)
            print(json.dumps({name: phases[name]}, indent=1), flush=True)
        cases = [] if given.behind_nginx else [idle_bodies, slow_readers]
        held_up = {case.__name__: with_and_without(port, plan, case) for case in cases}
    return {
        "behind_nginx": given.behind_nginx,
        "jobs_still_at_work": unsettled,
        "load_average_before": before,
        "people": {"readers": READERS, "annotators": ANNOTATORS, "downloads": DOWNLOADS},
        "think_seconds": THINK_SECONDS,
        "file_mb": plan["file_mb"],
        "server": server(),
        **phases,
        "held_connections": held_up,
        "targets": {
            "p95_ms": TARGET_P95_BEHIND_NGINX_MS if given.behind_nginx else TARGET_P95_MS,
            "p95_ratio": TARGET_RATIO,
            "errors": 0,
        },
    }


@contextmanager
def addressed(given: argparse.Namespace, port: int) -> Iterator[str]:
    """Yield the address that people use: the site's own, or that of an nginx before it."""
    if not given.behind_nginx:
        yield f"http://127.0.0.1:{port}"
        return
    from tests.deploy.nginx import shipped_nginx

    with (
        tempfile.TemporaryDirectory(prefix="nginx-") as folder,
        shipped_nginx(Path(folder), Path(os.environ["CONCUR_DATA_DIR"]), port) as (_, tls),
    ):
        yield f"https://localhost:{tls}"


def server() -> dict[str, Any]:
    from django.conf import settings

    from concur_site.up.processes import site_processes

    return {
        "processes": site_processes(),
        "threads": settings.SITE_THREADS,
        "waitress": version("waitress"),
        "django": version("django"),
    }


def main() -> None:
    given = arguments()
    if given.behind_nginx:
        os.environ |= BEHIND_NGINX
    place = "-nginx" if given.behind_nginx else ""
    record_on_database(given, f"load-{given.database}-{given.rows}{place}", measure)


if __name__ == "__main__":
    main()
