"""Tests of the writer: exact counts, each triple once, linked trajectories, recovery from a dead worker."""

import json
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import datasets_app.ingest.run as ingest_run
from datasets_app import tasks
from datasets_app.accounts.actor import COMMAND
from datasets_app.db import analyze_tables
from datasets_app.ingest import (
    IncomingFile,
    Provenance,
    Reader,
    RowError,
    ingest_rows,
    limits,
    run_ingest,
    start_ingests,
)
from datasets_app.ingest.registry import _readers, register
from datasets_app.ingest.start import TASK
from datasets_app.jobs import enqueue, job_row
from datasets_app.models import AuditEntry, Ingest, Operator, Sample, SampleBody, Source, Task
from datasets_app.traces import lengths
from tests.factories import KERNEL
from tests.ingest.conftest import concur_row, ingest_file, workbench_row, write_lines

pytestmark = pytest.mark.django_db


def test_a_triple_is_stored_with_all_that_is_known_of_it(tmp_path):
    ingest_file(write_lines(tmp_path / "a.jsonl", [concur_row(1, mood="calm")]))
    sample = Sample.objects.with_body().get()
    assert (sample.task.name, sample.task.kind, sample.task.operator_count) == (
        "relu_plus_1",
        "elementwise",
        2,
    )
    assert set(sample.task.operators.values_list("name", flat=True)) == {"relu", "add"}
    assert (sample.language, sample.generator, sample.claimed_speedup) == ("python", "Kevin-32B", 1.5)
    counted = lengths.count_tokens(sample.body.reasoning)
    assert (sample.has_trace, sample.trace_tokens, sample.tokenizer) == (
        True,
        counted,
        lengths.tokenizer_name(),
    )
    assert sample.body.extra == {"mood": "calm"}
    assert (sample.source.name, sample.source.licence) == ("ConCuR", "")
    assert AuditEntry.objects.get(action="ingest.start").actor_name == "command"


def test_a_duplicate_within_the_file_counts_as_one(tmp_path):
    rows = [
        concur_row(1),
        concur_row(2),
        concur_row(1),
        concur_row(1, generated_code=KERNEL.format(number=9)),
    ]
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", rows))
    assert (ingest.rows, ingest.new_tasks, ingest.new_samples, ingest.duplicates) == (4, 2, 3, 1)


def test_line_ends_make_no_new_sample(tmp_path):
    row = concur_row(1)
    ingest_file(write_lines(tmp_path / "a.jsonl", [row]))
    other = {
        **row,
        "pytorch_code": row["pytorch_code"].replace("\n", "\r\n"),
        "generated_code": KERNEL.format(number=1) + "\n\n",
    }
    assert ingest_file(write_lines(tmp_path / "b.jsonl", [other])).duplicates == 1


def test_a_sample_without_a_trace_is_marked_so(tmp_path):
    ingest_file(write_lines(tmp_path / "a.jsonl", [concur_row(1, generated_think=None)]))
    sample = Sample.objects.get()
    assert (sample.has_trace, sample.trace_tokens, sample.tokenizer) == (False, None, "")


def test_parents_are_found_by_name_in_any_order_and_an_unknown_one_is_kept(tmp_path):
    rows = [
        workbench_row(1, name="third", parent="second", turn=2, kernel_code=KERNEL.format(number=3)),
        workbench_row(1, name="first"),
        workbench_row(1, name="second", parent="first", turn=1, kernel_code=KERNEL.format(number=2)),
        workbench_row(1, name="lost", parent="nobody", turn=1, kernel_code=KERNEL.format(number=4)),
    ]
    ingest_file(write_lines(tmp_path / "a.jsonl", rows))
    parents = dict(Sample.objects.values_list("external_id", "parent__external_id"))
    assert parents == {"third": "second", "second": "first", "first": None, "lost": None}
    assert SampleBody.objects.get(sample__external_id="lost").extra == {"parent": "nobody"}
    assert SampleBody.objects.get(sample__external_id="third").extra == {}


def test_a_worker_that_dies_is_followed_by_one_that_goes_on_with_true_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "BATCH_ROWS", 4)
    rows = [concur_row(n) for n in range(6)] + [b"broken\n"] + [concur_row(n) for n in range(6, 12)]
    path = write_lines(tmp_path / "a.jsonl", rows)
    [ingest] = start_ingests([IncomingFile(path, path.name)], COMMAND, in_background=False)
    real = ingest_run.store_refusals
    calls = iter(range(10))

    def die_in_the_third_batch(*args):
        if next(calls) == 2:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(ingest_run, "store_refusals", die_in_the_third_batch)
    with pytest.raises(KeyboardInterrupt):
        run_ingest(ingest.pk)
    assert Sample.objects.count() == 7
    Ingest.objects.filter(pk=ingest.pk).update(lease_until=timezone.now() - timezone.timedelta(seconds=1))
    assert job_row.requeue_expired(Ingest) == [ingest]
    run_ingest(ingest.pk)
    ingest.refresh_from_db()
    assert (ingest.state, ingest.attempt, ingest.rows) == ("done", 2, 13)
    assert (ingest.new_tasks, ingest.new_samples, ingest.duplicates, ingest.refused) == (12, 12, 0, 1)
    assert ingest.refused_rows.count() == 1


