"""Runs locust's people (`locustfile.py`) against a site and reads their times."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks._processor import ProcessorWatch
from benchmarks._server import site_usage

LOCUSTFILE = Path(__file__).with_name("locustfile.py")
WARM_UP_SECONDS = 25
ROLES = ("reader", "annotator", "download", "program")


def session_keys(role: str, count: int) -> list[str]:
    from django.conf import settings
    from django.contrib.auth.models import Group, User
    from django.test import Client

    keys = []
    for number in range(count):
        user = User.objects.get_or_create(username=f"{role}-{number}")[0]
        user.groups.add(Group.objects.get(name=role))
        client = Client()
        client.force_login(user)
        keys.append(client.cookies[settings.SESSION_COOKIE_NAME].value)
    return keys


def crowd(plan: dict[str, Any], pid: int, postgres_pid: int | None = None) -> dict[str, Any]:
    """Let the people of the plan work for its seconds; return the figures of their requests, and who used the
    processors."""
    begun, (used, _), load = time.monotonic(), site_usage(pid), os.getloadavg()[0]
    watch = ProcessorWatch({"benchmark": os.getpid()} | ({"postgres": postgres_pid} if postgres_pid else {}))
    watch.start()
    report = answers(plan)
    now_used, megabytes = site_usage(pid)
    pages = [value for kind, times in report["times_ms"].items() if "download" not in kind for value in times]
    if not pages:
        sys.exit(f"No page was answered in the counted seconds; the first errors: {report['errors'][:3]}")
    return {
        "load_average_before": round(load, 1),
        "all_pages": figures(pages),
        "by_kind": {kind: figures(times) for kind, times in sorted(report["times_ms"].items())},
        "requests_a_second": round(len(pages) / plan["seconds"], 1),
        "answered": report["answered"],
        "downloaded_mb": report["downloaded_mb"],
        "errors": len(report["errors"]),
        "first_errors": report["errors"][:5],
        "site_cores_used": round((now_used - used) / (time.monotonic() - begun), 2),
        "locust_cores_used": report["cores_used"],
        "processor_seconds": watch.seconds(),
        "seconds": round(time.monotonic() - begun, 1),
        "site_resident_mb": round(megabytes),
    }


def answers(plan: dict[str, Any]) -> dict[str, Any]:
    """Run locust in a process of its own and return what it wrote."""
    from django.conf import settings

    with tempfile.TemporaryDirectory(prefix="people-") as folder:
        file = Path(folder, "plan.json")
        sessions = {role: plan["sessions"].get(role, []) for role in ROLES}
        seconds = plan["warm_up_seconds"] + plan["seconds"]
        file.write_text(
            json.dumps(
                {
                    "session_cookie": settings.SESSION_COOKIE_NAME,
                    "csrf_cookie": settings.CSRF_COOKIE_NAME,
                    "answer": str(Path(folder, "answer.json")),
                    **plan,
                    "sessions": sessions,
                }
            )
        )
        people = sum(len(keys) for keys in sessions.values())
        command = [sys.executable, "-m", "locust", "--headless", "--only-summary", "--loglevel", "ERROR"]
        command += ["-f", str(LOCUSTFILE), "--users", str(people), "--spawn-rate", str(people)]
        subprocess.run(
            [*command, "--run-time", f"{round(seconds)}s", "--exit-code-on-error", "0"],
            env=os.environ | {"CONCUR_LOAD_PLAN": str(file)},
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=seconds + 600,  # a busy machine ends its last requests late
        )
        return json.loads(Path(folder, "answer.json").read_text())


def figures(times: list[float]) -> dict[str, float]:
    return {
        "requests": len(times),
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(statistics.quantiles([*times, *times], n=20, method="inclusive")[18], 1),
        "longest_ms": round(max(times), 1),
    }
