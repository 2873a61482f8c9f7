"""Fills a benchmark's database through the real ingest, observed by another process, then adds evidence."""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Count
from django.utils import timezone

from benchmarks._triples import OPERATORS, SOURCES, Maker
from datasets_app.accounts.actor import SITE
from datasets_app.db.facet_index import rebuild
from datasets_app.evidence.record import refresh
from datasets_app.ingest import IncomingFile, Provenance, run_ingest, start_ingests
from datasets_app.jobs import enqueue
from datasets_app.models import (
    EvidenceDevice,
    Finding,
    Operator,
    Sample,
    SampleBody,
    Source,
    Task,
    TaskBody,
    TaskKind,
    Verification,
)
from datasets_app.models.identity import sample_id, task_id

EVIDENCE_COLUMNS = ("outcome", "measured_speedup", "device", "verified_at", "verdict", "reviewed_at")
AT_ONCE = 1000


def fill(rows: int, text_kb: float) -> dict[str, Any]:
    """Ingest `rows` triples, then store outcomes, verdicts and findings; return the cost of the ingest."""
    maker = Maker(7, text_kb)
    with tempfile.TemporaryDirectory(prefix="triples-") as folder:
        files = maker.files(Path(folder), rows)
        print(f"made {rows:,} rows", file=sys.stderr)
        with Watch(Path(folder)) as watch:
            result = ingest(files, rows)
    verify(maker)
    return {**result, "readers_meanwhile": watch.seen}


def ingest(files: dict[str, Path], rows: int) -> dict[str, Any]:
    """Ingest through the same function as a worker: read, check, store, index."""
    begun, work_begun, own_begun = time.perf_counter(), time.process_time(), time.thread_time()
    memory = []
    for source, path in files.items():
        file = IncomingFile(path, path.name, "workbench", Provenance(source, "", "MIT"))
        [ingest_row] = start_ingests([file], SITE, in_background=False)
        with enqueue.suppressed():  # no worker and no broker are running
            run_ingest(ingest_row.pk)
        ingest_row.refresh_from_db()
        assert not ingest_row.refused, ingest_row.error
        memory.append(rss_mb())
        print(f"{source}: {ingest_row.rows:,} rows, {ingest_row.state}", file=sys.stderr)
    assert Sample.objects.count() == rows, (Sample.objects.count(), rows)
    seconds, worked = time.perf_counter() - begun, time.process_time() - work_begun
    storing = time.thread_time() - own_begun
    spent = {
        "storing": storing,
        "other threads": worked - storing,  # one reads, checks and counts, one writes SQLite's log back
    }
    return {
        "rows_a_second": round(rows / seconds),
        "rows_a_cpu_second": round(rows / worked),  # excludes PostgreSQL's own work
        "cpu_us_a_row": {what: round(seconds / rows * 1e6) for what, seconds in spent.items()},
        "resident_mb_after_each_file": memory,
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def rss_mb() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * resource.getpagesize() / 2**20)


class Watch:
    """A separate process that requests list pages, or writes rows, while data is being written."""

    def __init__(self, folder: Path, what: str = "read") -> None:
        self.what = what
        self.answer = folder / f"{what}.json"
        self.stop = folder / f"stop-{what}"
        self.started = folder / f"started-{what}"
        self.seen: dict[str, Any] = {}

    def __enter__(self) -> "Watch":
        script = Path(__file__).with_name("_reading.py")
        names = (self.answer, self.stop, self.started)
        self.process = subprocess.Popen([sys.executable, script, self.what, *names])
        while not self.started.exists():
            time.sleep(0.05)
            assert self.process.poll() is None, "the process that looks on has ended"
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.touch()
        self.process.wait(timeout=120)
        self.seen = json.loads(self.answer.read_text())


# --- A million rows: stored by plain INSERTs under the same triggers and indexes, with evidence; not timed


def fill_plainly(rows: int, text_kb: float) -> dict[str, Any]:
    """Fill the database without the ingest, for sizes at which only the pages are measured."""
    maker, now = Maker(7, text_kb), timezone.now()
    sources = [Source.objects.create(name=name, licence="MIT") for name in SOURCES]
    operators = {name: Operator.objects.create(name=name) for name in OPERATORS}
    numbered = enumerate(maker.rows(range(rows)))
    while batch := list(islice(numbered, AT_ONCE * 5)):
        with transaction.atomic():
            store(batch, maker, sources, operators, now)
        if batch[-1][0] % 50_000 < AT_ONCE * 5:
            print(f"{batch[-1][0] + 1:,} rows", file=sys.stderr, flush=True)
    add_devices()
    rebuild()
    return {"by": "plain INSERTs, not timed"}


