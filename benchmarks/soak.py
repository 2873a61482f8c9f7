"""Measures whether the memory of a running site grows in an hour of modest use.

    python -m benchmarks soak --minutes 60 --database postgresql

Fills its own database, starts the site by `manage.py up` with its worker, and lets people use it at a few requests a
second: every kind of page, reviews that are saved, downloads of a release, and a program that uploads files and asks
for verifications, which the worker runs in its sandbox. Each minute the resident memory of each process of the run,
and of PostgreSQL, is recorded. The first quarter is warm-up: caches fill. Over the rest a line is fitted to the sum
per program, held to 5 % an hour. Writes benchmarks/results/soak-<database>.json.
"""

import argparse
import statistics
import threading
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from scipy.stats import theilslopes

from benchmarks._database import add_database, filled
from benchmarks._people import crowd, session_keys
from benchmarks._results import record_on_database
from benchmarks._server import running_site
from benchmarks._settling import settle
from benchmarks.load import paths, release_file, server

PEOPLE = {"reader": 10, "annotator": 3, "download": 2, "program": 1}
THINK_SECONDS = {"reader": (2, 6), "annotator": (5, 15), "download": (20, 40), "program": (40, 80)}
WARM_PART, GROWTH_PERCENT_AN_HOUR = 0.25, 5.0
UPLOADED_ROWS = 20
PAGES = {
    "home": ["/"],
    "lists of work": ["/ingest/", "/review/", "/verify/", "/curate/", "/releases/", "/inbox/", "/runs/"],
    "release": ["/releases/load/", "/releases/load/rows/"],
    "analysis": ["/analysis/", "/leaderboard/"],
    "operation": ["/operations/", "/metrics", "/healthz", "/health/ready"],
    "code search": ["/browse/?q=code%3A%22blockIdx.x%22", "/browse/?q=code%3Agrid"],
    "api": ["/api/v1/samples/", "/api/v1/samples/?q=warp", "/api/v1/stats/", "/api/v1/verifications/"],
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_database(parser)
    parser.set_defaults(rows=5_000, text_kb=6, plain=False)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--no-write", action="store_true", help="print the result only")
    return parser.parse_args()


class MemoryWatch(threading.Thread):
    """Records the resident memory of each process below the given ones, once a minute."""

    def __init__(self, roots: dict[str, int], every_seconds: float) -> None:
        super().__init__(daemon=True)
        self.roots, self.every_seconds = roots, every_seconds
        self.ended = threading.Event()
        self.minutes: list[dict[str, dict[str, float]]] = []

    def run(self) -> None:
        while not self.ended.wait(self.every_seconds):
            self.minutes.append(self.look())

    def look(self) -> dict[str, dict[str, float]]:
        """Return the MB of each process, by program and process id."""
        import psutil

        programs: dict[str, dict[str, float]] = defaultdict(dict)
        for root, pid in self.roots.items():
            parent = psutil.Process(pid)
            for process in [parent, *parent.children(recursive=True)]:
                try:
                    name = f"{root}: {program(process.cmdline())}"
                    programs[name][str(process.pid)] = round(own_bytes(process.pid) / 2**20, 1)
                except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError, KeyError):
                    continue  # ended meanwhile
        return dict(programs)


def own_bytes(pid: int) -> int:
    """Return a process's resident memory without PostgreSQL's shared buffers, which fill by design."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return (int(fields["VmRSS"].split()[0]) - int(fields["RssShmem"].split()[0])) * 1024


def program(command: list[str]) -> str:
    """Return what a process is, without paths and numbers: the manage.py command, or PostgreSQL's kind of process."""
    words = " ".join(command).split()
    commands = [after for word, after in pairwise(words) if Path(word).name == "manage.py"]
    if commands:
        return commands[0]
    if words and words[0].startswith("postgres:"):
        return "backend" if len(words) > 3 else " ".join(words[1:3])
    return Path(words[0]).name + (f" {words[2]}" if words[1:2] == ["-m"] else "") if words else "kernel"


