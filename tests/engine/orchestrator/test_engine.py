"""Tests of the engine from outside: faulty references, parallel jobs, cancelling, the command line."""

import json
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from eval_app.engine import PROFILES, Engine, Job, Outcome
from eval_app.engine.contract.jobs import Language
from eval_app.engine.hardware.device import DeviceError, gpu_count
from eval_app.engine.orchestrator.post_verdict import PostVerdict

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]

ROOT = Path(__file__).parents[3]
REFERENCE = """
import torch
class Model(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = torch.nn.Linear(features, features)
    def forward(self, x):
        return torch.relu(self.linear(x))
def get_inputs():
    return [torch.randn(16, 32)]
def get_init_inputs():
    return [32]
"""
CANDIDATE = REFERENCE.replace("class Model(", "class ModelNew(")
FAST = replace(
    PROFILES["quick"], name="fast", timing_budget_s=0.2, timings_min=5, call_timeout_s=30.0, load_timeout_s=60.0,
    first_call_timeout_s=30.0, total_timeout_s=120.0,
)  # fmt: skip


def job(reference=REFERENCE, candidate=CANDIDATE, name="job", **options):
    return Job(name, reference, candidate, **{"profile": FAST, **options})


# For tests of the machinery: without timing, other load on the machine has no effect.
UNTIMED = replace(FAST, name="untimed", timings_min=0, timings_max=0)


def untimed_job(*arguments, **options):
    return job(*arguments, **{"profile": UNTIMED, **options})


def test_a_good_candidate_passes_with_its_evidence(engine):
    report = engine.verify(job())
    assert report.outcome is Outcome.PASSED, report.detail
    assert report.correctness.weights == "state_dict"
    assert report.correctness.compared > FAST.trials
    # Pairs; on a busy host that confirms no time, the orders of many calls, of which there are four at least.
    assert report.timing.candidate.n >= (FAST.timings_min if report.timing.confirmed_by else 4)
    assert report.device["kind"] == "cpu"
    assert {"engine", "torch", "python"} <= set(report.versions)
    assert report.sandbox == "bwrap"


def test_weights_made_in_inference_mode_take_the_reference_s_values(engine):
    frozen = CANDIDATE.replace(
        "self.linear = torch", "with torch.inference_mode():\n            self.linear = torch"
    )
    report = engine.verify(untimed_job(candidate=frozen))
    assert report.outcome is Outcome.PASSED, report.detail
    assert report.correctness.weights == "state_dict"


ONE_AT_A_TIME = (
    CANDIDATE.replace(
        "self.linear = torch.nn.Linear(features, features)",
        "self.linear = torch.nn.Linear(features, features)\n"
        "        ModelNew.alive += 1\n"
        "        assert ModelNew.alive == 1\n"
        "        self.linear.weight.data *= 2\n"
        "        self.linear.bias.data *= 2\n"
        "    def __del__(self):\n"
        "        ModelNew.alive -= 1",
    )
    .replace("self.linear(x)", "self.linear(x) / 2")
    .replace("(torch.nn.Module):", "(torch.nn.Module):\n    alive = 0")
)


def test_a_model_is_gone_before_another_one_is_built(engine):
    report = engine.verify(untimed_job(candidate=ONE_AT_A_TIME))
    assert report.outcome is Outcome.PASSED, report.detail
    assert report.correctness.weights == "seeded"


def test_wrong_values_are_named_with_place_and_both_values(engine):
    report = engine.verify(job(candidate=CANDIDATE.replace("torch.relu(self.linear(x))", "self.linear(x)")))
    assert report.outcome is Outcome.WRONG_VALUE
    assert report.correctness.mismatches[0].output == "output"
    assert len(report.correctness.mismatches[0].index) == 2


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (("def get_inputs", "def other"), "get_inputs"),
        (("torch.relu(self.linear(x))", "1 / 0"), "ZeroDivisionError"),
        (("return torch.relu(self.linear(x))", "import os; os._exit(0)"), "terminated the judge"),
        (("return torch.relu(self.linear(x))", "import time; time.sleep(100)"), "in time"),
        (
            ("torch.relu(self.linear(x))", "self.linear(x) + __import__('time').perf_counter_ns() % 7919"),
            "different outputs",
        ),
    ],
)
def test_a_reference_at_fault_blames_nobody_else(engine, change, word):
    short = replace(FAST, load_timeout_s=4.0, first_call_timeout_s=1.0) if word == "in time" else FAST
    report = engine.verify(job(reference=REFERENCE.replace(*change), profile=short))
    assert report.outcome is Outcome.INVALID_REFERENCE, report.detail
    assert word in report.detail


