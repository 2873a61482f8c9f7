"""Measures the ingest: triples per second with all indexing included, memory over time, delays for others.

    python -m benchmarks ingest_speed --rows 5000,20000,100000
    python -m benchmarks ingest_speed --rows 20000 --database postgresql

Each number of rows is ingested through the real ingest into an empty database by a separate process, so that
its peak memory is its own; six files, one after another, the first with half of the rows. Each runs twice:
alone, to measure the speed, and observed. Then a second process requests list pages and a third writes, 10
times per second; the same two are timed without the ingest too, because a busy machine slows them as well.
Finally each stage is timed by the processor time of its thread. The full-text index and the facet index are
included. On PostgreSQL a separate process indexes the texts, as on a site; the result has its delay after the
end of the ingest. Similar kernels are indexed later in the background, as on a site, and are not timed.
Writes benchmarks/results/ingest_speed-<vendor>.json.
"""

import argparse
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks._database import open_database
from benchmarks._results import write_figures

ROOT = Path(__file__).resolve().parent.parent

TARGETS = {"rows_a_second": 2500, "readers_longest_ms": 200}
PACKAGES = ("django", "orjson", "psycopg", "pyarrow", "tokenizers")
STAGE_ROWS = 10_000
QUIET_SECONDS = 5.0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--rows", default="5000,20000,60000", help="numbers of rows, each a run of its own")
    parser.add_argument(
        "--text-kb", type=float, default=12, help="program, trace and kernel of a row together"
    )
    parser.add_argument("--one", choices=["alone", "watched", "staged"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    given = arguments()
    if given.one:
        sys.stdout.write(json.dumps(one_run(given)) + "\n")
        return
    result = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "versions": {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            **{name: version(name) for name in PACKAGES},
        },
        "database": given.database,
        "text_kb": given.text_kb,
        "targets": TARGETS,
        "load_average_before": load(),
        "alone": {rows: child(given, "alone", int(rows)) for rows in given.rows.split(",")},
        "watched": {rows: child(given, "watched", int(rows)) for rows in given.rows.split(",")},
        "cpu_us_a_row_by_stage": child(given, "staged", STAGE_ROWS),
        "load_average_after": load(),
    }
    result["ratios"] = ratios(result["alone"], result["watched"])
    path = write_figures(result, f"ingest_speed-{given.database}")
    print(f"written to {path.relative_to(ROOT)}")


def load() -> list[float]:
    return [round(value, 1) for value in os.getloadavg()]


def child(given: argparse.Namespace, kind: str, rows: int) -> dict[str, Any]:
    """Run one case in a separate process; return its result."""
    options = [
        "--one",
        kind,
        "--rows",
        str(rows),
        "--text-kb",
        str(given.text_kb),
        "--database",
        given.database,
    ]
    command = [sys.executable, "-m", "benchmarks", "ingest_speed", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    report: dict[str, Any] = json.loads(done.stdout)
    print(f"{rows:,} rows, {kind}: {json.dumps(report)}")
    return report


def ratios(alone: dict[str, dict[str, Any]], watched: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return ratios to the targets, of the most to the fewest rows, and of reads with and without ingest."""
    first, *_, last = [*alone.values(), *alone.values()]
    *_, seen = watched.values()
    return {
        "speed_of_target": {rows: of_target(run) for rows, run in alone.items()},
        "speed_of_target_when_watched": {rows: of_target(run) for rows, run in watched.items()},
        "peak_memory_most_rows_to_fewest": round(last["peak_mb"] / first["peak_mb"], 2),
        "readers_p50_beside_ingest_to_quiet": round(
            seen["beside_it"]["read"]["p50_ms"] / seen["quiet"]["read"]["p50_ms"], 2
        ),
    }


def of_target(run: dict[str, Any]) -> float:
    return round(run["rows_a_second"] / TARGETS["rows_a_second"], 2)


def one_run(given: argparse.Namespace) -> dict[str, Any]:
    with ExitStack() as stack:
        open_database(given, stack)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="triples-")))
        kinds = {"alone": alone, "watched": watched, "staged": staged}
        return kinds[given.one](int(given.rows), given.text_kb, folder)


def alone(rows: int, text_kb: float, folder: Path) -> dict[str, Any]:
    from benchmarks._filling import ingest
    from benchmarks._triples import Maker

    files = Maker(7, text_kb).files(folder, rows)
    with TextIndexer(folder) as indexer:
        report = ingest(files, rows)
    return {**report, "search_complete_seconds_later": indexer.seconds}


class TextIndexer:
    """Indexes new texts for search beside an ingest; SQLite indexes them when they are stored."""

    seconds = 0.0  # from the end of the ingest until the last text is searchable

    def __init__(self, folder: Path) -> None:
        self.stop = folder / "stop-indexing"

    def __enter__(self) -> "TextIndexer":
        script = Path(__file__).with_name("_text_indexer.py")
        self.process = subprocess.Popen([sys.executable, script, self.stop])
        return self

    def __exit__(self, *_: object) -> None:
        begun = time.perf_counter()
        self.stop.touch()
        self.process.wait()
        self.seconds = round(time.perf_counter() - begun, 1)


def watched(rows: int, text_kb: float, folder: Path) -> dict[str, Any]:
    from benchmarks._filling import ingest
    from benchmarks._triples import Maker

    files = Maker(7, text_kb).files(folder, rows)
    beside: dict[str, Any] = {}
    report = watch(folder, beside, lambda: ingest(files, rows))
    quiet: dict[str, Any] = {}
    watch(folder, quiet, lambda: time.sleep(QUIET_SECONDS))
    return {**report, "beside_it": beside, "quiet": quiet}


def watch(folder: Path, seen: dict[str, Any], work: Callable[[], Any]) -> Any:
    """Return the result of `work`; store in `seen` how long a reader and another writer waited meanwhile."""
    from benchmarks._filling import Watch

    with tempfile.TemporaryDirectory(dir=folder) as notes:
        with Watch(Path(notes), "read") as reader, Watch(Path(notes), "write") as writer:
            result = work()
        seen |= {"read": reader.seen, "write": writer.seen}
    return result


# --- Stages ----------------------------------------------------------------------------------------------------


def staged(rows: int, text_kb: float, folder: Path) -> dict[str, Any]:
    """Return processor microseconds per row for each stage in its own thread, and the longest transaction."""
    from benchmarks._filling import ingest
    from benchmarks._triples import Maker

    files = Maker(7, text_kb).files(folder, rows)
    seconds: dict[str, float] = defaultdict(float)
    longest: dict[str, float] = defaultdict(float)
    for name, (place, attribute) in stages().items():
        setattr(place, attribute, clocked(getattr(place, attribute), name, seconds, longest))
    ingest(files, rows)
    costs: dict[str, Any] = {name: round(spent / rows * 1e6) for name, spent in seconds.items()}
    wanted = ("storing thread: transactions of rows", "storing thread: the counts' bits")
    return {**costs, "longest_transaction_ms": round(max(longest[name] for name in wanted) * 1000)}


def stages() -> dict[str, tuple[Any, str]]:
    """Map stage names to the location of their functions; the name shows which stages are nested."""
    import datasets_app.ingest.run as ingest_run
    from datasets_app.db import bulk_insert, facet_index
    from datasets_app.ingest import prefetch, registry, row_batches, text_tables, writer
    from datasets_app.ingest.readers.workbench import WorkbenchReader

    return {
        "reading thread: all": (prefetch, "make"),
        "reading thread: parsing a line": (text_tables, "json_line"),
        "reading thread: values of a row": (WorkbenchReader, "row"),
        "reading thread: checking programs": (registry, "checked"),
        "reading thread: ids": (row_batches, "sample_id"),
        "reading thread: counting tokens": (row_batches, "count_all"),
        "storing thread: transactions of rows": (ingest_run, "store"),
        "storing thread: finding what is new": (writer, "NewRows"),
        "storing thread: tasks": (writer, "write_tasks"),
        "storing thread: samples with their words": (writer, "write_samples"),
        "storing thread: of both, SQL": (bulk_insert, "write"),
        "storing thread: the counts' bits": (facet_index, "compact_if_due"),
    }


def clocked(
    function: Callable[..., Any], name: str, seconds: dict[str, float], longest: dict[str, float]
) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        begun, work_begun = time.perf_counter(), time.thread_time()
        try:
            return function(*args, **kwargs)
        finally:
            seconds[name] += time.thread_time() - work_begun
            longest[name] = max(longest[name], time.perf_counter() - begun)

    return run


if __name__ == "__main__":
    main()
