"""Tests of KernelBench's runs: kernels by their files' names, and what the evaluation beside them said."""

import json
import tarfile
import zipfile

import pytest

from datasets_app.ingest import IngestError, Refusal, Row
from datasets_app.ingest.kernelbench_evaluation import samples_of
from datasets_app.models import Sample, Source, Task
from tests.factories import KERNEL, PROGRAM
from tests.ingest.conftest import ingest_file, items_of, write_lines

pytestmark = pytest.mark.django_db
RUN = "runs/one_shot"
H100 = {"hardware": "NVIDIA H100", "device": "cuda:0", "correctness_trials": "(5 / 5)"}
RESULTS = {
    "1": [
        {"sample_id": 0, "compiled": True, "correctness": True, "metadata": H100, "runtime": 0.5},
        {"sample_id": 1, "compiled": True, "correctness": False, "metadata": H100, "runtime": -1.0},
    ],
    "2": {
        "sample_id": 0,
        "compiled": False,
        "correctness": False,
        "metadata": {**H100, "compilation_error": "no"},
    },
}
CONFIG = "model_name: maker/model-7b\ntemperature: 0.6\nlevel: 1\nverbose: false\nnested:\n  a: 1\n"
TIMES = {"level1": {"1_One.py": {"mean": 2.0, "hardware": "NVIDIA H100"}, "10_Ten.py": {"mean": 9.0}}}
FILES = {
    f"{RUN}/level_1_problem_1_sample_0_kernel.py": KERNEL.format(number=1),
    f"{RUN}/level_1_problem_1_sample_1_kernel.py": KERNEL.format(number=11),
    f"{RUN}/level_1_problem_1_sample_0_prompt.txt": "You write custom CUDA kernels",
    f"{RUN}/level_1_problem_2_sample_0_kernel.py": "I cannot write that kernel.\n",
    f"{RUN}/problem_3_kernel.py": KERNEL.format(number=3),
    f"{RUN}/eval_results.json": json.dumps(RESULTS),
    f"{RUN}/generation_config.yaml": CONFIG,
    "results/timing/H100/baseline_time_torch.json": json.dumps(TIMES),
    "results/timing/H100/baseline_time_torch_compile_inductor_default.json": json.dumps(TIMES),
}


