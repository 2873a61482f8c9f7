"""Backward passes of the candidate: the order for one, its outputs and gradients, and what it overwrote."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch

from eval_app.engine.contract.evidence import MAX_PLACE_CHARS
from eval_app.engine.judge.calls.call_message import wanted_of
from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.gradients.reference_gradients import Gradients
from eval_app.engine.judge.task.cases import Case, each_has_same_bits, same_bits
from eval_app.engine.judge.values.output_digest import digest_of
from eval_app.engine.judge.verdicts import RejectedError
from eval_app.engine.shared.arena import Slot, lay_out
from eval_app.engine.shared.trees import TensorSpec

_REUSED = "the gradients of a backward pass were overwritten by the next one: their memory is given out twice"


@dataclass(frozen=True)
class Answer:
    """The outputs of one call of the candidate, and its gradients in the order of the reference's, on its device."""

    outputs: list[torch.Tensor]
    gradients: list[torch.Tensor]
    # What it overwrote and the reference does not; empty if there is nothing.
    overwritten: str
    # What became of the gradients of the pass before; empty if they are as they were.
    reused: str


class GradientCalls:
    """Has backward passes of the candidate made, and looks at the gradients of each again after the next."""

    def __init__(self, session: Session) -> None:
        """Store the session; no pass is made."""
        self._session = session
        # Of the gradients of the last pass.
        self._specs: list[TensorSpec] = []
        self._digests: list[torch.Tensor] = []

    def ask(self, case: Case, reference: Gradients, *, between: bool = False) -> Answer:
        """Return the candidate's answer in the order of `reference.named`, computed into poisoned buffers; with another
        call `between` forward and backward pass if asked."""
        session, ingoing = self._session, [*case.tensors, *reference.given]
        ours = [*ingoing, *reference.tensors, *case.truth]
        slots, end = lay_out([*map(TensorSpec.of, ours), *self._specs])
        slots, earlier = slots[: len(ours)], slots[len(ours) :]
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
        pairs = zip(slots, ours, strict=True)
        left = iter([session.arena.tensor(slot).to(tensor.device) for slot, tensor in pairs])
        given, gradients, outputs = (
            list(islice(left, len(part))) for part in (ingoing, reference.tensors, case.truth)
        )
        reused = self._look_back(earlier)
        self._specs, self._digests = (
            [TensorSpec.of(gradient) for gradient in reference.tensors],
            [digest_of(gradient).clone() for gradient in gradients],
        )
        overwritten = _overwritten(case, reference, each_has_same_bits(given, ingoing))
        return Answer(outputs, gradients, overwritten, reused)

    def _look_back(self, slots: list[Slot]) -> str:
        """Return what became of the gradients of the pass before, by copying them to `slots`."""
        if not slots:
            return ""
        try:
            again = map(digest_of, self._session.recopy(slots, back=1))
        except RejectedError as error:
            if error.outcome != "runtime_error":
                raise
            return f"{_REUSED}; reading them raises {error.detail}"  # torch's CUDA graphs watch over theirs
        return "" if all(map(same_bits, again, self._digests)) else _REUSED


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
        "outputs": [slot.to_dict() for slot in rest], "frozen": not reference.asked.weights,
        "accumulated": reference.asked.accumulated,
    }  # fmt: skip
