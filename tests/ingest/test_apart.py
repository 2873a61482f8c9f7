"""A large file is read by a process of its own; what goes in is the same, and the process never outlives its work."""

import os
import signal
from collections.abc import Callable
from contextlib import closing

import pytest

from datasets_app.ingest import caps, running
from datasets_app.ingest.apart import ReadingProcess, is_worth_it
from datasets_app.ingest.recognition import recognise
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.source_file import SourceFile
from datasets_app.models import RefusedRow, Sample, SampleBody, Task
from tests.ingest.conftest import concur_row, ingest_file, workbench_row, write_lines

COUNTS = ("rows", "new_tasks", "new_samples", "task_only_rows", "duplicates", "refused", "state", "error")


@pytest.fixture
def apart(monkeypatch):
    monkeypatch.setattr(caps, "APART_FROM_BYTES", 1)


def reading(path, counted: int = 0) -> ReadingProcess:
    file = SourceFile(path, path.name)
    return ReadingProcess(file, recognise(file), counted)


def mixed(path):
    """Rows of every fate: new, again, refused by field, by line and as no JSON; with a parent that comes later."""
    rows = [
        workbench_row(1, name="child", parent="root", further=2**70, note="\ud83d\ude80 à"),
        workbench_row(2, name="root", claimed_speedup=2.5, claimed_device="H100", sampling={"t": 0.5}),
        workbench_row(2, claimed_speedup=3.5),
        workbench_row(3, kernel_code=""),
        b"{broken\n",
        b'{"reasoning": "\\ud800"}\n',
    ]
    return write_lines(path, rows)


def stored() -> list[list[object]]:
    """All that the file brought, but for the numbers and times that each ingest has of its own."""
    bodies = SampleBody.objects.order_by("pk").values_list("pk", "reasoning", "kernel_code", "extra")
    samples = Sample.objects.order_by("pk").values_list(
        *("pk", "task", "parent", "generator", "sampling", "language", "external_id", "trace_tokens"),
        *("tokenizer", "kernel_bytes", "claimed_speedup", "claimed_device"),
    )
    tasks = Task.objects.order_by("pk").values_list(
        *("pk", "name", "kind", "operator_count", "operators__name", "body__pytorch_code")
    )
    refused = RefusedRow.objects.order_by("line").values_list("line", "field", "reason", "value", "raw")
    return [list(bodies), list(samples), list(tasks), list(refused)]


@pytest.mark.django_db
def test_a_process_of_its_own_brings_the_same_rows_as_a_thread(tmp_path, monkeypatch):
    path = mixed(tmp_path / "a.jsonl")
    counts, found = [], []
    for from_bytes in (2**40, 1):
        monkeypatch.setattr(caps, "APART_FROM_BYTES", from_bytes)
        ingest = ingest_file(path, "workbench")
        counts.append([getattr(ingest, name) for name in COUNTS])
        found.append(stored())
        ingest.refused_rows.all().delete()
        Sample.objects.all().delete()
        Task.objects.all().delete()
    assert counts[0] == counts[1]
    assert found[0] == found[1]
    assert counts[0][:6] == [6, 2, 2, 0, 1, 3]


@pytest.mark.django_db
def test_the_columns_that_a_person_chose_are_told(tmp_path, apart):
    rows = [{"a": row["pytorch_code"], "b": row["kernel_code"]} for row in map(workbench_row, range(3))]
    path = write_lines(tmp_path / "a.jsonl", rows)
    ingest = ingest_file(path, "generic", mapping={"pytorch_code": "a", "kernel_code": "b"})
    assert (ingest.state, ingest.new_samples) == ("done", 3)


@pytest.mark.django_db
def test_where_the_file_breaks_off_the_rows_before_are_stored_and_the_reason_is_told(tmp_path, apart):
    path = tmp_path / "a.json"
    whole = write_lines(tmp_path / "rows", [concur_row(1), concur_row(2)]).read_text().splitlines()
    path.write_text(f"[{whole[0]}, {whole[1]}, {{")
    ingest = ingest_file(path)
    assert (ingest.state, ingest.new_samples) == ("failed", 2)
    assert "breaks off in row 3" in ingest.error


@pytest.mark.django_db
def test_a_process_that_dies_fails_the_ingest_with_what_to_do(tmp_path, apart, monkeypatch):
    start: Callable[[ReadingProcess], ReadingProcess] = ReadingProcess.__enter__

    def start_and_kill(self):
        found = start(self)
        os.kill(self.process.pid, signal.SIGKILL)
        return found

    monkeypatch.setattr(ReadingProcess, "__enter__", start_and_kill)
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", [workbench_row(1)]), "workbench")
    assert ingest.state == "failed"
    assert "SIGKILL" in ingest.error
    assert "ingest the file again" in ingest.error


def test_rows_that_an_earlier_attempt_counted_are_passed_over(tmp_path, db):
    path = write_lines(tmp_path / "a.jsonl", map(workbench_row, range(5)))
    with reading(path, counted=3) as process:
        [(bytes_read, portion)] = process.portions()
    assert [row.sample.reasoning for row in portion.rows] == ["Fuse them, 3.", "Fuse them, 4."]
    assert bytes_read == path.stat().st_size


def test_who_leaves_early_leaves_no_process_behind(tmp_path, db, monkeypatch):
    path = write_lines(tmp_path / "a.jsonl", (workbench_row(n, reasoning="x " * 9000) for n in range(3000)))
    process = reading(path)
    with closing(process.portions()) as portions, process:
        assert next(portions)[1].rows
        assert process.process.poll() is None  # 50 MB do not fit into a pipe
    assert process.process.returncode == -signal.SIGKILL


@pytest.mark.django_db
def test_a_fault_in_storing_ends_the_process_too(tmp_path, apart, monkeypatch):
    begun = []
    start: Callable[[ReadingProcess], ReadingProcess] = ReadingProcess.__enter__
    monkeypatch.setattr(ReadingProcess, "__enter__", lambda self: begun.append(self) or start(self))

    def broken(*_):
        raise RuntimeError("a fault that the test makes")

    monkeypatch.setattr(running, "store", broken)
    with pytest.raises(RuntimeError):
        ingest_file(write_lines(tmp_path / "a.jsonl", [workbench_row(1)]), "workbench")
    assert begun[0].process.poll() is not None


def test_only_large_files_of_triples_that_ask_no_database_are_read_so(tmp_path, db, monkeypatch):
    path = write_lines(tmp_path / "a.jsonl", [workbench_row(1)])
    file = SourceFile(path, path.name)
    assert not is_worth_it(file, recognise(file, "workbench"))
    monkeypatch.setattr(caps, "APART_FROM_BYTES", 1)
    assert is_worth_it(file, recognise(file, "workbench"))
    assert not is_worth_it(file, recognise(file, "cuda-l1"))  # looks its tasks up
    assert not is_worth_it(file, recognise(file, "reports"))  # stores its records itself


def test_a_process_that_breaks_down_says_that_the_log_says_more(tmp_path, db, monkeypatch):
    monkeypatch.setenv("CONCUR_TOKENIZER", str(tmp_path / "none.json"))
    path = write_lines(tmp_path / "a.jsonl", [workbench_row(1)])
    with reading(path) as process, pytest.raises(IngestError, match="exit code 1, and the log"):
        list(process.portions())
