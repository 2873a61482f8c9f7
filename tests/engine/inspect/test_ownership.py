"""Tests of kernel ownership: the submission's if its build contains the name; otherwise a library's."""

import pytest

from eval_app.engine.contract.inspection import MAX_KERNELS, MAX_TRACED
from eval_app.engine.inspect.ownership import Built, mostly_library, qualified, read_trace

CUDA_TEXT = '''
import torch
SRC = """
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(256) at_run_time(float* x) { x[0] = 1.f; }
"""
'''
TRITON_TEXT = """
import triton
@triton.jit
def triton_red_mine(x):
    pass
"""
LIBRARY = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int, float)"


@pytest.fixture
def module(tmp_path):
    """Write a file with the names that nvcc writes into an extension: registered kernels and sections."""
    names = [
        b"_ZN3own5scaleIfEEvPT_S1_i", b"_ZN33_GLOBAL__N__62cddb57_4_a_cu_plain6hiddenEPf", b".text.plain_c",
        b"_ZL6staticPf", b"_ZN2at6native7cat_copyEv",
    ]  # fmt: skip
    path = tmp_path / "mine.so"
    path.write_bytes(b"\x7fELF\0" + b"\0".join(names) + b"\0")
    return path


@pytest.mark.parametrize(
    ("kernel", "names"),
    [
        ("void own::scale<float, 4>(float*, int)", ["own", "scale"]),
        ("(anonymous namespace)::hidden(float*)", ["hidden"]),
        ("plain", ["plain"]),
        ("void a::b<(c::d)3>(e<f, g>)", ["a", "b"]),
        ("", []),
    ],
)
def test_a_kernels_names_are_read_from_its_demangled_form(kernel, names):
    assert qualified(kernel) == names


@pytest.mark.parametrize(
    "kernel",
    [
        "void own::scale<float>(float*, float, int)",
        "(anonymous namespace)::hidden(float*)",
        "plain_c",
        "static(float*)",
    ],
)
def test_a_kernel_of_a_built_module_is_own(module, kernel):
    assert Built("", [module], []).owns(kernel)


@pytest.mark.parametrize(
    "kernel", [LIBRARY, "scale", "other::scale(int)", "Memcpy DtoD (Device -> Device)", "hid(float*)"]
)
def test_a_kernel_that_is_in_no_module_is_not(module, kernel):
    assert not Built("", [module], []).owns(kernel)


def test_a_kernel_compiled_at_run_time_is_own_by_its_text():
    assert Built(CUDA_TEXT, [], []).owns("at_run_time")
    assert not Built(CUDA_TEXT, [], []).owns("at_another_time")


def test_tritons_kernels_are_own_and_inductors_are_not_unless_they_are_written_there():
    names = ["softmax_kernel", "triton_poi_fused_relu_0", "triton_red_mine"]
    assert [Built("", [], names).owns(name) for name in names] == [True, False, False]
    assert Built(TRITON_TEXT, [], names).owns("triton_red_mine")


def test_a_trace_has_each_kernels_share_and_who_wrote_it(module):
    rows = [[LIBRARY, 2.0, 75.0], ["void own::scale<float>(float*)", 1.0, 25.0]]
    trace = read_trace({"kernels": rows}, "", [module])
    assert trace.custom_kernel_share == 0.25
    assert [(k.own, k.share, k.calls) for k in trace.gpu_kernels] == [(False, 0.75, 2.0), (True, 0.25, 1.0)]


def test_a_candidate_that_lets_a_library_work_is_labelled_with_the_evidence(module):
    rows = [[LIBRARY, 2.0, 99.0], ["void own::scale<float>(float*)", 1.0, 1.0]]
    finding = mostly_library(read_trace({"kernels": rows}, "", [module]))
    assert finding.code == "mostly_library"
    assert "1% of the GPU time" in finding.detail
    assert "vectorized_elementwise_kernel" in finding.detail


def test_one_that_works_itself_is_not(module):
    assert mostly_library(read_trace({"kernels": [["plain_c", 1.0, 5.0]]}, "", [module])) is None


@pytest.mark.parametrize(
    "given",
    [None, {}, {"kernels": []}, {"kernels": "none"}, {"kernels": [["a", 1.0]]}, {"kernels": [[3, 1.0, 1.0]]},
     {"kernels": [["a", 1.0, float("nan")]]}, {"kernels": [["a", 1.0, 0.0]]}, {"missing": "no CUPTI"}],
)  # fmt: skip
def test_what_is_no_trace_is_missing_with_a_reason(given):
    trace = read_trace(given, "", [])
    assert trace.custom_kernel_share is None
    assert trace.missing


def test_a_list_that_the_runner_does_not_make_is_cut_before_its_names_are_looked_up(module, monkeypatch):
    looked_up = []
    monkeypatch.setattr(Built, "owns", lambda built, name: bool(looked_up.append(name)))
    forged = {"kernels": [["x" * 1000, 1, 1.0], *([f"k{number}", 1, 1.0] for number in range(100_000))]}
    assert len(read_trace(forged, "", [module]).gpu_kernels) == MAX_KERNELS
    assert len(looked_up) < MAX_TRACED


def test_a_module_full_of_names_is_read_in_parts_and_costs_bounded_time(tmp_path):
    path = tmp_path / "full.so"
    name = b"_ZN1_GLOBAL__N_" * 266
    path.write_bytes(b"x" * (2**20 - 4) + b"\0_ZN3own5scaleEv\0" + b"\0".join([name] * 5000))
    built = Built("", [path], [])
    assert len(built._symbols) < 2**22
    assert built.owns("own::scale()"), "its name lies across two parts"
    assert not any(built.owns(f"kernel_{number}(float*)") for number in range(200))
