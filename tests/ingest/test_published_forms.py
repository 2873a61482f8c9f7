"""Tests of the published forms of the field's data sets, and of what each source claims.

Column names and shapes are those of the data sets themselves; the texts are ours.
"""

import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datasets_app.ingest import IngestError, Refusal, Row
from datasets_app.ingest.portions import weight
from datasets_app.ingest.rows import Record
from datasets_app.ingest.source_file import SourceFile
from datasets_app.models import Sample
from datasets_app.models.source_claim import Quantity
from tests.factories import KERNEL, PROGRAM
from tests.ingest.conftest import ingest_file, items_of, write_lines

CLAIMED = {
    "score_default": 2.5,
    "score_torch_compile_default": 1.5,
    "score_torch_compile_reduce_overhead": 1.25,
    "score_cuda_graph": 1.125,
    "score_cudnn": 1.0625,
}
CUDA_L1 = {
    "level_id": 1,
    "task_id": 3,
    "ref_code": PROGRAM.format(number=1),
    "custom_code": KERNEL.format(number=1),
}


def quantities(sample) -> dict[tuple[str, str], float]:
    return {(claim.quantity, claim.over): claim.value for claim in sample.claims}


@pytest.mark.django_db
def test_all_claims_of_cuda_l1_are_kept_as_claims(tmp_path):
    ingest_file(write_lines(tmp_path / "cuda_l1_h100.jsonl", [CUDA_L1 | CLAIMED]))
    sample = Sample.objects.with_body().get()
    assert [(c["over"], c["value"], c["device"]) for c in sample.body.claims] == [
        ("eager", 2.5, "H100"),
        ("torch.compile", 1.5, "H100"),
        ("torch.compile, reduce-overhead", 1.25, "H100"),
        ("CUDA graph", 1.125, "H100"),
        ("cuDNN", 1.0625, "H100"),
    ]
    assert sample.claimed_speedup == 2.5
    assert not set(sample.body.extra) & set(CLAIMED)


@pytest.mark.django_db
def test_the_claims_of_a_second_device_stay_with_the_sample(tmp_path):
    ingest_file(write_lines(tmp_path / "cuda_l1_h100.jsonl", [CUDA_L1 | CLAIMED]))
    on_a100 = CLAIMED | {"score_default": 3.0, "score_cudnn": None}
    ingest_file(write_lines(tmp_path / "cuda_l1_a100.jsonl", [CUDA_L1 | on_a100]))
    [also] = Sample.objects.with_body().get().body.extra["also_claimed"]
    assert (also["device"], also["speedup"]) == ("A100", 3.0)
    claimed = {claim["over"]: claim["value"] for claim in also["claims"]}
    assert claimed["torch.compile"] == 1.5
    assert "cuDNN" not in claimed, "null says that there was no measurement"


@pytest.mark.django_db
def test_cuda_l1s_first_release_is_one_object_of_levels(tmp_path):
    row = {name: CUDA_L1[name] for name in ("task_id", "ref_code", "custom_code")}
    levels = {
        "1": [row | {"score": "2.750"}, row | {"task_id": 4, "custom_code": None, "score": None}],
        "2": [row | {"task_id": 9, "ref_code": PROGRAM.format(number=2), "score": "often"}],
        "3": [],
    }
    path = tmp_path / "h100_xsm.json"
    path.write_text(json.dumps(levels, indent=2))
    first, alone, refused = items_of(path)
    assert (first.task.level, first.task.problem, first.sample.claimed_speedup) == (1, 3, 2.75)
    assert alone.sample is None
    assert (refused.field, refused.reason) == ("score", "is not a number")
    assert json.loads(refused.raw)["list_name"] == "2"


@pytest.mark.django_db
def test_a_corrected_row_of_the_first_release_goes_in(tmp_path):
    row = {name: CUDA_L1[name] for name in ("task_id", "ref_code", "custom_code")} | {"score": "1.5"}
    [item] = items_of(write_lines(tmp_path / "fixed.jsonl", [row | {"list_name": "2"}]))
    assert (item.task.level, item.sample.claimed_speedup) == (2, 1.5)


