"""Tests of each format in every form in which it is published."""

import csv
import gzip
import json
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from datasets_app.ingest import Refusal, Row
from tests.factories import KERNEL, PROGRAM
from tests.ingest.conftest import concur_row, items_of, workbench_row, write_lines

ROWS = [concur_row(number) for number in range(3)]


def as_arrow_stream(path, rows):
    table = pa.Table.from_pylist(rows)
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)
    return path


def as_arrow_file(path, rows):
    table = pa.Table.from_pylist(rows)
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


def as_parquet(path, rows):
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def as_csv(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def as_json(path, rows):
    path.write_text(json.dumps(rows, indent=1))
    return path


FORMS = [as_arrow_stream, as_arrow_file, as_parquet, as_csv, as_json, write_lines]


@pytest.mark.parametrize("form", FORMS)
def test_concurs_columns_read_the_same_in_every_form(form, tmp_path):
    items = items_of(form(tmp_path / "data.bin", ROWS))
    assert [item.task.program for item in items] == [row["pytorch_code"] for row in ROWS]
    assert [item.sample.kernel for item in items] == [row["generated_code"] for row in ROWS]
    assert [item.sample.claimed_speedup for item in items] == [1.5] * 3
    assert items[2].task.external_id == "2"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_every_form_may_be_compressed(form, pack, tmp_path):
    plain = form(tmp_path / "data.bin", ROWS)
    packed = tmp_path / "data.packed"
    packed.write_bytes(pack(plain.read_bytes()))
    assert items_of(packed)[1].task.name == "relu_plus_1"


def test_zstd_frames_one_after_another_are_one_file(tmp_path):
    compress = zstandard.ZstdCompressor().compress
    path = tmp_path / "rows.jsonl.zst"
    path.write_bytes(b"".join(compress(json.dumps(row).encode() + b"\n") for row in ROWS))
    assert len(items_of(path)) == 3


def test_think_tags_are_taken_off_a_trace(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1, generated_think="<think>\nWait.\n</think>")])
    assert items_of(path)[0].sample.reasoning == "Wait."


def test_a_fence_around_a_whole_program_is_taken_off(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1, generated_code=f"```python\n{KERNEL}\n```\n")])
    assert items_of(path)[0].sample.kernel.strip() == KERNEL.strip()


def test_concurs_generator_is_named_only_for_concurs_own_set(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", ROWS)
    assert items_of(path, source_name="ConCuR")[0].sample.generator == "Kevin-32B"
    assert items_of(path, source_name="ours")[0].sample.generator == ""


def test_columns_without_a_field_are_kept_beside_the_row(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1, mood="calm", loss=float("inf"))])
    assert items_of(path)[0].sample.extra == {"mood": "calm", "loss": "inf"}


def test_the_workbenchs_own_columns_are_all_read(tmp_path):
    row = workbench_row(
        1,
        name="a-2",
        parent="a-1",
        turn=2,
        feedback="It was slow.",
        sampling={"temperature": 0.6},
        language="CUDA",
        claimed_speedup="2.5",
        claimed_correct="True",
        claimed_device="H200",
        generator="writer",
    )
    [item] = items_of(write_lines(tmp_path / "a.jsonl", [row]))
    sample = item.sample
    assert (sample.external_id, sample.parent, sample.turn, sample.feedback) == (
        "a-2",
        "a-1",
        2,
        "It was slow.",
    )
    assert (sample.language, sample.claimed_speedup, sample.claimed_correct) == ("cuda", 2.5, True)
    assert (sample.claimed_device, sample.generator, sample.sampling) == (
        "H200",
        "writer",
        {"temperature": 0.6},
    )
    assert sample.extra == {}


