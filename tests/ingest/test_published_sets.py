"""Tests of sets that are published as folders, and of tables that hold no PyTorch program."""

import io
import json
import tarfile
import zipfile

import pytest

from datasets_app.ingest import Provenance
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


PROFILE = (
    '"Kernel Name","traffic","dpAI","spAI","dpPerf","spPerf","xtime","Block Size","Grid Size","device","intops",'
    '"intPerf","intAI","targetName","exeArgs","kernelName"\n'
    '"add(float *)",4e9,0.0,0.25,0.0,1e9,2000000.0,"(256, 1, 1)","(16, 1, 1)","NVIDIA GeForce RTX 3080",'
    '4096.0,1.0,1.0,"add-cuda","100","add"\n'
)


def test_a_program_of_hecbench_has_the_operations_that_were_counted_as_claims(tmp_path):
    with zipfile.ZipFile(tmp_path / "gpuflopbench.zip", "w") as archive:
        archive.writestr("gpuFLOPBench/cuda-profiling/profiling-data.csv", PROFILE)
        archive.writestr("gpuFLOPBench/HeCBench/src/add-cuda/main.cu", "int main() { return 0; }\n")
        archive.writestr("gpuFLOPBench/HeCBench/src/add-cuda/kernels.h", "__global__ void add(float*);\n")
        archive.writestr("gpuFLOPBench/HeCBench/src/scan-cuda/main.cu", "int main() { return 1; }\n")
    add, scan = items_of(tmp_path / "gpuflopbench.zip")
    assert (add.task.name, add.sample.language, add.sample.is_program) == ("add-cuda", "cuda", False)
    assert "==== kernels.h ====" in add.sample.kernel
    counted = {claim.quantity: claim.value for claim in add.sample.claims}
    assert counted[Quantity.SINGLE_FLOPS] == 2_000_000  # 1e9 per second for 2 ms
    assert counted[Quantity.DOUBLE_FLOPS] == 0
    assert counted[Quantity.INTEGER_OPERATIONS] == 4096
    assert counted[Quantity.MEMORY_BYTES] == 8_000_000
    assert add.sample.claims[0].on == "add <<<(16, 1, 1), (256, 1, 1)>>>, run with 100"
    assert scan.sample.claims == ()


def test_a_profile_counts_only_what_a_number_can_hold(tmp_path):
    def counted(**changes):
        launch = {"kernelName": "add", "xtime": 2e6, "spPerf": 1e9, "device": "RTX 3080"} | changes
        row = {
            "target": "add-cuda",
            "sources": {"main.cu": "int main() {}"},
            "profile": [launch, "no launch"],
        }
        [item] = items_of(write_lines(tmp_path / "row.jsonl", [row]), "gpuflopbench")
        return item

    assert [claim.quantity for claim in counted().sample.claims] == [Quantity.TIME, Quantity.SINGLE_FLOPS]
    assert [claim.quantity for claim in counted(xtime=1e300, spPerf=1e300).sample.claims] == [Quantity.TIME]
    assert "not valid Unicode" in counted(device="\ud800").reason