def test_an_object_of_lists_that_breaks_off_says_where(tmp_path):
    path = tmp_path / "cut.json"
    path.write_text('{\n  "1": [\n    {"task_id": 1},\n    {"task_')
    with pytest.raises(IngestError, match="breaks off in row 2"):
        list(SourceFile(path, path.name).records())


ARCHIVE = {
    "Op_Name": "relu",
    "Level_ID": 1,
    "Task_ID": 19,
    "Kernel_Name": "relu_base",
    "CUDA_Runtime": 0.25,
    "PyTorch_Native_Runtime": 0.5,
    "PyTorch_Compile_Runtime": 0.375,
    "CUDA_Speedup_Native": 2.0,
    "CUDA_Speedup_Compile": 1.5,
    "CUDA_Code": 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &f); }',
    "PyTorch_Code_Module": PROGRAM.format(number=1),
    "PyTorch_Code_Functional": PROGRAM.format(number=1).replace("(self, x)", "(self, x, fn=None)"),
    "Correct": True,
    "Max_Diff": 0.5,
    "Error": "",
    "NCU_Profile": "{'metrics': {'Executed Ipc Active': {'avg_value': 1.9}}, 'rules': {}}",
    "Torch_Profile": "{'cudaLaunchKernel': {'cpu_time_total': 12}}",
    "Clang_Tidy": "{'stdout': '3 warnings generated'}",
    "__index_level_0__": 7,
}


def test_the_ai_cuda_engineers_measurements_are_claims_and_its_profiles_are_kept(tmp_path):
    path = tmp_path / "level_1.parquet"
    pq.write_table(pa.Table.from_pylist([ARCHIVE]), path)
    [item] = items_of(path, device="H100")
    assert quantities(item.sample) == {
        (Quantity.SPEEDUP, "eager"): 2.0,
        (Quantity.SPEEDUP, "torch.compile"): 1.5,
        (Quantity.TIME, ""): 0.25,
        (Quantity.REFERENCE_TIME, "eager"): 0.5,
        (Quantity.REFERENCE_TIME, "torch.compile"): 0.375,
        (Quantity.ABSOLUTE_ERROR, ""): 0.5,
    }
    assert {claim.device for claim in item.sample.claims} == {"H100"}
    assert item.sample.extra == {
        name: ARCHIVE[name] for name in ("NCU_Profile", "Torch_Profile", "Clang_Tidy")
    }
    assert "fn=extension.forward" in item.sample.kernel


def test_a_difference_that_no_float_can_hold_is_no_claim(tmp_path):
    [item] = items_of(write_lines(tmp_path / "level_1.jsonl", [ARCHIVE | {"Max_Diff": 10**400}]))
    assert (Quantity.ABSOLUTE_ERROR, "") not in quantities(item.sample)


def test_the_ai_cuda_engineer_writes_nan_for_what_was_not_measured(tmp_path):
    unmeasured = {name: float("nan") for name in ("CUDA_Runtime", "CUDA_Speedup_Native", "Max_Diff")}
    path = tmp_path / "level_1.parquet"
    pq.write_table(pa.Table.from_pylist([ARCHIVE | unmeasured | {"Correct": False}]), path)
    [item] = items_of(path)
    assert (item.sample.claimed_speedup, item.sample.claimed_correct) == (None, False)
    assert (Quantity.SPEEDUP, "eager") not in quantities(item.sample)
    assert (Quantity.ABSOLUTE_ERROR, "") not in quantities(item.sample)


def test_kernelbooks_triton_is_a_candidate_in_triton(tmp_path):
    triton = (
        "import torch\nimport triton\nimport triton.language as tl\n\n\n"
        "@triton.jit\ndef triton_poi(in_ptr0, out_ptr0):\n    pass\n\n\n"
        "def call(args):\n    return args\n\n\n"
        "class ScaleNew(torch.nn.Module):\n"
        "    def __init__(self, size):\n        super(ScaleNew, self).__init__()\n\n"
        "    def forward(self, input_0):\n        return call([input_0])[0]\n"
    )
    row = {
        "entry_point": "Scale",
        "python_code": PROGRAM.format(number=1)
        .replace("class Model", "class Scale")
        .replace("(Model", "(Scale"),
        "triton_code": triton,
        "module_name": "Scale",
        "uuid": 7,
        "licenses": ["MIT"],
    }
    [item] = items_of(write_lines(tmp_path / "kb.jsonl", [row]))
    assert (item.sample.language, item.sample.generator, item.sample.external_id) == (
        "triton",
        "TorchInductor",
        "7",
    )
    assert "class ModelNew(torch.nn.Module)" in item.sample.kernel
    assert "super(ModelNew, self)" in item.sample.kernel
    assert "triton_code" not in item.task.extra
    assert item.task.licence == "MIT"


