"""Tests of the demo pack, a new site's first data: complete, sound where stated, silent about the rest."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from datasets_app.demo_pack import TASKS, read_pack, recorded
from tests.ingest.demo_pack_expected import UNSOUND_ON_CPU, UNSOUND_ON_GPU

ROOT = Path(__file__).resolve().parents[2]
ROWS = list(read_pack())
BY_NAME = {row["name"]: row for row in ROWS}
RUNNABLE = [row["name"] for row in ROWS if row["language"] in ("cpp", "python")]
SOUND = [name for name in RUNNABLE if name not in UNSOUND_ON_CPU]
ALWAYS_EVERY = 4  # of the Python samples; all others are verified by `make test-all`
KEYS = {
    "task_name", "pytorch_code", "reasoning", "kernel_code", "generator", "sampling", "language", "level",
    "kind", "claimed_speedup", "claimed_correct", "claimed_device", "parent", "turn", "feedback", "name",
    "twin",
}  # fmt: skip


def verified(names: list[str]) -> list[Any]:
    """Return the samples as parameters of a test that runs the engine; most are marked long."""
    always = [name for name in names if BY_NAME[name]["language"] == "python"][::ALWAYS_EVERY]
    return [pytest.param(name, marks=[] if name in always else pytest.mark.long) for name in names]


def tasks_with(language: str) -> set[str]:
    return {row["task_name"] for row in ROWS if row["language"] == language}


def test_every_row_has_exactly_the_promised_keys():
    assert all(set(row) == KEYS for row in ROWS)


def test_there_are_enough_tasks_samples_and_kinds():
    assert len({row["task_name"] for row in ROWS}) >= 24
    assert len(ROWS) >= 60
    assert len({row["kind"] for row in ROWS}) >= 14


def test_every_task_has_a_cuda_kernel_and_many_have_a_cpp_one():
    assert tasks_with("cuda") == {row["task_name"] for row in ROWS}
    assert len(tasks_with("cpp")) >= 14
    assert tasks_with("triton")


def test_names_are_unique_and_so_are_extension_names():
    assert max(Counter(row["name"] for row in ROWS).values()) == 1
    extensions = [
        re.findall(r'name="(\w+)"', row["kernel_code"]) for row in ROWS if "load_inline" in row["kernel_code"]
    ]
    assert max(Counter(name for names in extensions for name in names).values()) == 1


def test_every_file_of_a_task_belongs_to_a_sample():
    expected = {path for row in ROWS for path in _files_of(row)}
    assert {
        path for path in TASKS.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    } == expected


def _files_of(row: dict[str, Any]) -> list[Path]:
    task, sample = row["name"].split(".")
    names = ("reference.py", "samples.json", f"{sample}.kernel.py", f"{sample}.trace.md")
    return [TASKS / task / name for name in names]


def test_a_language_is_what_the_program_uses():
    marks = {
        "hip": "hip/hip_runtime",
        "cuda": "cuda_sources=",
        "cpp": "cpp_sources=",
        "triton": "@triton.jit",
    }
    for row in ROWS:
        used = next((language for language, mark in marks.items() if mark in row["kernel_code"]), "python")
        assert row["language"] == used, row["name"]


def test_turns_of_a_trajectory_name_their_parent_and_the_feedback():
    later = [row for row in ROWS if row["parent"]]
    assert len(later) >= 3
    for row in later:
        parent = BY_NAME[row["parent"]]
        assert parent["task_name"] == row["task_name"]
        assert row["turn"] == parent["turn"] + 1
        assert row["feedback"]


def test_one_trajectory_has_five_turns_and_each_but_the_first_answers_feedback():
    turns = [row for row in ROWS if row["task_name"] == "column_variance" and row["language"] == "cpp"]
    assert [row["turn"] for row in turns] == [1, 2, 3, 4, 5]
    assert [row["parent"] for row in turns[1:]] == [row["name"] for row in turns[:-1]]


def test_the_hip_kernel_translates_a_cuda_kernel_of_its_task():
    [translated] = [row for row in ROWS if row["language"] == "hip"]
    original = BY_NAME[translated["twin"]]
    assert (original["language"], original["task_name"]) == ("cuda", translated["task_name"])
    assert [row["name"] for row in ROWS if row["twin"]] == [translated["name"]]


def test_one_task_has_a_family_of_triton_kernels_and_one_is_a_backward_pass():
    assert max(Counter(row["task_name"] for row in ROWS if row["language"] == "triton").values()) >= 3
    assert any("torch.autograd.grad" in row["pytorch_code"] for row in ROWS)


def test_ragged_batches_a_step_of_speculative_decoding_and_spans_of_attention_have_kernels_with_traces():
    for task in ("ragged_kv_append", "ragged_mean", "span_attention", "span_softmax"):
        rows = [row for row in ROWS if row["task_name"] == task]
        assert {"cuda", "cpp"} <= {row["language"] for row in rows}, task
        assert any(row["reasoning"] for row in rows), task


def test_a_first_turn_has_neither_parent_nor_feedback():
    assert all(row["feedback"] is None for row in ROWS if row["turn"] == 1)


def test_two_samples_have_no_trace_and_the_others_differ_widely_in_length():
    lengths = sorted(len(row["reasoning"]) for row in ROWS if row["reasoning"])
    assert len(ROWS) - len(lengths) == 2
    assert lengths[0] < 500
    assert lengths[-1] > 12_000
    assert sum(length > 4_000 for length in lengths) >= 5


def test_no_two_traces_share_a_sentence_of_filler():
    seen: Counter[str] = Counter()
    for row in ROWS:
        seen.update({line.strip() for line in row["reasoning"].splitlines() if len(line.strip()) > 60})
    assert [line for line, count in seen.items() if count > 1] == []


def test_traces_hold_no_think_tags():
    assert not any("think>" in row["reasoning"] for row in ROWS)


@pytest.mark.parametrize("word", ["cheat", "hack", "on purpose", "deliberate", "unsound", "bad sample"])
def test_the_pack_gives_no_sample_away(word: str):
    text = json.dumps(ROWS).lower()
    assert word not in text


def test_the_expectations_name_samples_of_the_pack():
    assert set(UNSOUND_ON_CPU) <= set(RUNNABLE)
    assert {BY_NAME[name]["language"] for name in UNSOUND_ON_GPU} == {"cuda"}
    assert len(UNSOUND_ON_CPU) >= 10


def test_the_pack_reads_without_django_and_without_torch():
    code = "import sys; from datasets_app.demo_pack import read_pack; next(read_pack()); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"django", "torch"} & set(done.stdout.split())


@pytest.fixture(scope="session")
def faults(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Run each C++ and Python sample against its reference; return the faults by the sample's name."""
    pytest.importorskip("torch")
    command = [sys.executable, str(Path(__file__).with_name("demo_pack_checker.py"))]
    done = subprocess.run([*command, str(tmp_path_factory.mktemp("pack"))], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["name"]: line["faults"] for line in lines}


