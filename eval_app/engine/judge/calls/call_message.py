"""The message that has the runner make one call: the places of its tensors, and the required form of its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eval_app.engine.judge.task.cases import Case
from eval_app.engine.shared.arena import Slot


@dataclass(frozen=True)
class CaseSlots:
    """Places of one call's tensors; `sources` equal `inputs` unless the inputs are copied in late."""

    inputs: list[Slot]
    sources: list[Slot]
    outputs: list[Slot]


def wanted_of(case: Case) -> list[dict[str, Any]]:
    """Return the structure that a result must have, for the runner."""
    tensors = iter(
        spec.to_dict() | {"device": truth.device.type}
        for spec, truth in zip(case.specs, case.truth, strict=True)
    )
    return [{"where": place, **(next(tensors) if "tensor" in form else {})} for place, form in case.wanted]


def item_order(case: Case, slots: CaseSlots) -> dict[str, Any]:
    """Return the order for one call, in JSON."""
    return {
        "op": "item", "inputs": case.tree, "tensors": [slot.to_dict() for slot in slots.inputs],
        "sources": [slot.to_dict() for slot in slots.sources],
        "outputs": [slot.to_dict() for slot in slots.outputs], "wanted": wanted_of(case), "rng": case.rng,
    }  # fmt: skip