def test_a_folder_whose_name_is_no_text_is_refused_alone(tmp_path):
    with tarfile.open(tmp_path / "set.tar", "w") as archive:
        for name, text in [
            ("profiling-data.csv", PROFILE),
            ("\udcff-cuda/main.cu", "int"),
            ("add-cuda/a.cu", "int"),
        ]:
            member = tarfile.TarInfo(f"set/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    add, other = items_of(tmp_path / "set.tar", "gpuflopbench")
    assert add.sample.external_id == "add-cuda"
    assert "not valid Unicode" in other.reason


def test_tritonbenchs_two_parts_are_kernels_without_a_program_and_tasks(tmp_path):
    kernels = [
        {
            "file": "add_example.py",
            "repo": "somebody/kernels",
            "simp_instru": "Add.",
            "simp_instru_len": 1,
            "comp_instru": "Add two vectors.",
            "comp_instru_len": 3,
            "output": "import triton\n\n@triton.jit\ndef add(x):\n    pass\n",
            "star": 5,
            "difficulty": float("nan"),
        }
    ]
    tasks = [
        {
            "name": "relu_sqrt",
            "torch_code": "Z = torch.relu(x)\nreturn torch.sqrt(Z)",
            "description": "Both.",
            "math": "y",
            "difficulty": 2,
            "file": "relu_sqrt.py",
        }
    ]
    (tmp_path / "g.json").write_text(json.dumps(kernels, indent=4))
    (tmp_path / "t.jsonl").write_text(json.dumps(tasks, indent=4))  # published with this ending
    [kernel] = items_of(tmp_path / "g.json")
    assert (kernel.sample.language, kernel.sample.is_program, kernel.task.name) == (
        "triton",
        False,
        "add_example",
    )
    assert kernel.task.extra["comp_instru"] == "Add two vectors."
    assert kernel.task.extra["difficulty"] == "nan", "JSON lacks it"
    [task] = items_of(tmp_path / "t.jsonl")
    assert (task.sample, task.task.suite, task.task.name) == (None, "TritonBench-T", "relu_sqrt")
    assert task.task.extra["difficulty"] == 2


CUDA_TEXT = "#include <cuda_runtime.h>\n__global__ void f(float* x) { x[threadIdx.x] *= 2; }\n"
HIP_TEXT = CUDA_TEXT.replace("cuda_runtime.h", "hip/hip_runtime.h")


@pytest.mark.django_db
def test_pairs_of_cuda_and_hip_are_samples_that_name_each_other(tmp_path):
    path = write_lines(
        tmp_path / "cass.jsonl", [{"id": "p1", "cuda": CUDA_TEXT, "rocm": HIP_TEXT, "kind": "src"}]
    )
    mapping = {"kernel_code": "cuda", "twin_code": "rocm", "name": "id"}
    ingest = ingest_file(path, "generic", mapping=mapping)
    assert (ingest.new_tasks, ingest.new_samples, ingest.refused) == (1, 2, 0)
    cuda, hip = Sample.objects.with_body().order_by("language")
    assert (cuda.language, hip.language, hip.twin_id, cuda.body.extra) == (
        "cuda",
        "hip",
        cuda.pk,
        {"kind": "src"},
    )
    assert (hip.counterpart(), cuda.counterpart()) == (cuda, hip)
    assert not cuda.body.is_program
    assert "twin" not in hip.body.extra


@pytest.mark.django_db
def test_pairs_without_names_find_each_other_in_every_file_of_a_source(tmp_path):
    mapping = {"kernel_code": "cuda", "twin_code": "rocm"}
    for name in ("a.jsonl", "b.jsonl"):
        cuda, hip = (f"{text}// {name}\n" for text in (CUDA_TEXT, HIP_TEXT))
        path = write_lines(tmp_path / name, [{"cuda": cuda, "rocm": hip}])
        ingest_file(path, "generic", mapping=mapping, provenance=Provenance("CASS"))
    hip = Sample.objects.filter(language="hip").select_related("twin")
    assert [sample.twin.external_id for sample in hip.order_by("external_id")] == [
        "a.jsonl, row 1",
        "b.jsonl, row 1",
    ]


@pytest.mark.django_db
def test_submissions_to_a_leaderboard_keep_their_times(tmp_path):
    row = {
        "submission": 5,
        "board": "grayscale",
        "text": CUDA_TEXT,
        "seconds": 0.002,
        "who": "x",
        "on": "H100",
    }
    mapping = {"kernel_code": "text", "task_name": "board", "name": "submission", "claimed_time_s": "seconds"}
    mapping["claimed_device"] = "on"
    too_long = row | {"submission": 6, "text": f"{CUDA_TEXT}//", "seconds": 1e308}
    ingest_file(write_lines(tmp_path / "submissions.jsonl", [row, too_long]), "generic", mapping=mapping)
    sample, slow = Sample.objects.with_body().select_related("task").order_by("external_id")
    assert (sample.task.name, sample.external_id) == ("grayscale", "5")
    assert sample.body.claims == [{"quantity": "time_ms", "value": 2.0, "device": "H100"}]
    assert slow.body.claims == []
    assert sample.body.extra == {"who": "x"}


SCHEDULE = (
    "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n        /*0010*/                   EXIT ;\n"
)


@pytest.mark.django_db
def test_a_schedule_of_machine_code_is_a_sample_in_sass(tmp_path):
    row = {"kernel": "gemm", "schedule": SCHEDULE, "speedup": 1.1}
    mapping = {"kernel_code": "schedule", "task_name": "kernel", "claimed_speedup": "speedup"}
    ingest_file(write_lines(tmp_path / "schedules.jsonl", [row]), "generic", mapping=mapping)
    sample = Sample.objects.get()
    assert (sample.language, sample.claimed_speedup) == ("sass", 1.1)
