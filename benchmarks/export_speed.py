"""Measures how fast a release's files are written, and how long pages take meanwhile.

    python -m benchmarks export_speed --rows 100000 --text-kb 12
    python -m benchmarks export_speed --rows 100000 --text-kb 12 --database postgresql

Fills its own database as browse_speed.py does (`--folder` keeps and reuses it, `--database postgresql` starts a
PostgreSQL), freezes all samples as one release and writes it as Parquet and as JSON Lines by the function that a worker
runs, with today's columns. Beside them a raw loop writes the same columns with nothing of the site: a cursor over one
SELECT, json.loads of a row's facts, and pyarrow's Parquet writer. Each measurement is a process of its own, so that its
memory is its own. They alternate, and the best of `--times` counts, by processor time, which other work on the machine
distorts less. A ratio is the raw loop's time over the export's; held to 0.7, and the peak of memory to 400 MB.

Then the site is started on that database with its worker. The first byte of a filtered set as NDJSON and as Parquet, by
token, is held to 200 ms. One person opens pages for `--page-seconds` (0: no site is started) without an export and
while the worker writes each format; p95 is held to twice the one without. The result goes to `--output`, by default
benchmarks/results/export_speed-<database>-<rows>.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks._database import (
    add_database,
    circumstances,
    filled,
    leave_maintenance,
    open_database,
)
from benchmarks._export_pages import pages_meanwhile, peak_of
from benchmarks._results import write_figures
from benchmarks._server import redis_server

ROOT = Path(__file__).resolve().parent.parent

NAME = "everything"
DEFINITION = {"version": 1, "seed": 0, "rules": [], "splits": {"train": 100}, "allow_leaks": True}
LEAST_RATIO, MOST_MB, MOST_PAGE_RATIO, MOST_FIRST_BYTE_MS = 0.7, 400, 2.0, 200
FETCHED_ROWS = 1000
RAW = """SELECT r.snapshot, r.split, r.reason, s.id, s.task_id, s.external_id, t.pytorch_code, b.reasoning,
    b.kernel_code, b.feedback FROM datasets_app_releaserow r JOIN datasets_app_sample s ON s.id = r.sample_id
    JOIN datasets_app_samplebody b ON b.sample_id = s.id JOIN datasets_app_taskbody t ON t.task_id = s.task_id
    WHERE r.release_id = %s ORDER BY r.position"""
OF_SELECT = (
    "split",
    "reason",
    "uuid",
    "task_id",
    "external_id",
    "pytorch_code",
    "generated_think",
    "generated_code",
)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_database(parser)
    parser.add_argument("--plain", action="store_true", default=True, help=argparse.SUPPRESS)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument(
        "--page-seconds", type=float, default=60, help="of pages without an export; 0: no pages"
    )
    parser.add_argument("-o", "--output", type=Path, help="a JSON file for the figures")
    parser.add_argument("--no-write", action="store_true", help="print the result only")
    parser.add_argument("--measure", choices=list(WRITERS), help=argparse.SUPPRESS)
    return parser.parse_args()


def write_raw(release: Any, path: Path) -> None:
    """Write the release as Parquet, as a program would that knows the tables."""
    import pyarrow as pa
    from django.db import connection, transaction
    from pyarrow.parquet import ParquetWriter

    from datasets_app.export.columns import COLUMNS
    from datasets_app.export.types import schema

    arrow = schema(COLUMNS)
    # On PostgreSQL a chunked cursor is the server's: another one would hold the whole result in memory.
    with (
        transaction.atomic(),
        connection.chunked_cursor() as cursor,
        ParquetWriter(path, arrow, compression="zstd") as writer,
    ):
        cursor.execute(RAW, [release.pk])
        while fetched := cursor.fetchmany(FETCHED_ROWS):
            rows = []
            for snapshot, *values, feedback in fetched:
                facts = json.loads(snapshot) if isinstance(snapshot, str) else snapshot
                row = {**facts, **dict(zip(OF_SELECT, values, strict=True)), "feedback": feedback}
                row["uuid"] = row["id"] = str(row["uuid"])
                row["task_id"] = str(row["task_id"])
                rows.append(row)
            writer.write_table(pa.Table.from_pylist(rows, arrow))


def write_export(format: str) -> Any:
    """Return a function that writes the release in a format, as a worker does."""

    def write(release: Any, path: Path) -> None:
        from functools import partial

        from datasets_app.export.files import write_whole
        from datasets_app.export.formats import FORMATS
        from datasets_app.export.options import DEFAULT
        from datasets_app.export.request import planned
        from datasets_app.export.write import write_rows

        for file in planned(release, FORMATS[format], DEFAULT):
            write_rows(file, partial(write_whole, path.with_name(Path(file.path).name)), lambda _: None)

    return write


WRITERS = {"raw": write_raw, "parquet": write_export("parquet"), "jsonl": write_export("jsonl")}


def measure(name: str, folder: Path) -> dict[str, float]:
    """Write the release once; return what it took of this process."""
    from datasets_app.models import Release

    release = Release.objects.get(name=NAME)
    began, worked = time.perf_counter(), time.process_time()
    WRITERS[name](release, folder / f"{name}.out")
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - worked
    peak_mb = round(
        peak_of(os.getpid())
    )  # getrusage's begins at the peak of the process that started this one
    return {"seconds": round(seconds, 2), "cpu_seconds": round(cpu_seconds, 2), "peak_mb": peak_mb}


def frozen() -> None:
    from datasets_app.accounts.actor import COMMAND
    from datasets_app.curate import freeze
    from datasets_app.curate.definition import parse
    from datasets_app.jobs import enqueue
    from datasets_app.models import Release

    if not Release.objects.filter(name=NAME).exists():
        with enqueue.suppressed():  # no worker and no broker are running
            release = freeze.create(COMMAND, name=NAME, definition=parse(DEFINITION), recipe_name="benchmark")
            freeze.run_freeze(release.pk)
    release = Release.objects.get(name=NAME)
    assert release.state == "done", release.error


def child(name: str, given: argparse.Namespace) -> dict[str, float]:
    """Measure in a process of its own, on the same database."""
    command = [sys.executable, "-m", "benchmarks", "export_speed", "--measure", name]
    place = ["--folder", str(given.folder), "--database", given.database]
    done = subprocess.run([*command, *place], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(f"{name:8} {json.dumps(found)}", flush=True)
    return found


def alternated(given: argparse.Namespace) -> dict[str, Any]:
    """Write the release by each writer in turn; return the best of each, the ratios and the peaks of memory."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in WRITERS}
    for _ in range(given.times):
        for name in WRITERS:
            runs[name].append(child(name, given))
    best = {name: min(found, key=lambda one: one["cpu_seconds"]) for name, found in runs.items()}
    return {
        "best": best,
        "ratios": {name: ratio(best, name, "cpu_seconds") for name in WRITERS if name != "raw"},
        "ratios_of_elapsed_time": {name: ratio(best, name, "seconds") for name in WRITERS if name != "raw"},
        "peak_mb": {name: max(one["peak_mb"] for one in found) for name, found in runs.items()},
    }


