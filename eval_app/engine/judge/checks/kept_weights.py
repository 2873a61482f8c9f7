"""What becomes of the weights that a candidate was given by value: what is saved, or trained on, is to be that model.

How they lie in memory is the candidate's own affair, and so is their dtype: values may be rounded to bfloat16.
"""

from __future__ import annotations

import torch

from eval_app.engine.judge.calls.runner_channel import forged
from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.comparison.compare import Tolerance, compare
from eval_app.engine.judge.task.cases import each_has_same_bits
from eval_app.engine.judge.values.output_digest import checksum
from eval_app.engine.judge.verdicts import RejectedError
from eval_app.engine.shared.arena import lay_out
from eval_app.engine.shared.trees import TensorSpec

_ROUNDING = 2**-8
_TOLERANCE = Tolerance(_ROUNDING, _ROUNDING, _ROUNDING, least_size=0.0)
_NAMED = 6


def look_at_weights(trials: Trials) -> None:
    """Check that the weights which the candidate was given, and still has under their names, have the values that they
    were given, but for those that the reference changes in its own calls, such as statistics."""
    if trials.weights != "state_dict":
        return
    session, weights = trials.session, trials.maker.reference.weights()
    sums = {name: checksum([weight]) for name, weight in weights.items()}
    kept = {name: weights[name] for name, total in session.given.items() if sums.get(name) == total}
    if not kept:
        return
    own = {name: value.to(kept[name].device) for name, value in _read(session, kept).items()}
    unchanged = each_has_same_bits([*own.values()], [kept[name] for name in own])  # by few kinds of kernels
    changed = [
        name
        for (name, value), same in zip(own.items(), unchanged, strict=True)
        if not same and compare(value, kept[name], _TOLERANCE, name).wrong
    ]
    if changed:
        named = ", ".join(sorted(changed)[:_NAMED])[:300]
        text = f"its calls overwrite weights that it was given, which those of the reference leave alone: {named}"
        raise RejectedError("broken_promise", text, [("weights_overwritten", text)])


def _read(session: Session, weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return those of the candidate's present weights that have the names and shapes of these."""
    slots, _ = lay_out([TensorSpec.of(value) for value in weights.values()])
    for slot in slots:
        session.arena.poison(slot)
    session.settle()
    session.post(
        {"op": "read_weights", "names": list(weights), "tensors": [slot.to_dict() for slot in slots]}
    )
    absent = session.answer().get("absent")
    if not isinstance(absent, list) or any(type(number) is not int for number in absent):
        raise forged("no numbers of weights")
    return {
        name: session.arena.tensor(slot)
        for number, (name, slot) in enumerate(zip(weights, slots, strict=True))
        if number not in absent
    }