@pytest.mark.long
@pytest.mark.engine
@pytest.mark.xdist_group("demo pack")
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_sample_agrees_with_its_reference(name: str, faults: dict[str, list[str]]):
    assert faults[name] == []


@pytest.mark.long
@pytest.mark.engine
@pytest.mark.xdist_group("demo pack")
@pytest.mark.parametrize("name", list(UNSOUND_ON_CPU))
def test_an_unsound_sample_shows_it(name: str, faults: dict[str, list[str]]):
    assert faults[name]


@pytest.fixture(scope="session")
def reports(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """Return the engine's reports on the samples that this run's tests request, by the sample's name."""
    pytest.importorskip("eval_app.engine")
    names = [item.callspec.params["name"] for item in request.session.items if "reports" in item.fixturenames]
    folder = tmp_path_factory.mktemp("engine")
    jobs = [
        {
            "id": n,
            "reference": BY_NAME[n]["pytorch_code"],
            "candidate": BY_NAME[n]["kernel_code"],
            "language": "auto",
        }
        for n in names
    ]
    (folder / "jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job in jobs))
    command = [
        sys.executable,
        "-m",
        "eval_app.engine",
        "verify",
        "jobs.jsonl",
        "-o",
        "reports.jsonl",
        "--device",
        "cpu",
    ]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    done = subprocess.run(
        [*command, "--cache-dir", str(folder / "cache")],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    read = [json.loads(line) for line in (folder / "reports.jsonl").read_text().splitlines()]
    return {report["id"]: report for report in read}


@pytest.mark.engine
@pytest.mark.xdist_group("demo pack")
@pytest.mark.parametrize("name", verified(SOUND))
def test_the_engine_passes_a_sound_sample(name: str, reports: dict[str, dict[str, Any]]):
    report = reports[name]
    assert report["outcome"] == "passed", report["detail"]
    assert not [finding for finding in report["findings"] if finding["severity"] == "reject"]


@pytest.mark.engine
@pytest.mark.xdist_group("demo pack")
@pytest.mark.parametrize("name", verified(list(UNSOUND_ON_CPU)))
def test_the_engine_judges_an_unsound_sample_as_expected(name: str, reports: dict[str, dict[str, Any]]):
    report = reports[name]
    assert report["outcome"] in UNSOUND_ON_CPU[name].outcomes, report["detail"]


def test_every_recorded_report_is_about_the_texts_that_the_pack_has_now():
    by_name = {found.name: found for found in recorded.read()}
    assert set(by_name) == {row["name"] for row in ROWS if row["language"] in ("cuda", "triton")}
    for name, found in by_name.items():
        assert found.texts == recorded.texts_hash(BY_NAME[name]), (
            f"record {name} again: its texts have changed"
        )
        assert "uuid" not in found.report["device"]


def test_recorded_reports_are_written_as_they_are_read(tmp_path):
    found = [{**one.report, "id": one.name} for one in recorded.read()]
    path = tmp_path / "reports.jsonl"
    assert recorded.write(reversed(found), path) == len(found)
    assert path.read_bytes() == recorded.RECORDED.read_bytes()
    with pytest.raises(KeyError):
        recorded.write([{**found[0], "id": "unknown"}], path)