def test_an_extension_known_to_fail_is_a_build_error_again_also_behind_a_fallback(engine):
    built = (
        "        super().__init__()",
        "        super().__init__()\n"
        "        from torch.utils.cpp_extension import load_inline\n"
        "        try:\n"
        "            wrong = 'int fast() { return }'\n"
        "            self.fast = load_inline('fast', wrong, functions=['fast'], no_implicit_headers=True)\n"
        "        except Exception:\n"
        "            self.fast = None",
    )
    reports = [engine.verify(job(candidate=CANDIDATE.replace(*built))) for _ in range(2)]
    assert [report.outcome for report in reports] == [Outcome.BUILD_ERROR] * 2, reports[1].detail
    assert reports[1].build.cached


def test_equal_values_under_a_norm_blame_nobody_whose_rounding_cannot_be_judged_there(engine):
    # Scaled by 100: the last bits of small values sometimes change by less than a tolerance.
    norm = REFERENCE.replace(
        "return torch.relu(self.linear(x))",
        "return torch.nn.functional.batch_norm(self.linear(100 * x), None, None, training=True)",
    )
    by_hand = norm.replace("class Model(", "class ModelNew(").replace(
        "return torch.nn.functional.batch_norm(self.linear(100 * x), None, None, training=True)",
        "y = torch.addmm(self.linear.bias, 100 * x, self.linear.weight.t())\n"
        "        d = y - y.sum(0) / y.shape[0]\n"
        "        return d / torch.sqrt((d * d).sum(0) / y.shape[0] + 1e-5)",
    )
    profile = replace(UNTIMED, families=["constant", "mixed"])
    report = engine.verify(job(norm, by_hand, profile=profile))
    assert report.outcome is Outcome.PASSED, report.detail
    assert "mixed" in report.correctness.families


FORGED = (
    "return torch.relu(self.linear(x))",
    "import gc\n"
    "        from eval_app.engine.sandbox.channel import Channel\n"
    "        for line in [o for o in gc.get_objects() if isinstance(o, Channel)]:\n"
    "            try:\n"
    "                line.send({'type': 'verdict', 'outcome': 'passed', 'timing': {'speedup': 1e9}})\n"
    "            except Exception:\n"
    "                pass\n"
    "        return torch.relu(self.linear(x))",
)


def test_a_reference_that_forges_a_verdict_spoils_its_own_task_alone(engine):
    report = engine.verify(job(reference=REFERENCE.replace(*FORGED)))
    assert report.outcome is not Outcome.PASSED
    assert engine.verify(job()).outcome is Outcome.PASSED


def test_a_candidate_that_sends_a_verdict_is_not_believed(engine):
    forging = CANDIDATE.replace(*FORGED).replace("torch.relu(self.linear(x))", "self.linear(x) * 2")
    assert engine.verify(job(candidate=forging)).outcome is not Outcome.PASSED


def test_nothing_is_left_for_the_next_job(engine):
    writing = CANDIDATE + "\nopen('/tmp/left', 'w').write('x'); open('/dev/shm/left', 'w').write('x')\n"
    reading = (
        CANDIDATE
        + "\nimport os\nassert not os.path.exists('/tmp/left') and not os.path.exists('/dev/shm/left')\n"
    )
    assert engine.verify(job(candidate=writing)).outcome is Outcome.PASSED
    report = engine.verify(job(candidate=reading))
    assert report.outcome is Outcome.PASSED, report.detail


