"""Tests that too deep or too long programs are read partly, in linear time, and marked so in the outline."""

import time

import pytest

from datasets_app.syntax.kernel import read, read_kernel
from datasets_app.syntax.kernel.unit import TOO_HARD
from tests.hostile import kernels
from tests.syntax.kernel.sources import cuda


@pytest.mark.parametrize(
    "make",
    [
        kernels.subscripts_of_the_size_that_took_seconds,
        kernels.nested_blocks,
        kernels.names_bound_to_each_other,
        kernels.one_name_bound_often,
        kernels.kernels_that_read_by_index,
    ],
)
def test_a_text_that_took_many_seconds_takes_less_than_three(make):
    source = make()
    started = time.process_time()
    kernel = read_kernel(source)
    assert kernel.functions or kernel.gaps
    assert time.process_time() - started < 3


def test_what_is_nested_too_deeply_is_named():
    kernel = read_kernel(cuda("x" + "[0]" * 1_000 + ";"))
    assert kernel.gaps == ("nested deeper than 400 levels: the outline omits what is deeper",)
    assert kernel.kernels


def test_what_takes_too_long_to_parse_is_given_up_and_named(monkeypatch):
    monkeypatch.setattr(read, "BUDGET_SECONDS", 0.05)
    started = time.process_time()
    kernel = read_kernel(kernels.template_angles_never_closed())
    assert kernel.gaps == (TOO_HARD,)
    assert time.process_time() - started < 1


def test_an_honest_kernel_has_no_gap():
    assert not read_kernel(cuda("  x[threadIdx.x] = 1;")).gaps
