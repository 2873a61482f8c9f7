"""Masks of which whole rows choose nothing, and labels some of which have no members, where a task draws none: a mean
without the least count that the reference has divides by zero there, as does a softmax of what is all left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from eval_app.engine.judge.checks.beyond_draws import BeyondDraws
from eval_app.engine.judge.last_bits.neighbours import is_number
from eval_app.engine.judge.task.cases import Case
from eval_app.engine.judge.values import integers, masks, unvaried
from eval_app.engine.judge.values.computable import computable
from eval_app.engine.judge.values.reductions import same

FAMILY = "emptied"


class EmptyTrial(BeyondDraws):
    """Calls a candidate on such masks and labels."""

    family, code, what = FAMILY, "assumes_none_empty", "leaves rows or labels without members"

    def find(self, inputs: Any) -> list[int]:
        """Return the numbers of the leaves that are masks or labels, of which no other one holds the counts."""
        return emptiable(inputs)

    def change(self, inputs: Any, numbers: Sequence[int]) -> Any:
        """Return inputs with rows and labels of these leaves emptied."""
        return emptied(inputs, numbers)

    def fits(self, case: Case) -> bool:
        """Return whether results are finite numbers: of equal scores any place is right."""
        return super().fits(case) and all(map(is_number, case.results))


def emptiable(inputs: Any) -> list[int]:
    """Return the numbers of the leaves that are masks or labels, of which no other one holds the counts."""
    leaves = enumerate(unvaried.leaf_values(inputs))
    tensors = {number: computable(leaf) for number, leaf in leaves if isinstance(leaf, torch.Tensor)}
    return [
        number
        for number, x in tensors.items()
        if (masks.is_mask(x) or integers.are_labels(x))
        and not any(_counts(other, x) for n, other in tensors.items() if n != number)
    ]


def emptied(inputs: Any, numbers: Sequence[int]) -> Any:
    """Return inputs with a quarter of the rows, or of the labels, of these leaves emptied."""
    leaves = unvaried.leaf_values(inputs)
    return unvaried.with_leaves(inputs, {number: _emptied(leaves[number]) for number in numbers})


def _emptied(leaf: torch.Tensor) -> torch.Tensor:
    x = computable(leaf)
    return (masks.emptied(x) if masks.is_mask(x) else integers.emptied(x)).to(leaf.dtype)


def _counts(x: torch.Tensor, of: torch.Tensor) -> bool:
    """Return whether whole numbers may be how many members each row or label has, or where those of each begin."""
    if x.dtype == torch.bool or x.is_complex() or not 0 < x.numel() < of.numel():
        return False
    if not (bool(x.isfinite().all()) and same(x.round(), x)):
        return False
    is_chosen = masks.chosen(of) if masks.is_mask(of) else None
    totals = (of.numel(), of.numel() if is_chosen is None else int(is_chosen.sum()))
    return int(x.sum()) in totals or int(x.max()) in totals