def as_folder(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def as_zip(root, files):
    with zipfile.ZipFile(root / "run.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return root / "run.zip"


def as_tar(root, files):
    folder = as_folder(root / "source", files)
    with tarfile.open(root / "run.tar.gz", "w:gz") as archive:
        archive.add(folder, ".")
    return root / "run.tar.gz"


@pytest.fixture
def tasks(tmp_path):
    rows = [
        {"code": PROGRAM.format(number=n), "level": 1, "name": f"{n}_Task", "problem_id": n}
        for n in (1, 2, 3)
    ]
    ingest_file(write_lines(tmp_path / "tasks.jsonl", rows), "kernelbench")


@pytest.mark.parametrize("form", [as_folder, as_zip, as_tar])
def test_a_run_is_recognised_and_every_kernel_of_it_read(form, tasks, tmp_path):
    (tmp_path / "run").mkdir()
    items = items_of(form(tmp_path / "run", FILES))
    assert all(isinstance(item, Row) for item in items)
    found = {(item.task.problem, item.sample.external_id): item.sample for item in items}
    assert list(found) == [
        (1, "level1/problem1/sample0/one_shot"),
        (1, "level1/problem1/sample1/one_shot"),
        (2, "level1/problem2/sample0/one_shot"),
        (3, "level1/problem3/sample0/one_shot"),
    ]
    best, wrong, broken, silent = found.values()
    assert (best.claimed_correct, best.claimed_speedup, best.claimed_device) == (True, 4.0, "NVIDIA H100")
    assert best.extra["baselines_ms"] == {"torch": 2.0, "torch_compile_inductor_default": 2.0}
    assert best.extra["runtime_ms"] == 0.5
    assert (best.generator, best.sampling) == ("maker/model-7b", {"temperature": 0.6})
    assert (wrong.claimed_correct, wrong.claimed_speedup) == (False, None)
    assert (broken.claimed_correct, broken.extra["metadata"]["compilation_error"]) == (False, "no")
    assert (silent.claimed_correct, silent.claimed_device) == (None, "")


def test_results_are_read_under_either_name_that_they_are_published_under(tasks, tmp_path):
    files = {name.replace("eval_results", "detailed_results"): text for name, text in FILES.items()}
    best = items_of(as_zip(tmp_path, files))[0]
    assert (best.sample.claimed_correct, best.sample.claimed_speedup) == (True, 4.0)


def test_what_a_model_failed_to_write_counts_too(tasks, tmp_path):
    ingest = ingest_file(as_zip(tmp_path, FILES))
    assert (ingest.format, ingest.rows, ingest.new_samples, ingest.refused) == ("kernelbench-runs", 4, 4, 0)
    refusing = Sample.objects.get(task__problem=2)
    assert refusing.body.kernel_code == "I cannot write that kernel.\n"
    assert Source.objects.filter(name="run.zip").exists(), "a run is a source of its own"


def test_a_run_that_comes_before_its_tasks_waits_for_them(tmp_path, request):
    ingest = ingest_file(as_zip(tmp_path, FILES))
    assert (ingest.new_samples, ingest.refused, ingest.awaiting_task) == (0, 4, 4)
    request.getfixturevalue("tasks")
    ingest.refresh_from_db()
    assert (ingest.new_samples, ingest.refused, ingest.awaiting_task) == (4, 0, 0)
    assert Sample.objects.get(external_id="level1/problem1/sample0/one_shot").claimed_speedup == 4.0


def test_kernelbenchs_own_task_goes_before_one_that_another_source_numbers_alike(tasks, tmp_path):
    other = {"level_id": 1, "task_id": 1, "ref_code": PROGRAM.format(number=77), "custom_code": None}
    ingest_file(write_lines(tmp_path / "cuda_l1.jsonl", [other]), "cuda-l1")
    assert Task.objects.filter(external_id="level1/1").count() == 2
    rows = [item for item in items_of(as_zip(tmp_path, FILES)) if item.task.problem == 1]
    assert {row.task.program for row in rows} == {PROGRAM.format(number=1)}


def test_results_are_left_out_where_their_keys_could_mean_either_of_two_levels(tasks, tmp_path):
    files = FILES | {f"{RUN}/level_2_problem_1_sample_0_kernel.py": KERNEL.format(number=9)}
    items = items_of(as_zip(tmp_path, files))
    best = next(item for item in items if isinstance(item, Row))
    assert best.sample.claimed_correct is None
    assert "kernels of several" in best.sample.extra["eval_results"]


def test_a_speedup_is_claimed_only_from_times_of_the_same_hardware(tasks, tmp_path):
    elsewhere = {"level1": {"1_One.py": {"mean": 2.0, "hardware": "NVIDIA A100"}}}
    files = FILES | {"results/timing/H100/baseline_time_torch.json": json.dumps(elsewhere)}
    best = items_of(as_zip(tmp_path, files))[0]
    assert (best.sample.claimed_correct, best.sample.claimed_speedup) == (True, None)


def test_a_kernel_of_no_level_is_kept_with_what_to_do(tasks, tmp_path):
    files = {f"{RUN}/problem_3_kernel.py": KERNEL.format(number=3)}
    [item] = items_of(as_zip(tmp_path, files))
    assert isinstance(item, Refusal)
    assert item.field == "level"
    assert "level_1_problem_3_sample_0_kernel.py" in item.reason
    corrected = json.loads(item.raw) | {"level": 1, "_format": "kernelbench-runs"}
    [row] = items_of(write_lines(tmp_path / "corrected.jsonl", [corrected]))
    assert row.task.name == "3_Task"


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("eval_results.json", "{", "is not JSON"),
        ("eval_results.json", "[]", "should be an object"),
        ("generation_config.yaml", "a: [", "is not YAML"),
        ("generation_config.yaml", "a: !!bool maybe", "is not YAML"),
        ("generation_config.yaml", "a: !!timestamp never", "is not YAML"),
        ("generation_config.yaml", "- 1", "settings by name"),
        ("generation_config.yaml", "a: &a [1, *a]", None),
    ],
)
def test_a_file_beside_the_kernels_that_cannot_be_read_is_named(name, content, why, tasks, tmp_path):
    path = as_zip(tmp_path, FILES | {f"{RUN}/{name}": content})
    if why is None:
        assert len(items_of(path)) == 4
        return
    with pytest.raises(IngestError, match=f"{RUN}/{name} .*{why}"):
        items_of(path)


def test_a_checkout_with_tasks_and_runs_asks_which_is_meant(tmp_path):
    path = as_zip(tmp_path, FILES | {"KernelBench/level1/1_One.py": PROGRAM.format(number=1)})
    with pytest.raises(IngestError, match="kernelbench-folders and kernelbench-runs: say which"):
        items_of(path)


def test_the_results_of_a_problem_are_read_in_every_form_that_kernelbench_has_written():
    one = {"sample_id": 3, "compiled": True}
    assert samples_of(one) == [(3, one)]
    assert samples_of([one, 5, {"sample_id": "x"}]) == [(3, one)]
    assert samples_of({"3": {"compiled": True}, "4": None}) == [(3, {"sample_id": "3", "compiled": True})]
    assert samples_of(None) == []


@pytest.mark.parametrize("runtime", [1e-300, 10**400, True, "1", None, float("nan")])
def test_a_runtime_that_nobody_measured_gives_no_claim(runtime, tasks, tmp_path):
    results = {
        "1": {"sample_id": 0, "compiled": True, "correctness": True, "metadata": H100, "runtime": runtime}
    }
    best = items_of(as_zip(tmp_path, FILES | {f"{RUN}/eval_results.json": json.dumps(results)}))[0]
    assert (best.sample.claimed_correct, best.sample.claimed_speedup) == (True, None)
