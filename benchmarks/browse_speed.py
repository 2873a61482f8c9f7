"""Measures the server time of the browsing pages over rows of realistic size and skew, and the ingest speed.

    python -m benchmarks browse_speed --rows 100000 --text-kb 12
    python -m benchmarks browse_speed --rows 1000000 --text-kb 1 --plain --database postgresql

Creates a database in a new folder (`--folder` keeps and reuses it), fills it through the real ingest while
another process reads, then measures whole requests in this process: middleware, view, template, no network.
Finally eight clients request lists from a real server. Prints targets against figures; writes
benchmarks/results/browse_speed-<vendor>-<rows>.json.
"""

import argparse
import json
import os
import random
import statistics
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks._database import add_database, circumstances, filled, open_database
from benchmarks._results import write_figures
from benchmarks._targets import PEERS, TARGETS_MS, missed, table

ROOT = Path(__file__).resolve().parent.parent


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_database(parser)
    parser.add_argument("--requests", type=int, default=60, help="for each case")
    parser.add_argument("--plain", action="store_true", help="fill by plain INSERTs and time the pages alone")
    parser.add_argument("--only", default="", help="cases whose name holds this; nothing is written then")
    return parser.parse_args()


# --- The requests ---------------------------------------------------------------------------------------


def cases(rows: int) -> dict[str, list[str]]:
    """Map each name to its addresses, which are requested in rotation."""
    from benchmarks._triples import COMMON
    from datasets_app.models import Sample, Task

    some = random.Random(3)
    ids = list(Sample.objects.order_by("id").values_list("pk", flat=True)[:: max(1, rows // 40)])
    task_ids = list(Task.objects.order_by("id").values_list("pk", flat=True)[:40])
    rare = [f"word_{some.randint(20_000, 39_999)}" for _ in range(40)]
    bounds = [
        f"tokens_max=%3C{some.randint(500, 4000)}&speedup_min={some.random() * 3:.2f}" for _ in range(20)
    ]
    return {
        "browse, with facets": ["/browse/"],
        "browse, three filters": [
            "/browse/?outcome=passed&language=cuda&generator=qwq-32b",
            "/browse/?outcome=failed&device=H200&source=CUDA-L1",
            "/browse/?verdict=accept&kind=matmul&language=triton",
            "/browse/?outcome=cheated&generator=lab-model-14&source=scraped",
        ],
        "browse, an operator and a finding": ["/browse/?operator=softmax&finding=large_speedup"],
        "browse, ranges, by speedup": [f"/browse/?{bound}&sort=-measured" for bound in bounds],
        "browse, by task name": ["/browse/?sort=task", "/browse/?sort=-task&language=cpp"],
        "browse, by trace length, failed": ["/browse/?sort=-tokens&outcome=failed&has_trace=yes"],
        "browse, a range's histogram": [
            "/browse/histogram/tokens/",
            "/browse/histogram/speedup/?outcome=passed&language=cuda",
            f"/browse/histogram/claimed/?q={COMMON[0]}",
        ],
        "browse, deep in the list": [
            f"/browse/?cursor={deep_cursor(rows)}",
            f"/browse/?cursor={deep_cursor(rows)}&operator=softmax&outcome=failed",
        ],
        "search, rare word": [f"/browse/?q={word}" for word in rare],
        "search, common word": [f"/browse/?q={word}" for word in COMMON],
        "search, common word and a filter": [f"/browse/?q={word}&outcome=passed" for word in COMMON],
        "search in code, rare part": [
            f"/browse/?code=ernel_{some.randint(10_000, 99_999)}" for _ in range(40)
        ],
        "search in code, common part": [
            *(
                "/browse/?code=__glob",
                "/browse/?code=at4+",
                "/browse/?code=x%5Bi%5D+*+",
                "/browse/?code=rd_12",
            ),
            *("/browse/?icode=GRIDDIM.X", "/browse/?code=torch.relu(x&outcome=passed"),
        ],
        "search, phrase": ["/browse/?q=%22shared+memory%22", "/browse/?q=%22warp+coalesced%22"],
        "sample page": [f"/samples/{pk}/?in=outcome%3Dpassed" for pk in ids],
        "sample page, with its neighbours": [f"/samples/{pk}/?neighbours=show" for pk in ids],
        "task page": [f"/tasks/{pk}/" for pk in task_ids],
        "home page": ["/"],
        "review queue": ["/review/", "/review/?outcome=passed&language=cuda", f"/review/?q={COMMON[1]}"],
        "analysis page": ["/analysis/", "/analysis/?outcome=passed&language=cuda"],
        "/api/v1/stats/": ["/api/v1/stats/"],
        "/api/v1/samples/, 100 rows": ["/api/v1/samples/", "/api/v1/samples/?outcome=passed"],
        "/api/v1/samples/?q=, 100 rows": [f"/api/v1/samples/?q={word}" for word in COMMON],
    }


def deep_cursor(rows: int) -> str:
    from datasets_app.browse.list.sorting import SAMPLE_SORTS, position
    from datasets_app.models import Sample

    sort = SAMPLE_SORTS["created"]
    return position(sort, sort.apply(Sample.objects.all())[rows * 2 // 3])


def timed(client: Any, urls: list[str], requests: int) -> dict[str, float]:
    """Return p50 and p95 in ms, of wall time and of processor time, which load distorts less."""
    for url in urls[:3]:
        client.get(url)
    times, worked = [], []
    for number in range(requests):
        started, work_started = time.perf_counter(), time.process_time()
        response = client.get(urls[number % len(urls)])
        times.append((time.perf_counter() - started) * 1000)
        worked.append((time.process_time() - work_started) * 1000)
        assert response.status_code == 200, (urls[number % len(urls)], response.status_code)
    return {
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(statistics.quantiles(times, n=20)[18], 1),
        "cpu_p50_ms": round(statistics.median(worked), 1),
        "cpu_p95_ms": round(statistics.quantiles(worked, n=20)[18], 1),
    }


def time_pages(given: argparse.Namespace) -> dict[str, dict[str, float]]:
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get_or_create(username="bench-admin", is_superuser=True)[0])
    addresses = cases(given.rows)
    # The first requests of a process read the bitmaps of the counts and wait for a child that analyses texts.
    for address in ("/browse/", addresses["sample page"][0]):
        client.get(address)
    timings = {}
    print(f"{'':36}      p50      p95  cpu p50  cpu p95   (ms)")
    for name, urls in addresses.items():
        if given.only in name:
            timings[name] = timed(client, urls, given.requests)
            shown = " ".join(f"{value:8}" for value in timings[name].values())
            print(f"{name:36} {shown}   {missed(name, timings[name], given.rows)}", flush=True)
    return timings


def main() -> None:
    given = arguments()
    with ExitStack() as stack:
        open_database(given, stack)
        measure(given)


def measure(given: argparse.Namespace) -> None:
    from django.db import connection

    import concur_site.wsgi  # noqa: F401  loads what a server process loads
    from benchmarks._clients import lists_a_second

    cost = filled(given)
    print(f"{connection.vendor}, {given.rows:,} rows of {given.text_kb:g} KB; ingest: {json.dumps(cost)}")
    result = circumstances(given) | {
        "load_average_before": [round(value, 1) for value in os.getloadavg()],
        "requests_a_case": given.requests,
        "ingest": cost,
        "pages": time_pages(given),
    }
    if given.only:
        return
    result["eight_clients"] = lists_a_second()
    result |= {"load_average_after": [round(value, 1) for value in os.getloadavg()]}
    result |= {"targets_ms_at_100000_rows": TARGETS_MS, "peers_at_100000_rows": PEERS}
    path = write_figures(result, f"browse_speed-{connection.vendor}-{given.rows}")
    print(f"\n{table(result)}\n\nwritten to {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
