"""Tests that memory is independent of the file's size, and that thousands of rows are stored per second."""

import json
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

import datasets_app.ingest.run as ingest_run
from datasets_app.ingest import limits
from datasets_app.models import Sample
from datasets_app.traces.lengths import count_tokens
from tests.ingest.conftest import concur_row, ingest_file, items_of, workbench_row


def generated(path, rows: int, trace_bytes: int = 2000):
    """Write many samples of 50 tasks, like those of generators."""
    with path.open("w") as file:
        for number in range(rows):
            row = workbench_row(number % 50, reasoning=f"{number} " + "think " * (trace_bytes // 6))
            file.write(json.dumps(row) + "\n")
    return path


def peak_bytes(path) -> int:
    from datasets_app.ingest.recognition import recognise
    from datasets_app.ingest.source_file import SourceFile

    file = SourceFile(path, path.name)
    tracemalloc.start()
    for _ in recognise(file).rows(file):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_reading_ten_times_the_rows_takes_no_more_memory(tmp_path):
    small = peak_bytes(generated(tmp_path / "small.jsonl", 300, 20_000))
    large = peak_bytes(generated(tmp_path / "large.jsonl", 3000, 20_000))
    assert large < small + 2**20


def test_a_json_array_is_read_in_a_window(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([concur_row(n, generated_think="x " * 20_000) for n in range(400)]))
    assert path.stat().st_size > 15_000_000
    tracemalloc.start()
    assert sum(1 for _ in items_of(path)) == 400
    # items_of keeps all rows; the reader alone must stay within a small window
    tracemalloc.stop()
    assert peak_bytes(path) < 12_000_000


@pytest.mark.long
@pytest.mark.django_db
def test_rows_go_in_at_hundreds_per_second_of_processor_time(tmp_path):
    path = generated(tmp_path / "a.jsonl", 4000)
    begin = time.process_time()  # of this process alone: other load must not fail the test
    assert ingest_file(path).new_samples == 4000
    # A lower bound: on a busy machine, a second of processor time does two thirds of its usual work.
    assert 4000 / (time.process_time() - begin) > 400


@pytest.mark.django_db(transaction=True)
def test_who_reads_while_rows_are_stored_waits_for_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "BATCH_ROWS", 20)
    real, seen = ingest_run.store_refusals, []

    def read_from_another_thread(*args):
        """Read within a transaction that has written rows."""
        counted = real(*args)
        seen.append(in_another_thread(list_page))
        return counted

    monkeypatch.setattr(ingest_run, "store_refusals", read_from_another_thread)
    ingest_file(generated(tmp_path / "a.jsonl", 60))
    assert [rows for rows, _ in seen] == [0, 20, 40]
    # The fastest: other load on the machine must not fail the test. Waiting for the lock takes 30 s.
    assert min(seconds for _, seconds in seen) < 2


def list_page() -> tuple[int, float]:
    begin = time.perf_counter()
    rows = len(Sample.objects.for_list()[:50])
    return rows, time.perf_counter() - begin


def in_another_thread(work):
    def alone():
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(alone).result(timeout=120)


def test_tokens_are_counted_at_megabytes_a_second():
    text = "The kernel uses __shfl_down_sync(mask, value, 16); then 128 threads write. " * 40_000
    begin = time.process_time()
    count_tokens(text)
    assert len(text) / (time.process_time() - begin) > 5e6
