"""Tests of the checks of a row's programs on a busy machine and for a large program."""

import pickle

import pytest

from datasets_app.bounded import run
from datasets_app.bounded.pool import BusyError
from datasets_app.ingest import checks
from datasets_app.models import Sample, Task
from datasets_app.syntax import program as programs
from tests.ingest.conftest import ingest_file, workbench_row, write_lines


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch):
    monkeypatch.setattr(checks, "_examined", checks._examined.__class__())


@pytest.mark.django_db
def test_each_program_is_analysed_once_even_where_its_result_is_forgotten_at_once(monkeypatch, tmp_path):
    monkeypatch.setattr(checks, "REMEMBERED", 0)
    asked = []
    examine = programs.examine
    monkeypatch.setattr(programs, "examine", lambda program: asked.append(program) or examine(program))
    done = ingest_file(write_lines(tmp_path / "rows.jsonl", [workbench_row(1), workbench_row(2)]))
    assert (done.new_samples, len(asked)) == (2, 2)
    assert all(task.operators.filter(name="relu").exists() for task in Task.objects.all())


@pytest.mark.django_db
def test_no_row_is_refused_because_every_process_was_busy(monkeypatch, settings, tmp_path):
    settings.ANALYSIS_IN_CHILDREN = True
    waited = []

    def ask(request, seconds, patience):
        waited.append(patience)
        raise BusyError

    monkeypatch.setattr(run.pool, "ask", ask)
    done = ingest_file(write_lines(tmp_path / "rows.jsonl", [workbench_row(1)]))
    assert waited == [checks.PATIENCE_SECONDS]
    assert (done.state, done.error, done.refused) == ("failed", checks.BUSY, 0)
    monkeypatch.undo()
    settings.ANALYSIS_IN_CHILDREN = False
    again = ingest_file(write_lines(tmp_path / "again.jsonl", [workbench_row(1)]))
    assert (again.new_samples, Sample.objects.count()) == (1, 1)


def test_what_is_remembered_of_a_program_is_small():
    program = "class Model: pass\n" + "".join(f"name_{number} = {number}\n" for number in range(20_000))
    found = checks.examine(program)
    assert found.model.is_there
    assert len(pickle.dumps(found)) < 1_000
