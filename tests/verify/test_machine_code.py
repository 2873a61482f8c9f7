"""Tests of SASS and PTX listings."""

import pytest

from eval_app.pages.machine_text import unmangled


@pytest.mark.parametrize(
    ("name", "readable"),
    [
        ("_Z14softmax_kernelPKfPfii", "softmax_kernel"),
        ("_Z6kernelIfEvPT_", "kernel"),
        ("_ZL4tailv", "tail"),
        ("_ZN2at6native4fillILi4EEEvi", "at::native::fill"),
        ("_ZN12_GLOBAL__N_114softmax_kernelEPKf", "softmax_kernel"),
        ("triton_kernel", "triton_kernel"),
        ("_Z99ab", "_Z99ab"),
    ],
)
def test_a_mangled_name_is_read_without_its_types(name, readable):
    assert unmangled(name) == readable
