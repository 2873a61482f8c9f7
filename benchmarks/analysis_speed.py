# ruff: noqa: E402  Django must be set up before its models are imported
"""Measures each figure of the analysis page over many samples: python -m benchmarks.analysis_speed [--rows N]

Rows hold only scalars, with evidence on one device, because the figures read nothing else. CONCUR_DATA_DIR
names an empty folder to create them in.
"""

import argparse
import os
import random
import statistics
import sys
import time
import uuid
from datetime import UTC, datetime

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")

import django

django.setup()

from django.core.management import call_command
from django.db import connection

from benchmarks._results import write_figures
from datasets_app.analysis.figures import FIGURES
from datasets_app.browse.query import BrowseFilter
from datasets_app.models import (
    DECIDING,
    CodeShape,
    Evidence,
    KernelFingerprint,
    Sample,
    Source,
    Task,
    Verification,
)

SAMPLES_A_TASK = 5
BATCH = 5000
OUTCOMES = (
    ["passed"] * 6 + ["wrong_value"] * 4 + ["build_error"] * 3 + ["cheated", "timeout", "infra_error", ""]
)
GENERATORS = ["kevin-32b", "qwq-32b", "claude", "gpt", "ours"]
FILTERS = {"all": {}, "three filters": {"language": "cuda", "generator": "kevin-32b", "outcome": "passed"}}
RUNS = 5
DEVICE = "NVIDIA H200"


def fill(rows: int, draw: random.Random) -> None:
    source = Source.objects.create(name="bench", licence="MIT")
    tasks = [
        Task(id=uuid.UUID(int=at + 1), name=f"task {at}", source=source)
        for at in range(rows // SAMPLES_A_TASK)
    ]
    Task.objects.bulk_create(tasks, batch_size=BATCH)
    shapes = [
        CodeShape(sha256=f"{at:064x}", shingle_count=1, shingles=b"", signature=b"")
        for at in range(rows // 4)
    ]
    CodeShape.objects.bulk_create(shapes, batch_size=BATCH)
    for start in range(0, rows, BATCH):
        samples = [sample(at, tasks, source, draw) for at in range(start, min(rows, start + BATCH))]
        Sample.objects.bulk_create(samples)
        add_evidence([row for row in samples if row.outcome in DECIDING])
        prints = [(row, shapes[int(len(shapes) * draw.random() ** 3)]) for row in samples]
        KernelFingerprint.objects.bulk_create(
            KernelFingerprint(
                sample=row, sha256=f"{draw.getrandbits(256):064x}", shape=shape, cluster=shape.sha256[-12:]
            )
            for row, shape in prints
        )


def add_evidence(samples: list[Sample]) -> None:
    runs = [
        Verification(
            sample=sample,
            wanted_device="cuda",
            device=sample.device,
            state="done",
            outcome=sample.outcome,
            speedup=sample.measured_speedup,
            finished_at=sample.verified_at,
        )
        for sample in samples
    ]
    Verification.objects.bulk_create(runs)
    Evidence.objects.bulk_create(
        Evidence(
            sample_id=run.sample_id,
            verification=run,
            device=run.device,
            kind=run.wanted_device,
            outcome=run.outcome,
            speedup=run.speedup,
            profile=run.profile,
            finished_at=run.finished_at,
            is_headline=True,
        )
        for run in runs
    )


def sample(at: int, tasks: list[Task], source: Source, draw: random.Random) -> Sample:
    outcome = draw.choice(OUTCOMES)
    return Sample(
        id=uuid.UUID(int=draw.getrandbits(128)),
        task=tasks[at // SAMPLES_A_TASK],
        source=source,
        generator=draw.choice(GENERATORS),
        language=draw.choice(["cuda"] * 8 + ["triton", "cpp"]),
        has_trace=True,
        trace_tokens=int(draw.lognormvariate(8.3, 0.7)),
        tokenizer="bench",
        outcome=outcome,
        verified_at=datetime(2026, 1, 1, tzinfo=UTC) if outcome else None,
        measured_speedup=draw.lognormvariate(0.2, 0.6) if outcome == "passed" else None,
        claimed_speedup=draw.lognormvariate(0.4, 0.7) if draw.random() < 0.7 else None,
        device=DEVICE if outcome else "",
    )


def timed(name: str, chosen: BrowseFilter) -> dict[str, float]:
    """Return the median wall time and the median processor time of this process, in milliseconds."""
    wall, work = [], []
    for _ in range(RUNS):
        started, work_started = time.perf_counter(), time.process_time()
        FIGURES[name](chosen.queryset().with_result_on(DEVICE), "")
        wall.append((time.perf_counter() - started) * 1000)
        work.append((time.process_time() - work_started) * 1000)
    return {"median_ms": round(statistics.median(wall), 1), "cpu_ms": round(statistics.median(work), 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    rows = parser.parse_args().rows
    call_command("migrate", verbosity=0)
    if Sample.objects.exists():
        sys.exit("This database has samples already; the benchmark wants an empty one.")
    fill(rows, random.Random(5))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    result = {"database": connection.vendor, "rows": rows, "load_average": os.getloadavg()[0], "figures": {}}
    for words, params in FILTERS.items():
        chosen = BrowseFilter.from_params(params)
        for name in FIGURES:
            result["figures"][f"{name}, {words}"] = timing = timed(name, chosen)
            print(f"{name:22} {words:14} {timing['median_ms']:8} ms, {timing['cpu_ms']:8} ms of this process")
    write_figures(result, f"analysis_speed-{connection.vendor}-{rows}")


if __name__ == "__main__":
    main()
