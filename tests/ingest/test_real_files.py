from collections import Counter

import pytest

from datasets_app.models import Sample, SampleBody, Task
from tests.ingest.conftest import ingest_file

pytestmark = pytest.mark.django_db
# Of rows that the first test stores in either database: what is read of a file, and kept with its rows.
read_from_the_file = pytest.mark.any_database
# rows, new tasks, new samples, duplicates, refused, task only
IN_ORDER = {
    "kernelbench_tasks.jsonl": (270, 270, 0, 0, 0, 270),
    "cuda_l1_h100.jsonl": (250, 250, 227, 0, 0, 23),
    "cuda_l1_a100.jsonl": (250, 0, 117, 133, 0, 9),
    "robust_kbench_tasks.jsonl": (11, 19, 0, 0, 0, 11),
    "robust_kbench_results.csv": (12, 0, 12, 0, 0, 0),
}


def counts(ingest) -> tuple[int, ...]:
    return (
        ingest.rows,
        ingest.new_tasks,
        ingest.new_samples,
        ingest.duplicates,
        ingest.refused,
        ingest.task_only_rows,
    )


def test_the_five_files_go_in_with_exactly_the_rows_they_have_and_a_second_time_add_none(real_data):
    for name, expected in IN_ORDER.items():
        assert counts(ingest_file(real_data / name)) == expected, name
    for name, expected in IN_ORDER.items():
        again = ingest_file(real_data / name)
        assert (again.rows, again.new_tasks, again.new_samples, again.duplicates) == (
            expected[0],
            0,
            0,
            expected[0],
        )


@read_from_the_file
def test_the_a100_file_alone_has_241_samples(real_data):
    assert counts(ingest_file(real_data / "cuda_l1_a100.jsonl")) == (250, 250, 241, 0, 0, 9)


@read_from_the_file
def test_cuda_l1_takes_the_device_from_the_files_name_and_the_names_from_kernelbench(real_data):
    ingest_file(real_data / "kernelbench_tasks.jsonl")
    ingest_file(real_data / "cuda_l1_h100.jsonl")
    assert set(Sample.objects.values_list("claimed_device", flat=True)) == {"H100"}
    task = Task.objects.get(source__name="CUDA-L1", level=1, problem=9)
    assert task.name == "9_Tall_skinny_matrix_multiplication_"


@read_from_the_file
def test_the_a100_claims_about_a_program_that_the_h100_file_has_too_are_kept(real_data):
    ingest_file(real_data / "cuda_l1_h100.jsonl")
    ingest_file(real_data / "cuda_l1_a100.jsonl")
    ingest_file(real_data / "cuda_l1_a100.jsonl")
    claims = [body.extra.get("also_claimed", []) for body in SampleBody.objects.all()]
    assert sum(map(len, claims)) == 124
    assert {claim["device"] for found in claims for claim in found} == {"A100"}
    every = Counter(claim["device"] for body in SampleBody.objects.all() for claim in body.all_claims)
    assert every == {"A100": 1179, "H100": 1127}, "each score of the two files that is a number"


def test_results_before_their_tasks_wait_for_them_and_go_in_with_them(real_data):
    first = ingest_file(real_data / "robust_kbench_results.csv")
    assert (first.refused, first.awaiting_task, first.new_samples) == (12, 12, 0)
    assert "ingest the tasks file" in first.refused_rows.first().reason
    ingest_file(real_data / "robust_kbench_tasks.jsonl")
    first.refresh_from_db()
    assert (first.rows, first.refused, first.awaiting_task, first.new_samples) == (12, 0, 0, 12)
    again = ingest_file(real_data / "robust_kbench_results.csv")
    assert (again.duplicates, again.refused) == (12, 0)


def test_a_robust_kbench_candidate_defines_model_new_around_the_kernel(real_data):
    ingest_file(real_data / "robust_kbench_tasks.jsonl")
    ingest_file(real_data / "robust_kbench_results.csv")
    forward = SampleBody.objects.get(sample__task__name="layernorm").kernel_code
    assert "fn=extension.forward" in forward
    assert "PYBIND11_MODULE" in forward
    backward = SampleBody.objects.get(sample__task__name="mnist_pool_backward").kernel_code
    assert "AutogradFunction.backward_fn = staticmethod(extension.backward)" in backward
    for body in SampleBody.objects.all():
        compile(body.kernel_code, "candidate", "exec")


def test_what_robust_kbench_measured_is_claimed(real_data):
    ingest_file(real_data / "robust_kbench_tasks.jsonl")
    ingest_file(real_data / "robust_kbench_results.csv", device="H100")
    body = SampleBody.objects.get(sample__task__name="layernorm")
    assert [(claim["quantity"], claim.get("over"), claim["value"]) for claim in body.claims] == [
        ("speedup", "eager", 165.67771031882677),
        ("speedup", "torch.compile", 2.0511420518529886),
        ("time_ms", None, 0.046254224002361295),
        ("max_absolute_error", None, 0.0),
    ]
    assert {claim["device"] for claim in body.claims} == {"H100"}
    assert "Speedup Compile" not in body.extra
    assert body.extra["Error Type"] == "none"


def test_six_of_the_robust_kbench_results_have_a_trace(real_data):
    ingest_file(real_data / "robust_kbench_tasks.jsonl")
    ingest_file(real_data / "robust_kbench_results.csv")
    traced = Sample.objects.with_trace()
    assert traced.count() == 6
    assert all(sample.trace_tokens > 40 for sample in traced)
