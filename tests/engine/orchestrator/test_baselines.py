"""Tests of baselines: measured once, scaled by eager, measured again if it changed, or missing with
a reason."""

import shutil
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

from eval_app.engine import PROFILES, Engine, Job, Outcome
from eval_app.engine.orchestrator import baselines
from eval_app.engine.orchestrator.post_verdict import PostVerdict
from eval_app.engine.orchestrator.queries import Queries
from eval_app.engine.orchestrator.task_store import TaskStore

CPU = {"kind": "cpu", "name": "a processor"}
SPREAD = {"median_ms": 2.0, "p10_ms": 1.9, "p90_ms": 2.1, "n": 20, "samples_ms": [2.0]}
KNOWN = {
    "eager": SPREAD,
    "mode": SPREAD | {"median_ms": 1.0, "p10_ms": 0.9, "p90_ms": 1.1, "samples_ms": [1.0]},
}
TASK = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2{extra}
def get_inputs():
    return [torch.randn(64, 64)]
def get_init_inputs():
    return []
"""


class _NoLane:
    """Stand-in for a lane that must not be used."""

    device = SimpleNamespace(kind="cuda")

    def queries(self):
        return Queries(None)


def shortened(spread):
    """Return the spread with each time a thousandth of what it was."""
    times = {name: spread[name] / 1000 for name in ("median_ms", "p10_ms", "p90_ms")}
    return spread | times | {"samples_ms": [sample / 1000 for sample in spread["samples_ms"]]}


def store(folder, device=CPU, **versions):
    return TaskStore(folder, device, {"torch": "2.11", **versions})


def job(modes, **profile):
    return Job("a", TASK, TASK, profile=replace(PROFILES["quick"], baselines=modes, **profile))


def never():
    return False


def test_what_was_kept_is_found_again_for_the_same_machine_only(tmp_path):
    store(tmp_path).keep(KNOWN, "baseline", "compile", "task")
    assert store(tmp_path).find("baseline", "compile", "task") == KNOWN
    assert store(tmp_path).find("baseline", "compile", "other task") is None
    assert store(tmp_path, torch="2.12").find("baseline", "compile", "task") is None
    assert store(tmp_path, {"kind": "cuda", "name": "a GPU"}).find("baseline", "compile", "task") is None


def test_a_damaged_file_is_as_if_it_were_not_there(tmp_path):
    kept = store(tmp_path)
    kept.keep(KNOWN, "baseline", "compile", "task")
    kept.path("baseline", "compile", "task").write_text("{")
    assert kept.find("baseline", "compile", "task") is None


def test_a_kept_time_is_scaled_by_how_eager_moved(tmp_path):
    kept = store(tmp_path)
    kept.keep(KNOWN, "baseline", "compile", TASK)
    found = baselines.gather(job(["compile"]), _NoLane(), 2.06, kept, never)
    assert found.reused == ["compile"]
    assert found.spreads["compile"].median_ms == pytest.approx(1.03)


def test_eager_that_moved_by_more_than_a_twentieth_ends_the_reuse(tmp_path):
    kept = store(tmp_path)
    kept.keep(KNOWN, "baseline", "compile", TASK)
    with pytest.raises(AttributeError):  # it is measured, and here is no zygote for that
        baselines.gather(job(["compile"]), _NoLane(), 2.2, kept, never)


def test_eager_of_a_few_microseconds_may_move_by_a_tenth_since_its_place_in_memory_moves_it(tmp_path):
    kept = store(tmp_path)
    kept.keep({name: shortened(spread) for name, spread in KNOWN.items()}, "baseline", "compile", TASK)
    found = baselines.gather(job(["compile"]), _NoLane(), 0.00215, kept, never)
    assert found.reused == ["compile"]
    with pytest.raises(AttributeError):
        baselines.gather(job(["compile"]), _NoLane(), 0.00223, kept, never)


def test_a_reason_is_kept_too_unless_there_is_more_time_now(tmp_path):
    kept = store(tmp_path)
    kept.keep({"missing": "it took longer than 60 s", "within_s": 60.0}, "baseline", "compile", TASK)
    found = baselines.gather(job(["compile"], baseline_timeout_s=60.0), _NoLane(), 2.0, kept, never)
    assert found.missing == {"compile": "it took longer than 60 s"}
    with pytest.raises(AttributeError):
        baselines.gather(job(["compile"], baseline_timeout_s=90.0), _NoLane(), 2.0, kept, never)


def test_a_mode_that_does_not_exist_is_named(tmp_path):
    found = baselines.gather(job(["fastest"]), _NoLane(), 2.0, store(tmp_path), never)
    assert "compile" in found.missing["fastest"]


@pytest.mark.parametrize(("mode", "word"), [("cudagraph", "no CUDA graphs"), ("compile", "thorough")])
def test_what_a_cpu_cannot_or_would_take_too_long_for_is_not_tried(tmp_path, mode, word):
    cpu = _NoLane()
    cpu.device = SimpleNamespace(kind="cpu")
    found = baselines.gather(job([mode], baseline_timeout_s=60.0), cpu, 2.0, store(tmp_path), never)
    assert word in found.missing[mode]


needs_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
FAST = replace(
    PROFILES["quick"], name="fast", trials=1, repeats=1, families=[], admission=False, reweigh=False,
    timing_budget_s=0.2, timings_min=5,
)  # fmt: skip


@pytest.mark.engine
@needs_sandbox
def test_what_a_cpu_cannot_do_says_why_and_costs_no_verdict(engine):
    candidate = TASK.format(extra="").replace("class Model(", "class ModelNew(")
    profile = replace(FAST, baselines=["cudagraph"])
    report = engine.verify(Job("a", TASK.format(extra=""), candidate, profile=profile))
    assert report.outcome is Outcome.PASSED, report.detail
    assert report.timing.baselines_missing == {"cudagraph": "a CPU has no CUDA graphs"}
    assert report.timing.roofline.bytes == 2 * 64 * 64 * 4
    assert report.timing.roofline.flops == 0
    assert "measured" in report.timing.roofline.peaks


@pytest.mark.engine
@pytest.mark.long
@needs_sandbox
def test_compile_is_measured_once_held_against_the_truth_and_used_again(tmp_path):
    candidate = TASK.format(extra="").replace("class Model(", "class ModelNew(")
    profile = replace(FAST, baselines=["compile"], baseline_timeout_s=240.0, timings_min=20)
    with Engine("cpu", tmp_path) as engine:
        first, second = (
            engine.verify(Job("a", TASK.format(extra=""), candidate, profile=profile)) for _ in range(2)
        )
    assert set(first.timing.baselines) == {"eager", "compile"}, first.timing.baselines_missing
    assert first.timing.baselines_reused == []
    assert set(second.timing.baselines) == {"eager", "compile"}
    assert first.seconds["baselines"] > second.seconds["baselines"] or not second.timing.baselines_reused


@pytest.mark.engine
@pytest.mark.long
@needs_sandbox
def test_a_task_that_computes_something_else_when_compiled_has_no_such_baseline(tmp_path):
    reference = TASK.format(extra=" + (1 if torch.compiler.is_compiling() else 0)")
    candidate = reference.replace("class Model(", "class ModelNew(")
    profile = replace(FAST, baselines=["compile"], baseline_timeout_s=240.0)
    with Engine("cpu", tmp_path) as engine:
        report = engine.verify(Job("a", reference, candidate, profile=profile))
    assert "differ from eager" in report.timing.baselines_missing["compile"]


def test_peak_rates_that_could_not_be_measured_are_asked_for_again(tmp_path):
    kept = store(tmp_path)
    queries = SimpleNamespace(ask=lambda *_: {"missing": "not enough device memory"})
    lane = SimpleNamespace(
        device=SimpleNamespace(facts={}, kind="cpu", name="cpu"), queries=lambda: nullcontext(queries)
    )
    assert PostVerdict(SimpleNamespace(of=lambda device: kept), None, "none")._measured_peaks(lane) is None
    assert kept.find("peaks") is None
