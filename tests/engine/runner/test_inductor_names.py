"""Tests of the names that programs of torch 2.5's inductor import, as those of KernelBook do."""

import sys

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.runner import load  # noqa: E402
from eval_app.engine.runner.inductor_names import grid  # noqa: E402

PROGRAM = """
import torch
from torch._inductor.runtime.triton_heuristics import grid

class ModelNew(torch.nn.Module):
    programs = grid(1000)({"XBLOCK": 256})
"""


@pytest.mark.parametrize(
    ("sizes", "meta", "programs"),
    [
        ((1000,), {"XBLOCK": 256}, (4, 1, 1)),
        ((1024,), {"XBLOCK": 256, "RBLOCK": 8}, (4, 1, 1)),
        ((48,), {}, (48, 1, 1)),
        ((12, 81), {"XBLOCK": 16, "YBLOCK": 4}, (6, 3, 1)),
        ((200_000, 16), {"XBLOCK": 16, "YBLOCK": 1}, (1, 50_000, 4)),
        ((2, 12, 81), {"XBLOCK": 16, "YBLOCK": 4, "ZBLOCK": None}, (6, 3, 2)),
    ],
)
def test_a_grid_has_the_programs_that_cover_its_sizes(sizes, meta, programs):
    assert grid(*sizes)(meta) == programs


def test_a_program_of_an_older_inductor_loads(tmp_path):
    try:
        assert load.load_module(PROGRAM, tmp_path).ModelNew.programs == (4, 1, 1)
    finally:
        sys.modules.pop("candidate", None)
