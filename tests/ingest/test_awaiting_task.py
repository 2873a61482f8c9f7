"""Tests of rows that arrive before their tasks: kept, shown, and ingested once the task arrives."""

import csv
import json

import pytest

from datasets_app.ingest import limits, run
from datasets_app.ingest.awaiting_task import take_in
from datasets_app.models import MaintenanceKind, MaintenanceRun, RefusedRow, Sample
from tests.ingest.conftest import ingest_file

pytestmark = pytest.mark.django_db
TASK = {
    "task_name": "relu",
    "func_forward": (
        "import torch\n\n\ndef forward_fn(x):\n    return torch.relu(x)\n\n\n"
        "class Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n\n"
        "    def forward(self, x, fn=forward_fn):\n        return fn(x)\n\n\n"
        "def get_inputs(size):\n    return [torch.randn(size)]\n\n\ndef get_init_inputs():\n    return []\n"
    ),
    "config_forward": {"single_input_configs": [{"size": 8}]},
}
RESULT = {
    "task_name": "relu",
    "forward": "True",
    "Code": (
        "torch::Tensor forward(torch::Tensor x) { return x; }\n"
        'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }'
    ),
    "Speedup": "1.5",
    "Kernel Name": "relu_1",
    "Correct": "True",
    "Thought": "Fuse.",
    "Settings": "{}",
}


@pytest.fixture
def results(tmp_path):
    def write(*rows, name="results.csv"):
        path = tmp_path / name
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, RESULT)
            writer.writeheader()
            writer.writerows(RESULT | row for row in rows)
        return ingest_file(path, "robust-kbench")

    return write


@pytest.fixture
def tasks(tmp_path):
    def write(*rows):
        path = tmp_path / f"tasks-{len(list(tmp_path.iterdir()))}.jsonl"
        path.write_text("".join(json.dumps(TASK | row) + "\n" for row in rows))
        return ingest_file(path, "robust-kbench-tasks")

    return write


def counts(ingest):
    ingest.refresh_from_db()
    return {
        "rows": ingest.rows,
        "samples": ingest.new_samples,
        "duplicates": ingest.duplicates,
        "refused": ingest.refused,
        "waiting": ingest.awaiting_task,
    }


def test_a_row_waits_and_goes_in_when_its_task_comes(results, tasks):
    came_first = results({})
    assert counts(came_first) == {"rows": 1, "samples": 0, "duplicates": 0, "refused": 1, "waiting": 1}
    tasks({})
    assert counts(came_first) == {"rows": 1, "samples": 1, "duplicates": 0, "refused": 0, "waiting": 0}
    assert Sample.objects.get().ingest == came_first
    assert not RefusedRow.objects.exists()


def test_a_row_whose_task_is_another_goes_on_waiting(results, tasks):
    came_first = results({}, {"task_name": "softmax", "Kernel Name": "softmax_1"})
    tasks({})
    assert counts(came_first) == {"rows": 2, "samples": 1, "duplicates": 0, "refused": 1, "waiting": 1}
    assert RefusedRow.objects.get().awaits == "robust-kbench"


@pytest.mark.parametrize("written", ["[1]", "{[]: 1}"])
def test_a_row_that_turns_out_to_be_faulty_waits_no_more_and_says_why(results, tasks, written):
    came_first = results({"Settings": written})
    tasks({})
    assert counts(came_first) == {"rows": 1, "samples": 0, "duplicates": 0, "refused": 1, "waiting": 0}
    assert RefusedRow.objects.get().reason == "is not a dictionary"


def test_a_file_that_was_given_twice_before_its_tasks_is_stored_once(results, tasks):
    first, second = results({}), results({}, name="again.csv")
    tasks({})
    assert (counts(first)["samples"], counts(second)["duplicates"]) == (1, 1)
    assert Sample.objects.count() == 1


def test_taking_in_a_second_time_changes_nothing(results, tasks):
    came_first = results({})
    tasks({})
    before = counts(came_first)
    assert take_in(lambda: None) == 0
    assert counts(came_first) == before


def test_a_faulty_row_of_a_stored_task_waits_for_nothing(results, tasks):
    tasks({})
    assert counts(results({"Code": ""}))["waiting"] == 0


def test_the_page_and_the_api_say_how_many_wait(results, reader):
    came_first = results({})
    page = reader.get(came_first.get_absolute_url()).content.decode()
    assert "1 waits for a task that is not stored yet" in page
    assert reader.get(f"/api/v1/ingests/{came_first.pk}/").json()["awaiting_task"] == 1


def test_a_row_that_goes_in_while_its_file_is_still_read_is_counted_once(results, tasks, monkeypatch):
    monkeypatch.setattr(limits, "BATCH_ROWS", 1)
    stored = []

    def store_then_tasks(*batch):
        store(*batch)
        stored.append(batch)
        if len(stored) == 1:
            tasks({})

    store = run.store
    monkeypatch.setattr(run, "store", store_then_tasks)
    came_first = results({}, {"Kernel Name": "relu_2", "Thought": "Fuse again."}, {"task_name": "softmax"})
    assert counts(came_first) == {"rows": 3, "samples": 2, "duplicates": 0, "refused": 1, "waiting": 1}
    assert (came_first.refused_kept, RefusedRow.objects.count()) == (1, 1)


def test_samples_that_went_in_with_their_task_are_compared_with_others_as_well(results, tasks):
    results({})
    assert not MaintenanceRun.objects.filter(kind=MaintenanceKind.NEIGHBOURS).exists()
    tasks({})
    assert MaintenanceRun.objects.filter(kind=MaintenanceKind.NEIGHBOURS).exists()


def test_a_row_goes_in_when_its_task_was_read_from_a_file_that_breaks_off_later(results, tmp_path):
    came_first = results({})
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([TASK, TASK])[:-9])
    assert ingest_file(path, "robust-kbench-tasks").state == "failed"
    assert counts(came_first) == {"rows": 1, "samples": 1, "duplicates": 0, "refused": 0, "waiting": 0}
