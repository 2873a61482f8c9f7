"""Measures how many list pages per second the real server serves to eight clients on this machine."""

import statistics
from typing import Any

from benchmarks._people import answers, session_keys
from benchmarks._server import running_site
from concur_site.up import processes

CLIENTS = 8
WARM_UP_SECONDS, SECONDS = 3, 10  # each process reads the bitmaps of the counts once
PATHS = [
    "/browse/",
    "/browse/?outcome=passed",
    "/browse/?language=cuda&outcome=failed",
    "/browse/?sort=-measured",
]


def lists_a_second() -> dict[str, Any]:
    """Let clients send each next request as soon as they have an answer."""
    plan = {
        "seconds": SECONDS,
        "warm_up_seconds": WARM_UP_SECONDS,
        "think_seconds": {"reader": (0, 0)},
        "paths": {"list": PATHS},
        "sessions": {"reader": session_keys("reader", CLIENTS)},
    }
    with running_site("--site-only") as (port, _):
        report = answers(plan | {"host": f"http://127.0.0.1:{port}"})
    assert not report["errors"], report["errors"][:5]
    waited = report["times_ms"]["list"]
    return {
        "clients": CLIENTS,
        "server_processes": processes.site_processes(),
        "pages_a_second": round(len(waited) / SECONDS, 1),
        "p50_ms": round(statistics.median(waited), 1),
        "p95_ms": round(statistics.quantiles(waited, n=20)[18], 1),
        "locust_cores_used": report["cores_used"],
    }
