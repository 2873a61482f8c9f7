"""Inputs that a task never draws below zero, as torch.rand does not, or never above it, tried with both signs.

A candidate that leaves out a ReLU, starts a maximum at zero, or truncates where the task rounds down, is right on all
that such a task draws. An honest author may rely on it as well, so that nothing here is refused: what is wrong there is
a finding, to be looked at. The reference decides what may be negative: where it raises, or its output is not finite (a
root, a logarithm), nothing is asked. Counts stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from eval_app.engine.judge.checks.beyond_draws import BeyondDraws
from eval_app.engine.judge.values import unvaried
from eval_app.engine.judge.values.reductions import smallest
from eval_app.engine.judge.values.structure import Structure

FAMILY = "signed"


def one_sided(inputs: Any) -> list[int]:
    """Return the numbers of the leaves that hold measurements of one sign."""
    return [
        number
        for number, leaf in enumerate(unvaried.leaf_values(inputs))
        if unvaried.is_measured(leaf) and (smallest(leaf) >= 0 or float(leaf.max()) <= 0)
    ]


def signed(inputs: Any, numbers: Sequence[int]) -> Any:
    """Return inputs with random signs in the leaves `numbers`; triangles, orders and the like stay what they are."""
    leaves = unvaried.leaf_values(inputs)
    changes = {n: Structure.of(leaves[n]).impose(_with_signs(leaves[n])) for n in numbers}
    return unvaried.with_leaves(inputs, changes)


def _with_signs(x: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.rand(x.shape, device=x.device) < 0.5, -x, x)


class SignTrial(BeyondDraws):
    """Calls a candidate on inputs with both signs."""

    family, code, what = FAMILY, "assumes_no_negatives", "has both signs"

    def find(self, inputs: Any) -> list[int]:
        """Return the numbers of the leaves that hold measurements of one sign."""
        return one_sided(inputs)

    def change(self, inputs: Any, numbers: Sequence[int]) -> Any:
        """Return inputs with random signs in these leaves."""
        return signed(inputs, numbers)
