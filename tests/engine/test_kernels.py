"""Runs every test kernel through the engine: honest ones pass, cheats are caught, broken ones do no harm."""

import importlib.util
import json
import shutil
import sys
from pathlib import Path

import pytest

from eval_app.engine import Engine, Job, Outcome
from eval_app.engine.hardware.device import gpu_count

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]

CATALOGUE = Path(__file__).parent / "kernels" / "catalogue.py"


def catalogue():
    """Load the catalogue module, which is beside the kernels and not in a package."""
    spec = importlib.util.spec_from_file_location("kernel_catalogue", CATALOGUE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernel_catalogue"] = module
    spec.loader.exec_module(module)
    return module


KERNELS = catalogue().load_all()
# The judge looks no longer for what KernelBench would say.
TELLING_S = 2.0


# Compiling takes many seconds per program: these represent the others, which the marker `long` runs.
# What fails to compile is compiled again with all headers: orchestrator/test_engine.py has one without torch's.
COMPILED_HERE = {"cpp_add", "cpp_static_replay", "decoy_kernel_cpp", "cpp_segfault"}

# These take no way through the engine that others do not take, which need less time.
NOTHING_NEW = {
    "attention_online",
    "cache_update_copied",
    "channels_last_contiguous",
    "clamp_as_reference",
    "clips_nothing_in_orders",
    "configurations_put_off",
    "conv_by_fourier",
    "conv_unfolded",
    "cross_entropy_logsumexp",
    "cumsum_blocks",
    "embedding_by_index",
    "every_other_view",
    "gelu_in_own_buffer",
    "half_row_mean_in_parts",
    "halves_by_slices",
    "halves_copied",
    "int4_by_halves",
    "int8_by_double",
    "layernorm_backward_by_autograd",
    "layernorm_by_hand",
    "masked_scores_by_sum",
    "masked_values_by_where",
    "matmul_blocked",
    "maxpool_by_views",
    "mean_all_in_steps",
    "memory_hog",
    "mixture_by_expert",
    "momentum_spared",
    "paged_attention_by_page",
    "relu_negated_twice",
    "rotate_complex_by_parts",
    "row_extremes_by_sort",
    "row_sum_product",
    "softmax_two_pass",
    "spectrum_by_product",
    "stop_undone_by_timer",
    "structures_plain",
    "tensor_with_a_note",
    "topk_by_sort",
    "transpose_copy",
    "unique_by_sort",
}


def is_long(kernel):
    return kernel.name in NOTHING_NEW or (kernel.is_compiled and kernel.name not in COMPILED_HERE)


def on(device):
    """Return the kernels that apply to `device`, as pytest parameters."""
    return [
        pytest.param(
            kernel,
            id=f"{kernel.group}/{kernel.name}",
            marks=[pytest.mark.long] if is_long(kernel) else [],
        )
        for kernel in KERNELS
        if kernel.runs_on(device)
    ]


@pytest.fixture(scope="module")
def gpu(build_cache):
    with Engine("cuda:0", build_cache) as engine:
        yield engine


def verified(engine, kernel, **changed):
    job = kernel.job()
    return engine.verify(Job.from_dict(job | {"profile": job["profile"] | changed}))


def check_kernelbench(report):
    """Check that KernelBench's verdict agrees with the report's own, and is there, and its speedup, unless its time
    was up."""
    if report.outcome not in (Outcome.PASSED, Outcome.BUILD_ERROR, Outcome.LOAD_ERROR, Outcome.RUNTIME_ERROR):
        return
    told, time_was_up = report.kernelbench, report.seconds.get("kernelbench", 0.0) >= TELLING_S
    if told is None:
        assert time_was_up
        return
    assert told.correct or report.outcome is not Outcome.PASSED or not report.correctness.kernelbench_allclose
    if told.speedup is None:
        assert time_was_up or not told.correct or report.timing is None
    else:
        assert told.correct
        assert report.timing is not None


def check(engine, kernel):
    report = verified(engine, kernel)
    speedup = report.timing.speedup.median if report.timing else None
    codes = {finding.code for finding in report.findings}
    assert not kernel.faults(report.outcome, codes, speedup), f"{report.outcome}, {codes}: {report.detail}"
    check_kernelbench(report)
    if kernel.group == "broken":
        honest = next(k for k in KERNELS if (k.group, k.name) == ("honest", "add_plain"))
        after = verified(engine, honest, timings_min=0, timings_max=0)
        assert after.outcome is Outcome.PASSED, f"the next honest job: {after.outcome}: {after.detail}"
    return report


@pytest.mark.parametrize("kernel", on("cpu"))
def test_the_verdict_on_a_cpu_is_the_one_stated(engine, kernel):
    check(engine, kernel)


@pytest.mark.gpu
@pytest.mark.skipif(gpu_count() == 0, reason="needs an NVIDIA GPU")
@pytest.mark.parametrize("kernel", on("cuda"))
def test_the_verdict_on_a_gpu_is_the_one_stated(gpu, kernel):
    check(gpu, kernel)


def test_a_report_of_a_real_run_survives_the_way_through_json(engine):
    kernel = next(k for k in KERNELS if k.name == "add_plain")
    report = verified(engine, kernel)
    assert type(report).from_dict(json.loads(json.dumps(report.to_dict()))) == report
