"""Tests of tools that observe a running candidate: their output is parsed, their subject replayed."""

import shutil

import pytest

from eval_app.engine.contract.inspection import Sanitizer
from eval_app.engine.inspect import runtime_tools, tools

CSV = """==PROF== Connected to process 1
"ID","Kernel Name","sm__cycles_active.avg","launch__registers_per_thread","dram__bytes_read.sum"
"","","cycle","register/thread","Mbyte"
"0","short(float *)","100","16","1.5"
"1","long(float *)","2,000","32","n/a"
"2","long(float *)","4,000","32","8.5"
"""
LOG = """========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at void mine::relu2<float>(const float *, float *, long)+0x90
========= ERROR SUMMARY: 7 errors
"""
REFERENCE = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2
def get_inputs():
    return [torch.ones(8)]
"""
CANDIDATE = """
import torch
print("called with", torch.__name__)
class ModelNew(torch.nn.Module):
    def forward(self, x):
        print("sum", float(x.sum()))
        return x * 2
"""


def subject(candidate=CANDIDATE):
    return runtime_tools.Subject(candidate, REFERENCE, "cpu", 0, {}, "", "bwrap")


def test_counters_are_those_of_the_longest_kernel():
    found = runtime_tools.parse_counters(CSV)
    assert (found["sm__cycles_active.avg"].value, found["sm__cycles_active.avg"].unit) == (3000.0, "cycle")
    assert found["launch__registers_per_thread"].value == 32.0
    assert found["dram__bytes_read.sum"].value == 8.5


@pytest.mark.parametrize("text", ["", "==ERROR== no kernels", '"ID","Kernel Name"\n', '"ID"\n""\n"0"\n'])
def test_output_without_counters_gives_none(text):
    assert runtime_tools.parse_counters(text) == {}


def test_the_counters_are_the_24_that_are_fed_back():
    assert len(set(runtime_tools.METRICS)) == 24


def test_operations_in_single_and_double_precision_are_counted_beside_them():
    executed = [name for name in runtime_tools.COLLECTED if "_op_" in name]
    assert set(runtime_tools.COLLECTED) == {*runtime_tools.METRICS, *executed}
    name = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
    text = f'"ID","Kernel Name","sm__cycles_active.avg","{name}"\n"","","cycle","inst"\n"0","k","9","4,096"\n'
    assert runtime_tools.parse_counters(text)[name].value == 4096.0


def test_memory_errors_are_for_a_person_to_look_at():
    finding = runtime_tools.sanitizer_finding(Sanitizer("compute-sanitizer memcheck", 7, LOG))
    assert (finding.code, finding.severity.value) == ("sanitizer_error", "audit")
    assert "Invalid __global__ read of size 4 bytes at void mine::relu2" in finding.detail


def test_no_memory_errors_are_no_finding():
    assert runtime_tools.sanitizer_finding(Sanitizer("compute-sanitizer memcheck", 0, "")) is None


@pytest.mark.engine
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_a_candidate_is_replayed_in_a_sandbox_of_its_own():
    output = runtime_tools._watch(subject(), ["/usr/bin/env"], 120.0)
    assert output.status == 0, output.errors
    assert output.errors.count("sum 8.0") == 2
    assert "sum" not in output.text, "a tool's own figures are there"


@pytest.mark.engine
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_one_that_never_ends_is_ended():
    with pytest.raises(tools.ToolMissingError, match="longer than"):
        runtime_tools._watch(subject(CANDIDATE + "\nwhile True:\n    pass\n"), ["/usr/bin/env"], 6.0)
