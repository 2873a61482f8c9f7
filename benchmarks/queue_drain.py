"""Measures 10,000 verifications requested at once: the request, the pages meanwhile, and how fast reports are booked.

    python -m benchmarks queue_drain [--rows 10000] [--database postgresql] [--seconds 240] [-o RESULT.json]

Site worker, Redis and a verifying worker are real processes. The worker's engine is the stand-in of the tests, whose
verification takes 10 ms: the figures say what the site and its queue can carry, not how fast kernels are verified. One
person asks for all but ten, another for ten more at the same priority. After --seconds the rest is left; then the rows
are counted: each has at most one report, and none is missing.
"""

import argparse
import json
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks._database import add_database, circumstances, open_database
from benchmarks._results import write_figures

OTHERS = 10
PAGES = {"verify": "/verify/", "waiting": "/verify/?state=waiting", "browse": "/browse/", "home": "/"}
TICKS = os.sysconf("SC_CLK_TCK")


def request_all() -> dict[str, Any]:
    """Request everything, as two people; return how long it took."""
    from datasets_app.models import Priority, Sample
    from eval_app.request.verify import request_verification
    from tests.factories import acting, make_user

    samples = list(Sample.objects.order_by("pk").only("pk", "language"))
    many, few = make_user("curator", "many"), make_user("curator", "few")
    started = time.monotonic()
    request_verification(samples[OTHERS:], device="cpu", actor=acting(many), priority=Priority.LATER)
    seconds = time.monotonic() - started
    request_verification(samples[:OTHERS], device="cpu", actor=acting(few), priority=Priority.LATER)
    return {"requested": len(samples), "request_s": round(seconds, 2)}


def requested() -> Any:
    """Return the rows of this measurement; the database was filled with finished ones."""
    from datasets_app.models import Verification

    return Verification.objects.filter(requested_by__username__in=["many", "few"])


def page_times(count: int = 12) -> dict[str, dict[str, float]]:
    """Return each page's median and worst time in this process, in milliseconds."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    client = Client()
    client.force_login(get_user_model().objects.get(username="many"))
    times: dict[str, dict[str, float]] = {}
    for name, path in PAGES.items():
        taken = []
        for _ in range(count):
            started = time.monotonic()
            assert client.get(path).status_code == 200, path
            taken.append((time.monotonic() - started) * 1e3)
        times[name] = {"p50_ms": round(sorted(taken)[count // 2], 1), "worst_ms": round(max(taken), 1)}
    return times


def draw_times() -> dict[str, float]:
    """Return how long it takes to choose what to send next, while everything is queued."""
    from eval_app.queue import send_window
    from eval_app.queue.routes import Route

    taken = []
    for _ in range(20):
        started = time.monotonic()
        send_window.next_rows(Route("cpu"))
        taken.append((time.monotonic() - started) * 1e3)
    return {"draw_p50_ms": round(sorted(taken)[10], 2)}


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def drain(site: Any, seconds: float) -> dict[str, Any]:
    """Let the worker work; return the reports booked, their rate, and the site worker's processor time for each."""
    rows = requested()
    done = rows.filter(state="done")
    first_of_few: float | None = None
    while not done.exists():
        time.sleep(0.1)
    pid = site.running["sweeper"].pid
    began, cpu, before = time.monotonic(), cpu_seconds(pid), done.count()
    pages: dict[str, Any] = {}
    while rows.unfinished().exists() and time.monotonic() - began < seconds:
        pages = pages or page_times(5)
        if first_of_few is None and not rows.unfinished().filter(requested_by__username="few").exists():
            first_of_few = done.count()
        time.sleep(0.5)
    booked, wall = done.count() - before, time.monotonic() - began
    return {
        "booked": booked,
        "seconds": round(wall, 1),
        "reports_per_s": round(booked / wall, 1),
        "site_worker_cpu_ms_per_report": round((cpu_seconds(pid) - cpu) / max(booked, 1) * 1e3, 1),
        "reports_booked_when_the_ten_of_the_other_person_were_done": first_of_few,
        "pages_while_draining": pages,
    }


def accounted() -> dict[str, int]:
    """Return how many rows there are by state, and how many reports."""
    from datasets_app.models import VerificationReport

    rows = requested()
    reports = VerificationReport.objects.filter(verification__in=rows).values_list(
        "verification_id", flat=True
    )
    states = rows.state_counts()
    assert len(set(reports)) == len(reports) == states.get("done", 0)
    return {**states, "reports": len(reports)}


def measure(options: argparse.Namespace, stack: ExitStack) -> dict[str, Any]:
    from django.conf import settings

    from benchmarks._database import filled
    from tests.faults.site import FaultySite, PostgresRows

    filled(options)
    folder = Path(settings.DATA_DIR)
    site = FaultySite(folder)
    if options.database == "postgresql":
        site.rows = PostgresRows(folder, site.redis_url, os.environ["DATABASE_URL"])
    site.rows.environment["CONCUR_LEASE_SECONDS"] = "60"
    (folder / "host-key").touch(mode=0o600)
    (folder / "host-key").write_text(site.rows.run("manage.py", "host", "add", "gpu-7"))
    stack.callback(site.stop)
    settings.REDIS_URL = site.redis_url
    empty = page_times_of_someone()
    result: dict[str, Any] = {
        **circumstances(options),
        "engine": "the stand-in of the tests, 10 ms a verification",
    }
    result |= {"load_1m": round(os.getloadavg()[0], 1), "pages_before": empty, **request_all()}
    result |= {"pages_while_queued": page_times(), **draw_times()}
    for name in ("redis", "sweeper", "worker"):
        site.start(name)
    result |= drain(site, options.seconds)
    site.kill("worker")
    result["rows_at_the_end"] = accounted()
    return result


def page_times_of_someone() -> dict[str, dict[str, float]]:
    """Return the pages' times before anything is queued."""
    from django.contrib.auth import get_user_model

    from tests.factories import make_user

    person = get_user_model().objects.filter(username="many").first() or make_user("curator", "many")
    times = page_times()
    person.delete()
    return times


def main() -> None:
    """Measure, print and write the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_database(parser)
    parser.set_defaults(rows=10_000, text_kb=4)
    parser.add_argument("--plain", action="store_true", default=True, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    with ExitStack() as stack:
        open_database(options, stack)
        result = measure(options, stack)
    print(json.dumps(result, indent=1))
    write_figures(result, options.output or f"queue_drain-{options.database}")


if __name__ == "__main__":
    main()