def answer(number: int, thought: str = "") -> str:
    return f"{thought}</think>Here it is.\n```python\n{KERNEL.format(number=number)}\n```\n"


def rollout(**changes) -> dict:
    """Return a row as marin-community/glm-5.2-kernelgym-rollouts has it."""
    attempts = [answer(1, "Fuse."), answer(2, "Wider."), "I could not </think> decide.", answer(3, "Again.")]
    messages = [{"role": "user", "content": "Write ModelNew."}]
    for number, attempt in enumerate(attempts, 1):
        messages += [
            {"role": "assistant", "content": attempt},
            {"role": "user", "content": f"Verdict {number}"},
        ]
    messages.append({"role": "assistant", "content": "KERNELGYM_FINAL"})
    row = {
        "problem_id": "level1_19",
        "problem_name": "19_ReLU",
        "rollout": 2,
        "reference_code": PROGRAM.format(number=1),
        "stop_reason": "model_final",
        "max_tokens": 16384,
        "messages": messages,
        "turns": [
            {"response": text, "usage": {"completion_tokens": 100 + i}} for i, text in enumerate(attempts)
        ],
    }
    return row | changes


def test_each_turn_of_a_conversation_is_a_sample_with_its_parent_and_feedback(tmp_path):
    items = items_of(write_lines(tmp_path / "rollouts.jsonl", [rollout()]))
    first, second, refused, last = items
    assert [item.sample.turn for item in (first, second, last)] == [0, 1, 3]
    assert [item.sample.reasoning for item in (first, second, last)] == ["Fuse.", "Wider.", "Again."]
    assert (first.sample.parent, first.sample.feedback) == ("", "")
    assert (second.sample.parent, second.sample.feedback) == (first.sample.external_id, "Verdict 1")
    assert (last.sample.parent, last.sample.feedback) == (second.sample.external_id, "Verdict 3")
    assert second.sample.sampling == {"completion_tokens": 101}
    assert last.sample.extra == {"rollout": 2, "stop_reason": "model_final", "max_tokens": 16384}
    assert isinstance(refused, Refusal)
    assert "turn 2 has no kernel" in refused.reason


def test_what_a_conversation_claims_is_kept_where_its_last_turn_has_no_kernel(tmp_path):
    row = rollout()
    row["turns"], row["messages"] = row["turns"][:3], row["messages"][:7]
    first, second, refused = items_of(write_lines(tmp_path / "rollouts.jsonl", [row]))
    assert isinstance(refused, Refusal)
    assert (first.sample.extra, second.sample.extra["stop_reason"]) == ({}, "model_final")


@pytest.mark.django_db
def test_a_conversation_becomes_a_trajectory_of_the_task(tmp_path):
    ingest = ingest_file(write_lines(tmp_path / "rollouts.jsonl", [rollout(), rollout(rollout=3)]))
    assert (ingest.format, ingest.new_tasks, ingest.new_samples, ingest.refused) == ("messages", 1, 3, 2)
    turns = Sample.objects.order_by("turn")
    assert [turn.parent_id for turn in turns] == [None, turns[0].pk, turns[1].pk]


def test_the_texts_of_a_conversation_count_for_the_size_of_a_batch(tmp_path):
    [item, *_] = items_of(write_lines(tmp_path / "rollouts.jsonl", [rollout()]))
    long = replace(item, record=Record(1, {"messages": []}), sample=replace(item.sample, kernel="k" * 10**6))
    assert weight(long) > 10**6


def test_a_conversation_without_recorded_turns_takes_every_answer(tmp_path):
    row = rollout(turns=None)
    items = items_of(write_lines(tmp_path / "a.jsonl", [row, rollout(messages="none")]))
    assert sum(isinstance(item, Row) for item in items) == 3
    assert items[-1].reason == "is no list of messages"