def test_a_row_may_say_of_what_kind_and_level_its_task_is(tmp_path):
    rows = [workbench_row(1, kind="loss", level=2, suite="house", problem=4), workbench_row(2, kind="odd")]
    told, odd = items_of(write_lines(tmp_path / "a.jsonl", rows))
    assert (told.task.kind, told.task.level, told.task.suite, told.task.problem) == ("loss", 2, "house", 4)
    assert (odd.task.kind, odd.sample.extra) == ("", {"kind": "odd"})


def test_a_null_kernel_says_that_the_row_is_a_task_and_a_missing_one_is_a_mistake(tmp_path):
    rows = [
        workbench_row(1, kernel_code=None),
        {k: v for k, v in workbench_row(2).items() if k != "kernel_code"},
    ]
    alone, mistake = items_of(write_lines(tmp_path / "a.jsonl", rows))
    assert isinstance(alone, Row)
    assert alone.sample is None
    assert (mistake.field, mistake.reason) == ("kernel_code", "is missing")


KERNELBOOK = {
    "entry_point": "SumAggregator",
    "python_code": (
        "import torch\nimport torch.nn as nn\n\n\nclass SumAggregator(nn.Module):\n\n"
        "    def __init__(self, size, scale=2.0):\n        super(SumAggregator, self).__init__()\n"
        "        self.scale = scale\n\n    def forward(self, x):\n        return torch.sum(x, 1) * self.scale\n\n\n"
        "def get_inputs():\n    return [torch.rand([4, 4])]\n\n\n"
        "def get_init_inputs():\n    return [[], {'size': 4}]\n"
    ),
    "triton_code": "import triton\n",
    "module_name": "SumAggregator",
    "uuid": 7,
    "licenses": ["MIT"],
    "stars": 3,
}


def test_kernelbook_gives_a_task_in_kernelbenchs_form_and_keeps_the_triton_program(tmp_path):
    [item] = items_of(as_json(tmp_path / "kb.json", [KERNELBOOK]))
    assert item.sample is None
    assert item.task.extra["triton_code"] == "import triton\n"
    assert "class Model(nn.Module)" in item.task.program
    assert "super(Model, self)" in item.task.program
    assert item.task.program.endswith("def get_init_inputs():\n    return [4]\n")


@pytest.mark.parametrize(
    ("licenses", "licence"),
    [(["BSD-3-Clause"], "BSD-3-Clause"), (["MIT", "Apache-2.0"], "MIT AND Apache-2.0"), ([], ""), (None, "")],
)
def test_kernelbooks_programs_have_the_licences_of_their_rows(tmp_path, licenses, licence):
    [item] = items_of(as_json(tmp_path / "kb.json", [{**KERNELBOOK, "licenses": licenses}]))
    assert item.task.licence == licence
    assert "licenses" not in item.task.extra


def test_kernelbooks_licences_that_are_too_long_refuse_the_row(tmp_path):
    [item] = items_of(as_json(tmp_path / "kb.json", [{**KERNELBOOK, "licenses": ["x" * 121]}]))
    assert item.field == "licenses"


def test_kernelbook_that_does_not_parse_is_refused_with_its_line(tmp_path):
    [item] = items_of(as_json(tmp_path / "kb.json", [{**KERNELBOOK, "python_code": "class X(:\n"}]))
    assert item.field == "python_code"
    assert "does not parse" in item.reason


@pytest.mark.parametrize("number", ["+".join("1" * 500), f"0x{'F' * 4000}"], ids=["sum", "hexadecimal"])
@pytest.mark.parametrize("arguments", ["[[{}], {{}}]", "[[], {{'a': {}}}]"])
def test_kernelbook_with_an_argument_that_python_cannot_write_is_one_refusal(arguments, number, tmp_path):
    code = (
        "class A:\n    def __init__(self, a):\n        pass\n\n\n"
        f"def get_init_inputs():\n    return {arguments.format(number)}\n"
    )
    row = {**KERNELBOOK, "python_code": code, "entry_point": "A"}
    refused, after = items_of(as_json(tmp_path / "kb.json", [row, KERNELBOOK]))
    assert refused.field == "python_code"
    assert "too long or too deeply nested" in refused.reason
    assert isinstance(after, Row)


