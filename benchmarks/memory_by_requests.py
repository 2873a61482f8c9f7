"""Measures the memory of one site process after each round of thousands of requests, without pauses between them.

    python -m benchmarks memory_by_requests [--rounds 8] [--round-seconds 60] [--database postgresql]

The requests are those of `soak`: every kind of page, reviews that are saved, downloads of a release; no uploads and no
verifications, so that the data stay the same. An hour of `soak` sends some 4,700 requests to each process. Prints the
requests so far and the process's own resident memory after each round, and the growth per 1,000 requests after the
first quarter. Writes benchmarks/results/memory_by_requests-<database>.json.
"""

import argparse
import os
import statistics
from typing import Any

from benchmarks._database import add_database
from benchmarks._people import answers
from benchmarks._results import record_on_database
from benchmarks._server import children, running_site
from benchmarks.soak import WARM_PART, own_bytes, prepared, server

PAUSE_SECONDS = {"reader": (0, 0.2), "annotator": (0, 0.2), "download": (5, 10)}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_database(parser)
    parser.set_defaults(rows=2_000, text_kb=6, plain=False, minutes=1)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--round-seconds", type=int, default=60)
    parser.add_argument("--no-write", action="store_true", help="print the result only")
    return parser.parse_args()


def rounds(given: argparse.Namespace, plan: dict[str, Any], pid: int) -> list[dict[str, float]]:
    """Return requests so far and MB of the site process: before, and after each round."""
    site = next(child for child, command in children(pid).items() if " serve " in command)
    found = [{"requests": 0, "mb": round(own_bytes(site) / 2**20, 1)}]
    for _ in range(given.rounds):
        report = answers(plan)
        count = found[-1]["requests"] + sum(report["answered"].values())
        found.append({"requests": count, "mb": round(own_bytes(site) / 2**20, 1)})
        print(f"{count:8.0f} requests  {found[-1]['mb']:7.1f} MB  {len(report['errors'])} errors", flush=True)
    return found


def growth(found: list[dict[str, float]]) -> float:
    """Return the MB per 1,000 requests after the warm-up."""
    warm = found[max(1, int(len(found) * WARM_PART)) :]
    thousands = [row["requests"] / 1000 for row in warm]
    return round(statistics.linear_regression(thousands, [row["mb"] for row in warm]).slope, 2)


def measure(given: argparse.Namespace) -> dict[str, Any]:
    from django.db import connections

    plan = prepared(given) | {"think_seconds": PAUSE_SECONDS, "seconds": given.round_seconds}
    plan["sessions"].pop("program")
    connections.close_all()
    os.environ["CONCUR_SITE_PROCESSES"] = "1"
    with running_site("--site-only") as (port, pid):
        found = rounds(given, plan | {"host": f"http://127.0.0.1:{port}"}, pid)
    return {"rounds": found, "mb_per_1000_requests": growth(found), "server": server() | {"processes": 1}}


def main() -> None:
    given = arguments()
    record_on_database(given, f"memory_by_requests-{given.database}", measure)


if __name__ == "__main__":
    main()
