"""Tests of device peaks by name, and of the roofline computed from them and a task's counts."""

import pytest

from eval_app.engine.contract.evidence import Roofline
from eval_app.engine.contract.schema import read
from eval_app.engine.hardware import device_peaks


def gpu(name):
    return device_peaks.from_table({"kind": "cuda", "name": name})


@pytest.mark.parametrize(
    ("name", "gigabytes"),
    [
        ("NVIDIA H200", 4800), ("NVIDIA H100 80GB HBM3", 3350), ("NVIDIA H100 PCIe", 2000), ("NVIDIA H100 NVL", 3900),
        ("NVIDIA A100-SXM4-80GB", 2039), ("NVIDIA A100 80GB PCIe", 1935), ("NVIDIA A100-PCIE-40GB", 1555),
        ("NVIDIA L40S", 864), ("NVIDIA L4", 300), ("NVIDIA GeForce RTX 4090", 1008), ("NVIDIA A10G", 600),
        ("NVIDIA GH200 480GB", 4900), ("Tesla T4", 320),
    ],
)  # fmt: skip
def test_a_gpu_is_known_by_the_words_of_its_name(name, gigabytes):
    assert gpu(name).bytes_per_s == gigabytes * 1e9


def test_what_the_table_does_not_have_is_to_be_measured():
    assert gpu("NVIDIA X9999") is None
    assert device_peaks.from_table({"kind": "cpu", "name": "A100"}) is None


def test_measured_peaks_say_so_and_never_fall_below_the_bus():
    rates = {"bytes_per_s": 1e11, "flops_per_s": {"fp32": 1e12}}
    found = device_peaks.from_measurement(rates, {"kind": "cuda", "bandwidth_bytes_per_s": 2e11})
    assert found.bytes_per_s == 2e11
    assert "measured" in found.words("fp32")


def test_a_task_that_moves_much_and_computes_little_is_bound_by_memory():
    facts = {"bytes": 48_000_000_000, "flops": 10, "arithmetic": "fp32"}
    line = read(Roofline, device_peaks.roofline(facts, gpu("NVIDIA H200"), 20.0), "roofline")
    assert (line.bound, line.memory_ms, line.floor_ms, line.fraction) == ("memory", 10.0, 10.0, 0.5)


def test_a_large_product_is_bound_by_its_operations():
    facts = {"bytes": 1_000_000, "flops": 67_000_000_000_000, "arithmetic": "fp32"}
    line = read(Roofline, device_peaks.roofline(facts, gpu("NVIDIA H200"), 2000.0), "roofline")
    assert (line.bound, line.compute_ms, line.fraction) == ("compute", 1000.0, 0.5)


def test_operations_that_cannot_be_counted_leave_the_memory():
    facts = {"bytes": 4_800_000, "flops": None, "arithmetic": "half"}
    line = device_peaks.roofline(facts, gpu("NVIDIA H200"), 1.0)
    assert line["compute_ms"] is None
    assert line["bound"] == "memory"


def test_a_task_that_moves_nothing_has_no_roofline():
    assert (
        device_peaks.roofline({"bytes": 0, "flops": 0, "arithmetic": "fp32"}, gpu("NVIDIA H200"), 1.0) is None
    )