@pytest.mark.parametrize("parameters", ["self, a, *, b=1", "self, a, **more"])
def test_kernelbooks_arguments_by_name_alone_stay_as_they_are(parameters, tmp_path):
    code = (
        f"class A:\n    def __init__({parameters}):\n        pass\n\n\n"
        "def get_init_inputs():\n    return [[], {'a': 1, 'b': 2}]\n"
    )
    row = {**KERNELBOOK, "python_code": code, "entry_point": "A"}
    [item] = items_of(as_json(tmp_path / "kb.json", [row]))
    assert item.task.program == code.replace("class A", "class Model")


LEVELS = {
    "KernelBench/level1/10_Ten.py": PROGRAM.format(number=10),
    "KernelBench/level1/2_Two.py": PROGRAM.format(number=2),
    "KernelBench/level2/1_One.py": PROGRAM.format(number=1),
    "KernelBench/level2/3_Broken.py": "x = 1\n",
    "KernelBench/readme.md": "no program",
}


def as_folder(root):
    for name, text in LEVELS.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root / "KernelBench"


def as_zip(root):
    folder = as_folder(root / "src")
    with zipfile.ZipFile(root / "levels.zip", "w") as archive:
        for file in sorted(folder.rglob("*.*")):
            archive.write(file, file.relative_to(folder.parent))
    return root / "levels.zip"


def as_tar(root):
    folder = as_folder(root / "src")
    with tarfile.open(root / "levels.tar.gz", "w:gz") as archive:
        archive.add(folder, "KernelBench")
    return root / "levels.tar.gz"


@pytest.mark.parametrize("form", [as_folder, as_zip, as_tar])
def test_kernelbenchs_level_folders_are_tasks(form, tmp_path):
    items = items_of(form(tmp_path))
    good = {(item.task.level, item.task.problem, item.task.name) for item in items if isinstance(item, Row)}
    assert good == {(1, 2, "2_Two"), (1, 10, "10_Ten"), (2, 1, "1_One")}
    [bad] = [item for item in items if isinstance(item, Refusal)]
    assert json.loads(bad.raw)["name"] == "3_Broken"


def test_one_level_folder_alone_is_read(tmp_path):
    assert len(items_of(as_folder(tmp_path) / "level1")) == 2


def test_a_person_can_say_what_the_columns_of_another_table_mean(tmp_path):
    rows = [{"ref": PROGRAM.format(number=1), "cand": KERNEL.format(number=1), "language": "x", "gain": "3"}]
    path = write_lines(tmp_path / "a.jsonl", rows)
    mapping = {"pytorch_code": "ref", "kernel_code": "cand", "claimed_speedup": "gain"}
    [item] = items_of(path, "generic", mapping=mapping)
    assert item.sample.claimed_speedup == 3.0
    assert item.sample.extra == {"language": "x"}


def test_a_refusal_names_the_mapped_column(tmp_path):
    rows = [{"ref": PROGRAM.format(number=1), "cand": 17}, {"ref": "def forward(", "cand": KERNEL}]
    path = write_lines(tmp_path / "a.jsonl", rows)
    mapping = {"pytorch_code": "ref", "kernel_code": "cand"}
    number, broken = items_of(path, "generic", mapping=mapping)
    assert (number.field, number.reason) == ("cand", "should be text, not a number")
    assert (broken.field, broken.reason[:14]) == ("ref", "does not parse")


def test_a_fence_with_line_ends_of_windows_is_taken_off(tmp_path):
    fenced = f"```python\n{KERNEL}\n```\n".replace("\n", "\r\n")
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1, generated_code=fenced)])
    [item] = items_of(path)
    assert item.sample.kernel == KERNEL.replace("\n", "\r\n")