def slopes(minutes: list[dict[str, dict[str, float]]], every_seconds: float) -> dict[str, dict[str, Any]]:
    """Fit a line to the sum of each program's memory after the warm-up: its slope is the median of those between any
    two minutes (Theil and Sen), as a few minutes see the processes of a job."""
    first = int(len(minutes) * WARM_PART)
    result = {}
    for name in sorted({name for minute in minutes for name in minute}):
        sums = [sum(minute.get(name, {}).values()) for minute in minutes]
        hours = [at * every_seconds / 3600 for at in range(len(sums))]
        warm = sums[first:]
        growth = float(theilslopes(warm, hours[first:]).slope)
        result[name] = {
            "processes": round(statistics.mean(len(minute.get(name, {})) for minute in minutes[first:]), 1),
            "first_mb": round(sums[0], 1),
            "after_warm_up_mb": round(warm[0], 1),
            "last_mb": round(warm[-1], 1),
            "growth_mb_an_hour": round(growth, 1),
            "growth_percent_an_hour": round(100 * growth / (statistics.mean(warm) or 1), 1),
        }
    return result


def prepared(given: argparse.Namespace) -> dict[str, Any]:
    from django.contrib.auth.models import User

    from benchmarks._triples import Maker
    from datasets_app import demo_pack, ingest
    from datasets_app.accounts.actor import COMMAND
    from datasets_app.accounts.api_tokens import make_token
    from datasets_app.models import Sample

    filled(given)
    ingest.ingest_rows(demo_pack.read_pack(), "demo pack", licence="Apache-2.0")
    sessions = {
        role: session_keys("administrator", count) for role, count in PEOPLE.items() if role != "annotator"
    }
    sessions["annotator"] = session_keys("annotator", PEOPLE["annotator"])
    admin = User.objects.get(username="administrator-0")
    _, token = make_token(admin, ["read", "annotate", "curate"], "soak", "", actor=COMMAND)
    runnable = Sample.objects.filter(source__name="demo pack", language__in=["cpp", "python"])
    file, _ = release_file()
    return {
        "seconds": given.minutes * 60,
        "warm_up_seconds": 0,
        "think_seconds": THINK_SECONDS,
        "drafts_a_review": 1,
        "next": "/review/next/",
        "paths": paths(given.rows) | PAGES,
        "file": file,
        "sessions": sessions,
        "token": token,
        "verify": [{"sample": str(pk), "profile": "quick"} for pk in runnable.values_list("pk", flat=True)],
        "upload": list(Maker(3, given.text_kb).rows(range(UPLOADED_ROWS))),
    }


def measure(given: argparse.Namespace) -> dict[str, Any]:
    from django.db import connections

    from datasets_app.models import Sample, Verification

    plan = prepared(given)
    before = Verification.objects.filter(state="done").count(), Sample.objects.count()
    connections.close_all()
    every_seconds = min(60.0, given.minutes * 60 / 20)
    with running_site() as (port, pid):
        settle(pid)
        roots = {"site": pid} | ({"database": given.postgres_pid} if given.postgres_pid else {})
        watch = MemoryWatch(roots, every_seconds)
        watch.start()
        people = crowd(plan | {"host": f"http://127.0.0.1:{port}"}, pid)
        watch.ended.set()
        watch.join()
        after = Verification.objects.filter(state="done").count(), Sample.objects.count()
    programs = slopes(watch.minutes, every_seconds)
    return {
        "minutes": given.minutes,
        "people": PEOPLE,
        "think_seconds": THINK_SECONDS,
        "server": server(),
        "crowd": people,
        "verified": after[0] - before[0],
        "samples_uploaded": after[1] - before[1],
        "memory": programs,
        "target_percent_an_hour": GROWTH_PERCENT_AN_HOUR,
        "mb_by_minute": watch.minutes,
    }


def main() -> None:
    given = arguments()
    record_on_database(given, f"soak-{given.database}", measure, unprinted=["mb_by_minute"])


if __name__ == "__main__":
    main()
