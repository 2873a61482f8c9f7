"""Tests of robust-kbench's filters on a task's outputs."""

import pytest

pytest.importorskip("torch")

import torch

from eval_app.engine.judge.admission import output_spread

PASSES = {"output_range": False, "output_std": False, "output_axes": False}


def test_outputs_that_vary_pass_every_filter():
    assert output_spread([torch.arange(12.0).view(3, 4)]) == PASSES


def test_little_values_and_a_constant_do_not_pass():
    assert output_spread([torch.full((3, 4), 0.001)]) == dict.fromkeys(PASSES, True)
    assert output_spread([torch.full((3, 4), 5.0)]) == PASSES | {"output_std": True, "output_axes": True}


def test_one_axis_along_which_nothing_varies_is_enough():
    rows = torch.arange(4.0).expand(3, 4)
    assert output_spread([rows]) == PASSES | {"output_axes": True}


def test_integers_and_single_values_are_not_judged_by_their_spread():
    assert output_spread([torch.arange(4)]) == {}
    assert output_spread([torch.tensor(3.0)]) == PASSES