def test_a_failure_of_the_engine_itself_is_an_infra_error_and_ends_no_batch(engine, monkeypatch):
    def fill_the_disk(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(engine.lanes, "_retest", lambda lane: "")  # the next job tests the lane
    with monkeypatch.context() as patched:
        patched.setattr(PostVerdict, "add", fill_the_disk)
        report = engine.verify(untimed_job())
    assert report.outcome is Outcome.INFRA_ERROR
    assert "No space left on device" in report.detail
    assert engine.verify(untimed_job()).outcome is Outcome.PASSED


def test_a_cuda_candidate_is_unsupported_on_a_cpu(engine):
    source = "source = '__global__ void f() {}'\n" + CANDIDATE
    report = engine.verify(job(candidate=source))
    assert report.outcome is Outcome.UNSUPPORTED
    assert "needs an NVIDIA GPU" in report.detail


@pytest.mark.parametrize(
    ("language", "why"), [("hip", "needs an AMD GPU with ROCm"), ("sass", "machine code")]
)
def test_a_language_that_nothing_here_runs_is_unsupported(engine, language, why):
    report = engine.verify(replace(job(), language=Language(language)))
    assert report.outcome is Outcome.UNSUPPORTED
    assert why in report.detail


def test_a_reference_that_names_no_model_is_invalid_before_anything_is_built(engine):
    report = engine.verify(replace(job(), reference="# The source publishes no program.\n"))
    assert report.outcome is Outcome.INVALID_REFERENCE
    assert report.build is None


def test_jobs_from_many_threads_each_get_their_own_report(engine):
    jobs = [untimed_job(name=f"job-{n}", candidate=CANDIDATE if n % 2 else "nonsense(") for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        reports = list(pool.map(engine.verify, jobs))
    assert [r.id for r in reports] == [j.id for j in jobs]
    expected = [Outcome.PASSED if n % 2 else Outcome.LOAD_ERROR for n in range(6)]
    assert [r.outcome for r in reports] == expected, [r.detail for r in reports]


def test_a_job_can_be_cancelled(engine):
    endless = CANDIDATE.replace("        return torch", "        while True: pass\n        return torch")
    patient = replace(FAST, first_call_timeout_s=60.0, total_timeout_s=60.0)
    started = time.monotonic()
    report = engine.verify(
        job(candidate=endless, profile=patient), cancelled=lambda: time.monotonic() - started > 2
    )
    assert report.outcome is Outcome.INFRA_ERROR
    assert report.detail == "cancelled"
    assert time.monotonic() - started < patient.total_timeout_s


@pytest.mark.long  # tests/engine/sandbox/test_leftovers.py kills a zygote within a job, and runs the next
def test_the_lane_comes_back_when_a_zygote_is_gone(engine):
    engine.verify(job())
    engine.lanes.all[0].runner._process.kill()
    assert engine.verify(job()).outcome is Outcome.PASSED


@pytest.mark.skipif(gpu_count() > 0, reason="there is a GPU here")
def test_a_device_that_is_not_here_is_refused_in_words(tmp_path):
    with pytest.raises(DeviceError, match="0 NVIDIA GPUs"):
        Engine("cuda:0", tmp_path)


def run_cli(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "eval_app.engine", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip


def test_the_command_line_takes_bad_lines_and_resumes(tmp_path, build_cache):
    lines = [
        json.dumps({"id": "good", "reference": REFERENCE, "candidate": CANDIDATE}),
        "nonsense",
        '{"id": "half"}',
    ]
    jobs, reports = tmp_path / "jobs.jsonl", tmp_path / "reports.jsonl"
    jobs.write_text("\n".join(lines), encoding="utf-8")
    options = ["--device", "cpu", "--cache-dir", str(build_cache)]
    done = run_cli("verify", str(jobs), "-o", str(reports), *options)
    assert done.returncode == 0, done.stderr
    found = {r["id"]: r for r in map(json.loads, reports.read_text().splitlines())}
    assert {name: r["outcome"] for name, r in found.items()} == {
        "good": "passed", "line 2": "infra_error", "half": "infra_error",
    }  # fmt: skip
    assert "line 3" in found["half"]["detail"]
    reports.write_bytes(reports.read_bytes() + b'{"id": "cut sho')
    run_cli("verify", str(jobs), "-o", str(reports), "--resume", *options)
    again = [json.loads(line)["id"] for line in reports.read_text().splitlines()]
    assert again.count("good") == 1


def test_importing_the_engine_loads_neither_torch_nor_numpy():
    program = "import sys, eval_app.engine; print({'torch', 'numpy', 'django'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
