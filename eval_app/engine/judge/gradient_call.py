"""One backward pass of the candidate: the order, its gradients, and what it overwrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from eval_app.engine.contract.evidence import MAX_PLACE_CHARS
from eval_app.engine.judge.call_message import wanted_of
from eval_app.engine.judge.cases import Case, each_has_same_bits
from eval_app.engine.judge.reference_gradients import Gradients
from eval_app.engine.judge.session import Session
from eval_app.engine.judge.verdicts import RejectedError
from eval_app.engine.shared.arena import Slot, lay_out
from eval_app.engine.shared.trees import TensorSpec


@dataclass(frozen=True)
class Answer:
    """The candidate's gradients, in the order of the reference's, on its device."""

    gradients: list[torch.Tensor]
    # What it overwrote and the reference does not; empty if there is nothing.
    overwritten: str


def ask(session: Session, case: Case, reference: Gradients, *, between: bool = False) -> Answer:
    """Return the candidate's gradients in the order of `reference.named`, computed into poisoned buffers; with another
    call `between` forward and backward pass if asked."""
    ingoing = [*case.tensors, *reference.given]
    specs = [TensorSpec.of(tensor) for tensor in (*ingoing, *reference.tensors)]
    slots, end = lay_out(specs)
    session.make_room(end)
    session.poison(slots)
    for slot, tensor in zip(slots, ingoing, strict=False):
        session.arena.tensor(slot).copy_(tensor)
    session.settle()
    session.be_patient()
    session.order(_order(case, reference, slots) | {"between": between})
    if not session.arena.guards_intact(slots):
        text = "bytes beside the buffers were overwritten in a backward pass"
        raise RejectedError("illegal_memory", text, [("out_of_bounds_write", text)])
    places = zip(slots, [*ingoing, *reference.tensors], strict=True)
    left = [session.arena.tensor(slot).to(tensor.device) for slot, tensor in places]
    kept = each_has_same_bits(left[: len(ingoing)], ingoing)
    return Answer(left[len(ingoing) :], _overwritten(case, reference, kept))


def _overwritten(case: Case, reference: Gradients, kept: list[bool]) -> str:
    places = [place for place, form in case.wanted if "tensor" in form]
    names = [f"input {number}" for number in range(len(case.tensors))]
    for place, tensor in zip(places, reference.upstream, strict=True):
        if tensor is not None:
            names.append(f"the upstream gradient of {place[:MAX_PLACE_CHARS]}")
    for name, is_kept, must_be in zip(names, kept, reference.kept, strict=True):
        if must_be and not is_kept:
            return f"the backward pass overwrites {name}, which the reference leaves alone"
    return ""


def _order(case: Case, reference: Gradients, slots: list[Slot]) -> dict[str, Any]:
    count = len(case.tensors)
    rest = iter(slots[count:])
    pairs = zip(reference.upstream, case.truth, strict=True)
    upstream = [
        None if tensor is None else {"slot": next(rest).to_dict(), "shape": list(output.shape)}
        for tensor, output in pairs
    ]
    return {
        "op": "backward", "inputs": case.tree, "tensors": [slot.to_dict() for slot in slots[:count]],
        "wanted": wanted_of(case), "rng": case.rng, "upstream": upstream,
        "gradients": [{"of": key, "slot": next(rest).to_dict()} for _, key, _ in reference.named],
    }  # fmt: skip
