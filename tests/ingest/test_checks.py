"""Tests of the checks of a row's programs on a busy machine and for a large program."""

import pickle

import pytest

from datasets_app.bounded import AnalysisError, run
from datasets_app.bounded.errors import DEADLINE
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


def answers(monkeypatch, refused=""):
    """Answer analyses in this process, but not those that hold the `refused` program; return the calls' names."""
    calls = []

    def analysed(function, *programs, **limits):
        calls.append(function.__name__)
        if refused in programs:
            raise AnalysisError(function.__name__, DEADLINE, 1.0)
        return function(*programs)

    monkeypatch.setattr(checks, "analysed", analysed)
    return calls


@pytest.mark.django_db
def test_the_programs_of_many_rows_go_to_an_analysis_together(monkeypatch, tmp_path):
    calls = answers(monkeypatch)
    done = ingest_file(write_lines(tmp_path / "rows.jsonl", [workbench_row(n) for n in range(40)]))
    assert (done.new_tasks, done.new_samples, calls) == (40, 40, ["examine_all"])
    assert all(task.operators.filter(name="relu").exists() for task in Task.objects.all())


@pytest.mark.django_db
def test_a_program_that_takes_too_long_costs_none_of_the_rows_analysed_with_it(monkeypatch, tmp_path):
    rows = [workbench_row(n) for n in range(5)]
    answers(monkeypatch, refused=rows[2]["pytorch_code"])
    done = ingest_file(write_lines(tmp_path / "rows.jsonl", rows))
    assert (done.rows, done.new_samples, done.refused) == (5, 4, 1)
    [refusal] = done.refused_rows.all()
    assert (refusal.line, refusal.field) == (3, "pytorch_code")


def test_programs_that_are_cached_are_not_analysed_again(monkeypatch):
    calls = answers(monkeypatch)
    programs_of_rows = [f"class Model: number = {number}\n" for number in range(3)]
    checks.examine_ahead(programs_of_rows)
    checks.examine_ahead([*programs_of_rows, programs_of_rows[0]])
    assert calls == ["examine_all"]
    assert checks.examine(programs_of_rows[1]).model.is_there
    assert calls == ["examine_all"]
