"""Every test kernel through the whole engine: the honest pass, the cheats are caught, the broken harm nobody else."""

import importlib.util
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from eval_app.engine import PROFILES, Engine, Job, Outcome
from eval_app.engine.device import gpu_count

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]

CATALOGUE = Path(__file__).parent / "kernels" / "catalogue.py"
# Short deadlines, little memory: what is broken is to end soon, and a bomb is to be small.
PROFILE = replace(
    PROFILES["quick"], name="kernels", timing_budget_s=0.5, call_timeout_s=5.0, first_call_timeout_s=10.0,
    load_timeout_s=20.0, total_timeout_s=60.0, build_timeout_s=240.0, memory_bytes=3 * 2**30,
)  # fmt: skip


def catalogue():
    """The catalogue module, which lies among the kernels and not in a package."""
    spec = importlib.util.spec_from_file_location("kernel_catalogue", CATALOGUE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernel_catalogue"] = module
    spec.loader.exec_module(module)
    return module


KERNELS = catalogue().load_all()


# Each program that is compiled costs many seconds: these stand for the others, which the marker `long` runs.
COMPILED_HERE = {"cpp_add", "cpp_static_replay", "decoy_kernel_cpp", "cpp_compile_error", "cpp_segfault"}


def is_compiled(kernel):
    return "cpp_extension" in kernel.source


def on(device):
    """The kernels that make sense on `device`, as pytest parameters."""
    return [
        pytest.param(
            kernel,
            id=f"{kernel.group}/{kernel.name}",
            marks=[pytest.mark.long] if is_compiled(kernel) and kernel.name not in COMPILED_HERE else [],
        )
        for kernel in KERNELS
        if kernel.runs_on(device)
    ]


@pytest.fixture(scope="session")
def build_cache(tmp_path_factory):
    """One cache of built modules, kept between runs beside pytest's own folders."""
    folder = tmp_path_factory.getbasetemp().parent / "concur-test-builds"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def cpu(build_cache):
    with Engine("cpu", build_cache) as engine:
        yield engine


@pytest.fixture(scope="module")
def gpu(build_cache):
    with Engine("cuda:0", build_cache) as engine:
        yield engine


def verified(engine, kernel):
    return engine.verify(
        Job(f"{kernel.group}/{kernel.name}", kernel.task_source, kernel.source, profile=PROFILE)
    )


def check(engine, kernel):
    report = verified(engine, kernel)
    assert report.outcome in kernel.expect.outcomes, f"{report.outcome}: {report.detail}"
    missing = kernel.expect.findings - {finding.code for finding in report.findings}
    assert not missing, f"{missing} not among {[f.code for f in report.findings]}; {report.detail}"
    limit = kernel.expect.max_speedup
    assert limit is None or report.timing is None or report.timing.speedup.median <= limit, (
        report.timing.speedup
    )
    if kernel.group == "broken":
        honest = next(k for k in KERNELS if (k.group, k.name) == ("honest", "add_plain"))
        after = verified(engine, honest)
        assert after.outcome is Outcome.PASSED, f"the next honest job: {after.outcome}: {after.detail}"
    return report


@pytest.mark.parametrize("kernel", on("cpu"))
def test_the_verdict_on_a_cpu_is_the_one_stated(cpu, kernel):
    check(cpu, kernel)


@pytest.mark.gpu
@pytest.mark.skipif(gpu_count() == 0, reason="needs an NVIDIA GPU")
@pytest.mark.parametrize("kernel", on("cuda"))
def test_the_verdict_on_a_gpu_is_the_one_stated(gpu, kernel):
    check(gpu, kernel)


def test_a_report_of_a_real_run_survives_the_way_through_json(cpu):
    kernel = next(k for k in KERNELS if k.name == "add_plain")
    report = verified(cpu, kernel)
    assert type(report).from_dict(json.loads(json.dumps(report.to_dict()))) == report
