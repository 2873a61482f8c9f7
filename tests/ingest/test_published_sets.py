"""Tests of sets that are published as folders, and of tables that hold no PyTorch program."""

import io
import json
import tarfile
import zipfile

import pytest

from datasets_app.ingest import Provenance
from datasets_app.ingest.readers.gpu_flop_bench import GpuFlopBenchReader
from datasets_app.ingest.source_file import SourceFile
from datasets_app.models import Sample
from datasets_app.models.source_claim import Quantity
from tests.ingest.conftest import ingest_file, items_of, write_lines

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


def test_the_kernels_that_were_extracted_of_hecbench_are_a_row_each(tmp_path):
    """The form of source-scraping/extracted_CUDA_kernels.json: program, path on somebody's machine, kernels."""
    source = "/Users/somebody/hecbench-roofline/src/{}"
    add, scale = (
        "__global__ void add(float* x) { x[0] += 1; }",
        "__global__ void scale(float* x) { x[0] *= 2; }",
    )
    published = {
        "add-cuda": {source.format("add-cuda/main.cu"): [add, scale]},
        "scan-cuda": {source.format("scan-cuda/lib/scan.h"): [add], source.format("scan-cuda/main.cu"): [7]},
    }
    (tmp_path / "extracted.json").write_text(json.dumps(published, indent=4))
    first, second, third, refused = items_of(tmp_path / "extracted.json")
    assert (first.task.name, first.sample.kernel, first.sample.is_program) == ("add-cuda", add, False)
    assert second.sample.kernel == scale
    assert [item.sample.external_id for item in (first, second, third)] == [
        "add-cuda|main.cu|0",
        "add-cuda|main.cu|1",
        "scan-cuda|lib/scan.h|0",
    ]
    assert (third.task.name, third.sample.language, third.sample.claims) == ("scan-cuda", "cuda", ())
    assert (refused.line, refused.field) == (4, "sources")


def test_an_object_of_other_objects_is_not_taken_for_hecbenchs(tmp_path):
    (tmp_path / "own.json").write_text(json.dumps({"first": {"kernel": "x"}, "second": 3}, indent=1))
    file = SourceFile(tmp_path / "own.json", "own.json")
    assert file.kind() == "json-objects"
    assert GpuFlopBenchReader().recognises(file.peek()) == 0
    row, refused = file.records()
    assert row.values == {"list_name": "first", "kernel": "x"}
    assert (refused.line, refused.field) == (2, "")


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
