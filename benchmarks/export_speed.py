"""Measures how fast a release's files are written: python -m benchmarks export_speed [--rows 100000] [--text-kb 12]

Fills its own database as browse_speed.py does (`--folder` keeps and reuses it), freezes all samples as one release and
writes it as Parquet and as JSON Lines by the function that a worker runs, with today's columns. Beside them a raw loop
writes the same columns with nothing of the site: a cursor over one SELECT, json.loads of a row's facts, and pyarrow's
Parquet writer. Each measurement is a process of its own, so that its memory is its own. They alternate, and the best of
`--times` counts, by processor time, which other work on the machine distorts less. A ratio is the raw loop's time over
the export's; held to 0.7, and the peak of memory to 400 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks._database import add_database, circumstances, filled, open_database  # noqa: E402

NAME = "everything"
DEFINITION = {"version": 1, "seed": 0, "rules": [], "splits": {"train": 100}, "allow_leaks": True}
LEAST_RATIO, MOST_MB = 0.7, 400
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
    parser.add_argument("-o", "--output", type=Path, help="a JSON file for the figures")
    parser.add_argument("--measure", choices=list(WRITERS), help=argparse.SUPPRESS)
    return parser.parse_args()


def write_raw(release: Any, path: Path) -> None:
    """Write the release as Parquet, as a program would that knows the tables."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from django.db import connection

    from datasets_app.export.columns import COLUMNS
    from datasets_app.export.types import schema

    arrow = schema(COLUMNS)
    with connection.cursor() as cursor, pq.ParquetWriter(path, arrow, compression="zstd") as writer:
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
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": round(seconds, 2), "cpu_seconds": round(cpu_seconds, 2), "peak_mb": round(peak_mb)}


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


def main() -> None:
    given = arguments()
    with ExitStack() as stack:
        if given.folder is None:
            import tempfile

            given.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="concur-export-")))
        open_database(given, stack)
        if given.measure:
            print(json.dumps(measure(given.measure, given.folder)))
            return
        filled(given)
        frozen()
        runs = {name: [] for name in WRITERS}  # type: dict[str, list[dict[str, float]]]
        for _ in range(given.times):
            for name in WRITERS:
                runs[name].append(child(name, given))
    best = {name: min(found, key=lambda one: one["cpu_seconds"]) for name, found in runs.items()}
    result = {
        **circumstances(given),
        "load_average": os.getloadavg()[0],
        "best": best,
        "ratios": {
            name: round(best["raw"]["cpu_seconds"] / best[name]["cpu_seconds"], 2)
            for name in WRITERS
            if name != "raw"
        },
        "peak_mb": {name: max(one["peak_mb"] for one in found) for name, found in runs.items()},
        "held_to": {"ratio": LEAST_RATIO, "peak_mb": MOST_MB},
    }
    print(json.dumps(result, indent=1))
    if given.output:
        given.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