def test_a_worker_that_lost_its_lease_writes_nothing(tmp_path, monkeypatch):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1)])
    [ingest] = start_ingests([IncomingFile(path, path.name)], COMMAND, in_background=False)
    real = ingest_run.store_refusals

    def be_overtaken(*args):
        Ingest.objects.filter(pk=ingest.pk).update(attempt=7)
        return real(*args)

    monkeypatch.setattr(ingest_run, "store_refusals", be_overtaken)
    run_ingest(ingest.pk)
    assert not Sample.objects.exists()


def test_of_files_given_together_tasks_go_in_before_results(tmp_path):
    results = write_lines(tmp_path / "results.jsonl", [concur_row(1)])
    tasks = write_lines(
        tmp_path / "tasks.jsonl", [{"code": concur_row(2)["pytorch_code"], "level": 1, "problem_id": 3}]
    )
    later, first = start_ingests(
        [IncomingFile(results, results.name), IncomingFile(tasks, tasks.name)], COMMAND, in_background=False
    )
    assert run_ingest(later.pk) is None, "recognising them has put it behind the tasks"
    later.refresh_from_db()
    first.refresh_from_db()
    assert (first.format, later.format, later.after) == ("kernelbench", "concur", first)
    assert run_ingest(first.pk).state == "done"
    assert run_ingest(later.pk).state == "done"


def test_rows_at_hand_go_in_like_those_of_a_file():
    ingest = ingest_rows(
        [workbench_row(1), workbench_row(2), workbench_row(1), {"pytorch_code": 3}],
        "demo",
        licence="Apache-2.0",
    )
    assert (ingest.rows, ingest.new_samples, ingest.duplicates, ingest.refused) == (4, 2, 1, 1)
    assert Source.objects.get(name="demo").licence == "Apache-2.0"


def test_a_source_keeps_its_licence(tmp_path):
    from datasets_app.ingest import IngestError

    path = write_lines(tmp_path / "a.jsonl", [concur_row(1)])
    ingest_file(path, provenance=Provenance("ours", "https://example.org/x", "MIT"))
    with pytest.raises(IngestError, match="stored under the licence MIT"):
        ingest_file(path, provenance=Provenance("ours", "", "Apache-2.0"))
    assert Source.objects.get(name="ours").url == "https://example.org/x"


class NotesReader(Reader):
    """Stand-in for another app's reader, whose rows are not triples."""

    name, title, columns, stores_itself = "notes", "Notes", ("note",), True

    def store(self, record, ingest) -> bool:
        if record.values["note"] == "bad":
            raise RowError("note", "is bad")
        return Operator.objects.get_or_create(name=record.values["note"])[1]


@pytest.fixture
def notes_reader() -> Iterator[None]:
    register(NotesReader())
    yield
    del _readers["notes"]


def test_another_app_adds_a_reader_that_stores_its_rows_itself(tmp_path, notes_reader):
    path = write_lines(tmp_path / "a.jsonl", [{"note": word} for word in ("a", "b", "a", "bad")])
    ingest = ingest_file(path)
    assert (ingest.format, ingest.rows, ingest.new_records) == ("notes", 4, 2)
    assert (ingest.duplicates, ingest.refused, ingest.new_samples) == (1, 1, 0)
    assert json.loads(ingest.refused_rows.get().raw) == {"note": "bad"}


def test_the_number_of_statements_does_not_grow_with_the_rows_of_a_batch(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(n) for n in range(90)])
    [ingest] = start_ingests([IncomingFile(path, path.name)], COMMAND, in_background=False)
    with CaptureQueriesContext(connection) as of_ingest:
        run_ingest(ingest.pk)
    with CaptureQueriesContext(connection) as to_tell_the_planner:  # as at the end of the ingest
        analyze_tables.refresh()
    assert len(of_ingest) <= 45 + len(to_tell_the_planner)
    assert Task.objects.count() == 90


@pytest.fixture
def sent(monkeypatch) -> list:
    """Collect the ids of the ingests whose messages would go to the broker."""
    sent = []
    monkeypatch.setattr(enqueue, "send", lambda task, pk: sent.append(pk) if task == TASK else None)
    monkeypatch.setattr("django.db.transaction.on_commit", lambda send, robust=False: send())
    return sent


def two_ingests(folder):
    paths = [write_lines(folder / f"{n}.jsonl", [concur_row(n)]) for n in (1, 2)]
    return start_ingests([IncomingFile(path, path.name) for path in paths], COMMAND, in_background=False)


def test_the_task_runs_an_ingest_and_enqueues_the_one_that_follows_it(tmp_path, sent):
    first, second = two_ingests(tmp_path)
    tasks.run_ingest(str(first.pk))
    assert sent == [second.pk]
    tasks.run_ingest(str(second.pk))
    assert set(Ingest.objects.values_list("state", flat=True)) == {"done"}


def test_a_lost_message_is_sent_again_unless_the_ingest_follows_another(tmp_path, sent):
    first, second = two_ingests(tmp_path)
    for ingest in (first, second):
        job_row.RESENDERS[Ingest](ingest.pk)
    assert sent == [first.pk]