def store(batch, maker: Maker, sources, operators, now) -> None:
    tasks, samples, bodies, judged = {}, [], [], []
    for number, row in batch:
        task = task_id(row["pytorch_code"])
        tasks[task] = row
        pk = sample_id(row["pytorch_code"], row["reasoning"], row["kernel_code"])
        evidence = maker.evidence(pk, now)
        samples.append(
            plain_sample(pk, task, row, evidence, sources[maker.random.getrandbits(8) % 6], now, number)
        )
        bodies.append(SampleBody(sample_id=pk, reasoning=row["reasoning"], kernel_code=row["kernel_code"]))
        if evidence["finding"]:
            judged.append(evidence)
    insert_tasks(tasks, sources[0], operators)
    Sample.objects.bulk_create(samples)
    SampleBody.objects.bulk_create(bodies)
    Finding.objects.bulk_create(findings(judged))


def insert_tasks(tasks: dict[Any, dict[str, Any]], source: Source, operators: dict[str, Operator]) -> None:
    names = {pk: row["task_name"] for pk, row in tasks.items()}
    new = set(tasks) - set(Task.objects.filter(pk__in=tasks).values_list("pk", flat=True))
    kinds = list(TaskKind.values)
    Task.objects.bulk_create(
        Task(
            id=pk,
            name=names[pk],
            kind=kinds[len(names[pk]) % len(kinds)],
            suite=tasks[pk]["suite"],
            source=source,
        )
        for pk in new
    )
    TaskBody.objects.bulk_create(TaskBody(task_id=pk, pytorch_code=tasks[pk]["pytorch_code"]) for pk in new)
    link = Task.operators.through
    called = {(pk, name) for pk in new for name in operators if f"torch.{name}(" in tasks[pk]["pytorch_code"]}
    link.objects.bulk_create(link(task_id=pk, operator=operators[name]) for pk, name in called)


def plain_sample(pk, task, row, evidence, source: Source, now, number: int) -> Sample:
    words = len(row["reasoning"].split())
    return Sample(
        id=pk,
        task_id=task,
        source=source,
        generator=row["generator"],
        language=row["language"],
        has_trace=bool(words),
        trace_tokens=words * 12 or None,  # as long as the trace would be at full size
        kernel_bytes=len(row["kernel_code"]),
        claimed_speedup=row["claimed_speedup"],
        **{name: evidence[name] for name in EVIDENCE_COLUMNS},
    )


# --- Evidence ---


def add_devices() -> None:
    """Register the devices, as real evidence does; the one with the most samples is the reference device."""
    rows = Sample.objects.exclude(device="").order_by().values_list("device").annotate(n=Count("pk"))
    EvidenceDevice.objects.bulk_create(
        EvidenceDevice(name=name, kind="cuda", verifications=n) for name, n in rows
    )


def verify(maker: Maker) -> None:
    """Set outcomes on the rows that lists read, with a finished verification each, and findings."""
    now = timezone.now()
    ids = iter(list(Sample.objects.order_by("id").values_list("pk", flat=True)))
    while batch := list(islice(ids, AT_ONCE)):
        evidence = [maker.evidence(pk, now) for pk in batch]
        with transaction.atomic():
            update_samples(evidence)
            Finding.objects.bulk_create(findings([entry for entry in evidence if entry["outcome"]]))
            refresh(batch)


def update_samples(evidence: list[dict[str, Any]]) -> None:
    columns = ", ".join(f"{name} = %s" for name in EVIDENCE_COLUMNS)
    field = Sample._meta.get_field
    values = [
        [
            *(field(name).get_db_prep_save(entry[name], connection) for name in EVIDENCE_COLUMNS),
            field("id").get_db_prep_save(entry["pk"], connection),
        ]
        for entry in evidence
    ]
    with connection.cursor() as cursor:
        cursor.executemany(f"UPDATE datasets_app_sample SET {columns} WHERE id = %s", values)


def findings(evidence: list[dict[str, Any]]) -> Iterator[Finding]:
    runs = Verification.objects.bulk_create(
        Verification(
            sample_id=entry["pk"],
            wanted_device="cuda",
            state="done",
            outcome=entry["outcome"],
            speedup=entry["measured_speedup"],
            device=entry["device"],
            started_at=entry["verified_at"],
            finished_at=entry["verified_at"],
        )
        for entry in evidence
    )
    for row, entry in zip(runs, evidence, strict=True):
        if entry["finding"]:
            yield Finding(verification=row, code=entry["finding"], severity="label")
