"""Tests of FlashInfer-Bench's trace set: a folder or an archive of definitions, solutions, workloads and traces."""

import json
import zipfile

import pytest

from datasets_app.models import Sample
from datasets_app.models.source_claim import Quantity
from tests.ingest.conftest import ingest_file, items_of, write_lines


def quantities(sample) -> dict[tuple[str, str], float]:
    return {(claim.quantity, claim.over): claim.value for claim in sample.claims}


DEFINITION = {
    "name": "rmsnorm_h8",
    "op_type": "rmsnorm",
    "axes": {"batch": {"type": "var"}, "hidden": {"type": "const", "value": 8}},
    "inputs": {
        "x": {"shape": ["batch", "hidden"], "dtype": "float32"},
        "mask": {"shape": ["batch"], "dtype": "bool"},
        "eps": {"shape": None, "dtype": "float32"},
    },
    "outputs": {"y": {"shape": ["batch", "hidden"], "dtype": "float32"}},
    "reference": "import torch\n\ndef run(x, mask, eps):\n    return x * torch.rsqrt(x.pow(2).mean(-1, True) + eps)\n",
}
WORKLOAD = {
    "uuid": "w-1",
    "axes": {"batch": 4},
    "inputs": {"x": {"type": "random"}, "mask": {"type": "random"}, "eps": {"type": "scalar", "value": 1e-5}},
}


def solution(name: str, language: str, path: str, content: str) -> dict:
    spec = {"language": language, "target_hardware": ["NVIDIA_H100"], "entry_point": f"{path}::run"}
    return {
        "name": name,
        "definition": "rmsnorm_h8",
        "author": "somebody",
        "spec": spec,
        "sources": [{"path": path, "content": content}],
    }


def trace(name: str, status: str, batch: int, **measured) -> dict:
    evaluation = {
        "status": status,
        "environment": {"hardware": "NVIDIA_H100", "libs": {"torch": "2.8.0"}},
        "timestamp": "2025-10-01T00:00:00",
        "log": "",
        "correctness": measured.get("correctness"),
        "performance": measured.get("performance"),
    }
    workload = WORKLOAD | {"uuid": f"w-{batch}", "axes": {"batch": batch}}
    return {"definition": "rmsnorm_h8", "workload": workload, "solution": name, "evaluation": evaluation}


def in_folder(archive_path, folder):
    """Unpack a .zip of a set; return the set's folder."""
    with zipfile.ZipFile(archive_path) as archive:
        archive.extractall(folder)
    [top] = folder.iterdir()
    return top


