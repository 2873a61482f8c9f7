"""One writer: exact counts, each triple once, trajectories linked, a dead worker's work taken up."""

import json
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets_app.accounts.actor import COMMAND
from datasets_app.db import analyze_tables
from datasets_app.ingest import Given, Provenance, Reader, RowError, ingest_rows, limits, run, start
from datasets_app.ingest import run as running
from datasets_app.ingest.registry import _readers, register
from datasets_app.jobs import job_row
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
    [ingest] = start([Given(path, path.name)], COMMAND, wake_worker=False)
    real = running.write_refusals
    calls = iter(range(10))

    def die_in_the_third_batch(*args):
        if next(calls) == 2:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(running, "write_refusals", die_in_the_third_batch)
    with pytest.raises(KeyboardInterrupt):
        run(ingest.pk)
    assert Sample.objects.count() == 7
    Ingest.objects.filter(pk=ingest.pk).update(lease_until=timezone.now() - timezone.timedelta(seconds=1))
    assert job_row.requeue_expired(Ingest) == [ingest]
    run(ingest.pk)
    ingest.refresh_from_db()
    assert (ingest.state, ingest.attempt, ingest.rows) == ("done", 2, 13)
    assert (ingest.new_tasks, ingest.new_samples, ingest.duplicates, ingest.refused) == (12, 12, 0, 1)
    assert ingest.refused_rows.count() == 1


def test_a_worker_that_lost_its_lease_writes_nothing(tmp_path, monkeypatch):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1)])
    [ingest] = start([Given(path, path.name)], COMMAND, wake_worker=False)
    real = running.write_refusals

    def be_overtaken(*args):
        Ingest.objects.filter(pk=ingest.pk).update(attempt=7)
        return real(*args)

    monkeypatch.setattr(running, "write_refusals", be_overtaken)
    run(ingest.pk)
    assert not Sample.objects.exists()


def test_of_files_given_together_tasks_go_in_before_results(tmp_path):
    results = write_lines(tmp_path / "results.jsonl", [concur_row(1)])
    tasks = write_lines(
        tmp_path / "tasks.jsonl", [{"code": concur_row(2)["pytorch_code"], "level": 1, "problem_id": 3}]
    )
    later, first = start([Given(results, results.name), Given(tasks, tasks.name)], COMMAND, wake_worker=False)
    assert run(later.pk) is None, "recognising them has put it behind the tasks"
    later.refresh_from_db()
    first.refresh_from_db()
    assert (first.format, later.format, later.after) == ("kernelbench", "concur", first)
    assert run(first.pk).state == "done"
    assert run(later.pk).state == "done"


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
    ingest_file(path, said=Provenance("ours", "https://example.org/x", "MIT"))
    with pytest.raises(IngestError, match="stored under the licence MIT"):
        ingest_file(path, said=Provenance("ours", "", "Apache-2.0"))
    assert Source.objects.get(name="ours").url == "https://example.org/x"


class NotesReader(Reader):
    """Stands for another app's reader, whose rows are no triples."""

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


def test_the_number_of_statements_does_not_grow_with_the_rows_of_a_batch(
    tmp_path, django_assert_max_num_queries
):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(n) for n in range(90)])
    [ingest] = start([Given(path, path.name)], COMMAND, wake_worker=False)
    with CaptureQueriesContext(connection) as to_tell_the_planner:  # as at the end of an ingest
        analyze_tables.refresh()
    with django_assert_max_num_queries(45 + len(to_tell_the_planner)):
        run(ingest.pk)
    assert Task.objects.count() == 90


def test_the_task_does_an_ingest_and_wakes_what_waited_for_it(tmp_path, monkeypatch):
    from datasets_app import tasks
    from datasets_app.ingest import start as starting

    woken = []
    monkeypatch.setattr(
        starting, "send", lambda _task, pk: woken.append(pk)
    )  # stands for the broker, which this test has not
    one, two = (write_lines(tmp_path / f"{n}.jsonl", [concur_row(n)]) for n in (1, 2))
    first, second = start([Given(one, one.name), Given(two, two.name)], COMMAND, wake_worker=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.db.transaction.on_commit", lambda send, robust=False: send())
        tasks.run_ingest(str(first.pk))
        assert woken == [second.pk]
        tasks.run_ingest(str(second.pk))
    assert set(Ingest.objects.values_list("state", flat=True)) == {"done"}


def test_the_sweeper_wakes_what_a_flushed_broker_forgot_and_nothing_else(tmp_path):
    from datasets_app.ingest import sweep

    path = write_lines(tmp_path / "a.jsonl", [concur_row(1)])
    [fresh] = start([Given(path, path.name)], COMMAND, wake_worker=False)
    assert sweep() == []
    Ingest.objects.update(created_at="2020-01-01T00:00Z")
    assert sweep() == [fresh]
