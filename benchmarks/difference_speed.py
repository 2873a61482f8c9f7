"""Measures the page that says how two releases differ, and the file with every row that does.

    python -m benchmarks difference_speed --rows 100000 --folder KEPT
    python -m benchmarks difference_speed --rows 100000 --folder KEPT --database postgresql

Fills its own database by plain INSERTs, freezes all samples as `before`, changes the generator of every tenth one, and
freezes `after`. Rows removed are those of `fewer`, whose recipe drops a language. Each pair's page is opened for the
first time, which compares every row, held to a second; then again, and the file is read to its end. Prints wall and
processor seconds of this process, without PostgreSQL's, and the peak of its memory. The shortest of some runs counts,
and the longest stands beside it.
"""

import argparse
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks._database import add_database, circumstances, filled, open_database
from benchmarks._export_pages import peak_of
from benchmarks._results import write_figures

TARGET_SECONDS = 1.0
RUNS = 5
ALL = {"version": 1, "seed": 0, "rules": [], "splits": {"train": 100}, "allow_leaks": True}
NO_TRITON = ALL | {"rules": [{"rule": "language", "languages": ["cuda", "cpp", "python", "hip", "sass"]}]}
EVERY = 10  # one sample in so many is changed
PAIRS = {"changed": ("after", "before"), "removed": ("fewer", "after")}


def frozen(name: str, definition: dict[str, Any]) -> None:
    from datasets_app.accounts.actor import COMMAND
    from datasets_app.curate import freeze
    from datasets_app.curate.definition import parse
    from datasets_app.jobs import enqueue
    from datasets_app.models import Release

    with enqueue.suppressed():  # no worker and no broker are running
        release = freeze.create(COMMAND, name=name, definition=parse(definition), recipe_name="benchmark")
        freeze.run_freeze(release.pk)
    release = Release.objects.get(name=name)
    assert release.state == "done", release.error


def prepare() -> None:
    """Freeze the releases, unless a kept folder has them."""
    from datasets_app.db import analyze_tables
    from datasets_app.models import Release, Sample

    done = set(Release.objects.values_list("name", flat=True))
    if "before" not in done:
        frozen("before", ALL)
    if "after" not in done:
        ids = list(Sample.objects.order_by("id").values_list("pk", flat=True))[::EVERY]
        for start in range(0, len(ids), 500):
            Sample.objects.filter(pk__in=ids[start : start + 500]).update(generator="changed")
        frozen("after", ALL)
    if "fewer" not in done:
        frozen("fewer", NO_TRITON)
    analyze_tables.refresh()


def measure_pair(client: Any, kind: str, names: tuple[str, str]) -> dict[str, Any]:
    from datasets_app.curate.difference import compared

    release, other = names
    path = f"/releases/{release}/difference/"

    def page() -> Any:
        return client.get(path, {"from": other, "kind": kind})

    def first_page() -> Any:
        compared.cache_clear()
        return page()

    def file() -> Any:
        answer = client.get(f"{path}rows.jsonl", {"from": other})
        return answer, sum(map(len, answer.streaming_content))

    answer, size = file()
    return {
        "counts": {name: int(answer[f"X-{name.capitalize()}"]) for name in ("added", "removed", "changed")},
        "first_page": best(first_page),
        "further_page": best(page),
        "file": best(file) | {"mb": round(size / 2**20, 1)},
    }


def best(work: Any) -> dict[str, float]:
    """Return the least wall and processor seconds of several runs: other work on the machine only adds to them."""
    seconds, cpu_seconds = [], []
    for _ in range(RUNS):
        began, worked = time.perf_counter(), time.process_time()
        work()
        seconds.append(round(time.perf_counter() - began, 2))
        cpu_seconds.append(round(time.process_time() - worked, 2))
    return {"seconds": min(seconds), "longest_seconds": max(seconds), "cpu_seconds": min(cpu_seconds)}


def measure() -> dict[str, Any]:
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get_or_create(username="bench-admin", is_superuser=True)[0])
    client.get("/releases/")
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is that of freezing
    found = {kind: measure_pair(client, kind, names) for kind, names in PAIRS.items()}
    return {"pairs": found, "peak_mb": round(peak_of(os.getpid()))}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_database(parser)
    parser.set_defaults(rows=100_000, text_kb=1, plain=True)
    parser.add_argument("--no-write", action="store_true", help="print the result only")
    given = parser.parse_args()
    with ExitStack() as stack:
        open_database(given, stack)
        filled(given)
        prepare()
        load = os.getloadavg()[0]
        figures = circumstances(given) | {"load_average_before": round(load, 1), **measure()}
    for kind, pair in figures["pairs"].items():
        print(f"{kind}: {pair}")
        met = pair["first_page"]["seconds"] <= TARGET_SECONDS
        print(f"  first page {pair['first_page']['seconds']} s ({'met' if met else 'NOT MET'})")
    print(f"peak {figures['peak_mb']} MB, load {figures['load_average_before']}")
    if not given.no_write:
        write_figures(figures, f"difference_speed-{given.database}-{given.rows}")


if __name__ == "__main__":
    main()