def trace_set(path, **more):
    good = {
        "correctness": {"max_relative_error": 0.001, "max_absolute_error": 0.0001},
        "performance": {"latency_ms": 0.5, "reference_latency_ms": 1.0, "speedup_factor": 2.0},
    }
    files = {
        "definitions/rmsnorm/rmsnorm_h8.json": json.dumps(DEFINITION),
        "workloads/rmsnorm/rmsnorm_h8.jsonl": json.dumps({"definition": "rmsnorm_h8", "workload": WORKLOAD}),
        "solutions/somebody/rmsnorm/rmsnorm_h8/a.json": json.dumps(
            solution("a", "python", "main.py", "import torch\n\ndef run(x, mask, eps):\n    return x\n")
        ),
        "solutions/somebody/rmsnorm/rmsnorm_h8/b.json": json.dumps(
            solution("b", "cuda", "kernel.cu", "__global__ void run() {}")
        ),
        "traces/somebody/rmsnorm/rmsnorm_h8.jsonl": "\n".join(
            json.dumps(row)
            for row in (
                trace("a", "PASSED", 1, **good),
                trace("a", "PASSED", 2, **good),
                trace("b", "TIMEOUT", 1),
            )
        ),
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in (files | more).items():
            archive.writestr(f"flashinfer_trace/{name}", text)
    return path


def test_a_flashinfer_trace_set_gives_tasks_that_run_and_the_claims_of_every_workload(tmp_path):
    torch = pytest.importorskip("torch")
    python, cuda = items_of(trace_set(tmp_path / "set.zip"))
    assert (python.sample.external_id, python.sample.claimed_correct, python.sample.claimed_device) == (
        "a",
        True,
        "NVIDIA_H100",
    )
    assert {claim.on for claim in python.sample.claims} == {"batch=1", "batch=2"}
    assert quantities(python.sample)[Quantity.SPEEDUP, "the reference"] == 2.0
    assert (cuda.sample.language, cuda.sample.is_program, cuda.sample.claimed_correct) == (
        "cuda",
        False,
        False,
    )
    module: dict = {}
    exec(python.task.program, module)  # the program is made of our own texts above
    x, mask, eps = module["get_inputs"]()
    assert (tuple(x.shape), mask.dtype, eps) == ((4, 8), torch.bool, 1e-5)
    assert module["Model"](*module["get_init_inputs"]())(x, mask, eps).shape == x.shape


@pytest.mark.django_db
def test_a_set_is_read_from_its_folder_as_from_its_archive(tmp_path):
    folder = in_folder(trace_set(tmp_path / "set.zip"), tmp_path / "unpacked")
    (folder / ".git").mkdir()
    (folder / ".git" / "definitions.json").write_text("not of the set")
    ingest = ingest_file(folder)
    assert (ingest.error, ingest.new_tasks, ingest.new_samples, ingest.refused) == ("", 1, 2, 0)
    assert ingest.size_bytes > len(DEFINITION["reference"])
    changed = folder / "workloads" / "rmsnorm" / "rmsnorm_h8.jsonl"
    changed.write_text(changed.read_text() + "\n")
    assert ingest_file(folder).sha256 != ingest.sha256


@pytest.mark.django_db
def test_what_a_trace_set_should_not_contain_costs_no_other_row(tmp_path):
    odd = trace(
        "a", "PASSED", 3, correctness={"max_relative_error": float("inf"), "max_absolute_error": 10**400}
    )
    odd["evaluation"]["log"] = "a line separator \u2028 in a text"
    axes = {"batch": {"type": "const"}, "hidden": {"type": "const", "value": 8}}
    broken = DEFINITION | {
        "name": "odd",
        "axes": axes,
        "inputs": {"x": {"shape": [["batch"]], "dtype": ["float32"]}},
    }
    unnamed = DEFINITION | {"name": ["no", "name"]}
    surrogate = trace("b", "PASSED", 1) | {"workload": {"axes": {"batch": "\ud800"}}}
    path = trace_set(
        tmp_path / "set.zip",
        **{
            "definitions/odd.json": json.dumps(broken),
            "definitions/unnamed.json": json.dumps(unnamed),
            "workloads/odd.jsonl": json.dumps(
                {"definition": "odd", "workload": {"inputs": {"x": {"type": "random"}}}}
            ),
            "traces/odd.jsonl": f"{json.dumps(odd, ensure_ascii=False)}\n{json.dumps(surrogate)}",
        },
    )
    ingest = ingest_file(path)
    assert (ingest.error, ingest.new_tasks, ingest.new_samples) == ("", 2, 1)
    reasons = sorted(row.reason for row in ingest.refused_rows.all())
    assert len(reasons) == ingest.refused == 2
    assert "not valid Unicode" in reasons[0]
    assert "should be text" in reasons[1]
    claims = Sample.objects.with_body().get().body.claims
    assert {claim["on"] for claim in claims} == {"batch=1", "batch=2"}, "no claim is infinite"


def test_inputs_that_a_trace_set_keeps_in_files_are_not_made_up(tmp_path):
    stored = WORKLOAD | {
        "inputs": WORKLOAD["inputs"] | {"x": {"type": "safetensors", "path": "a", "tensor_key": "x"}}
    }
    row = {"definition": DEFINITION, "workload": stored, "solution": None, "traces": []}
    [item] = items_of(write_lines(tmp_path / "row.jsonl", [row]))
    assert item.sample is None
    assert "def get_inputs" not in item.task.program