def ratio(best: dict[str, dict[str, float]], name: str, figure: str) -> float:
    return round(best["raw"][figure] / best[name][figure], 2)


def misses(result: dict[str, Any]) -> list[str]:
    """Return the sentences of what is held to a figure and misses it."""
    found = [
        f"{name}: {value} of the raw loop" for name, value in result["ratios"].items() if value < LEAST_RATIO
    ]
    found += [
        f"{name}: {value} MB"
        for name, value in result["peak_mb"].items()
        if name != "raw" and value > MOST_MB
    ]
    found += [
        f"first byte of {name}: p95 {one['p95_ms']} ms"
        for name, one in result.get("streams_first_byte", {}).items()
        if one["p95_ms"] > MOST_FIRST_BYTE_MS
    ]
    pages = dict(result.get("pages", {}))
    without = pages.pop("before", {})
    return found + [
        f"pages while {name} is written: p95 {one['p95_ms']} ms, {without['p95_ms']} without"
        for name, one in pages.items()
        if one["p95_ms"] > MOST_PAGE_RATIO * without["p95_ms"]
    ]


def main() -> None:
    given = arguments()
    with ExitStack() as stack:
        temporary = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="concur-export-")))
        given.folder = given.folder or temporary / "data"
        if given.measure:
            open_database(given, stack)
            print(json.dumps(measure(given.measure, given.folder)))
            return
        os.environ["REDIS_URL"] = stack.enter_context(redis_server(temporary))
        open_database(given, stack)
        filled(given)
        leave_maintenance()
        frozen()
        result = circumstances(given) | {"load_average": round(os.getloadavg()[0], 1)} | alternated(given)
        if given.page_seconds:
            result |= pages_meanwhile(NAME, given.page_seconds)
    result["held_to"] = {
        "ratio": LEAST_RATIO,
        "peak_mb": MOST_MB,
        "pages_p95_ratio": MOST_PAGE_RATIO,
        "first_byte_ms": MOST_FIRST_BYTE_MS,
    }
    result["missed"] = misses(result)
    print(json.dumps(result, indent=1))
    if not given.no_write:
        write_figures(result, given.output or f"export_speed-{given.database}-{given.rows}")


if __name__ == "__main__":
    main()
