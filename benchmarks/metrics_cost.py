"""What /metrics costs: counting one request, and one scrape. `python -m benchmarks.metrics_cost [--out FILE]`.

Counts in a shared file as a site process does; a scrape adds up four such files, each with as many routes as the site
has, of which a third has a second status. Needs no database and no server.
"""

import argparse
import json
import multiprocessing
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks._results import write_figures

REQUESTS = 100_000
SCRAPES = 20
PROCESSES = 4


def set_up(folder: str) -> None:
    os.environ["CONCUR_DATA_DIR"] = folder
    os.environ["DJANGO_SETTINGS_MODULE"] = "concur_site.settings"
    import django

    django.setup()


def route_names() -> list[str]:
    from django.urls import get_resolver

    return [str(name) for name in get_resolver().reverse_dict if isinstance(name, str)]


def count(folder: str, program: str) -> dict[str, float]:
    """Count as one site process; return the microseconds per request, shared and in memory."""
    set_up(folder)
    from datasets_app.counters import files, instruments

    routes = route_names()
    in_memory = per_request(instruments, "memory")
    assert files.share(program)
    for number, route in enumerate(routes):
        instruments.page(route, 200, 0.02)
        if number % 3 == 0:
            instruments.page(route, 404, 0.02)
    return {"memory_us": in_memory, "shared_us": per_request(instruments, "home"), "routes": len(routes)}


def per_request(instruments: Any, route: str) -> float:
    instruments.page(route, 200, 0.02)
    began = time.perf_counter()
    for _ in range(REQUESTS):
        instruments.page(route, 200, 0.02)
    return (time.perf_counter() - began) / REQUESTS * 1e6


def scrape_seconds(folder: str) -> tuple[list[float], int]:
    """Return the seconds of scrapes of the shared files, and the bytes of one."""
    set_up(folder)
    from prometheus_client import generate_latest

    from datasets_app.counters import files

    seconds, size = [], 0
    for _ in range(SCRAPES):
        began = time.perf_counter()
        size = len(generate_latest(files.everything()))
        seconds.append(time.perf_counter() - began)
    return seconds, size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        counted = []
        for number in range(1, PROCESSES + 1):
            with spawn.Pool(1) as pool:
                counted.append(pool.apply(count, (folder, f"site-{number}")))
        with spawn.Pool(1) as pool:
            seconds, size = pool.apply(scrape_seconds, (folder,))
    result = {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "requests": REQUESTS,
        "microseconds_per_request_shared": round(statistics.median(one["shared_us"] for one in counted), 2),
        "microseconds_per_request_in_memory": round(
            statistics.median(one["memory_us"] for one in counted), 2
        ),
        "processes": PROCESSES,
        "routes": counted[0]["routes"],
        "scrape_of_the_files_ms_median": round(1000 * statistics.median(seconds), 1),
        "scrape_of_the_files_ms_max": round(1000 * max(seconds), 1),
        "scrape_bytes": size,
    }
    print(json.dumps(result, indent=1))
    if options.out:
        write_figures(result, options.out)


if __name__ == "__main__":
    main()
