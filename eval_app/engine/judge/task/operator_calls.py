"""Count of the torch operators that one call of a reference executes.

A call of torch (`torch.*`, `F.*`, a tensor's method or sign) counts if it computes: if it dispatches at least one
operator on a tensor with dimensions that is neither a view nor a copy. `F.cross_entropy` counts once, a layer in a loop
once per pass, and an operator that no call of torch encloses (scripted code) by itself.
"""

from __future__ import annotations

import re
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from eval_app.engine.judge.task.cases import Case
from eval_app.engine.judge.task.reference import Reference
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import unflatten

_META = torch.device("meta")
# ATen operators that move or make values.
_MOVES = re.compile(
    r"(?:clone|copy_|_to_copy|_unsafe_view|_reshape_copy|lift_fresh|fill_|zero_|fill|zero"
    r"|(?:empty|zeros|ones|full|rand|randn|randint)_like|new_(?:empty|zeros|ones|full|empty_strided)"
    r"|normal_|uniform_|bernoulli_|random_)"
)


def count(reference: Reference, case: Case) -> dict[str, Any]:
    """Return `operator_calls`, the count, and `operator_calls_on`, the device of the traced call.

    The call is traced on the meta device, which computes nothing; a program that needs values, such as one with
    `.item()`, is traced on the reference's own device. Empty if it runs on neither under the tracing modes.
    """
    for device in (_META, reference.device):
        try:
            return {"operator_calls": _trace(reference, case, device), "operator_calls_on": device.type}
        except (Exception, SystemExit):  # noqa: S112  any failure of the program means only that it cannot be traced
            continue
    return {}


def _trace(reference: Reference, case: Case, device: torch.device) -> int:
    inputs = unflatten(case.tree, [_on(tensor, device) for tensor in case.tensors])
    set_seed(case.rng)
    operators = _Operators()
    with torch.device(device), operators, _Calls(operators):
        if device == _META:
            state = {name: _on(tensor, device) for name, tensor in _tensors(reference.model)}
            torch.func.functional_call(reference.model, state, tuple(inputs))
        else:
            reference.model(*inputs)
    return operators.calls


def _tensors(model: torch.nn.Module) -> list[tuple[str, torch.Tensor]]:
    return [*model.named_parameters(), *model.named_buffers()]


def _on(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Return a copy, which the program may change."""
    return tensor.detach().to(device, copy=True)


class _Operators(TorchDispatchMode):
    """Sees the operators below torch's calls."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls = 0
        # Whether a call of torch is in progress, and whether it has computed.
        self.in_call = False
        self.computed = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if _computes(func, args, kwargs):
            self.computed = True
            self.calls += not self.in_call
        return func(*args, **(kwargs or {}))


class _Calls(TorchFunctionMode):
    """Sees the outermost calls of torch: within one, the mode is off."""

    def __init__(self, operators: _Operators) -> None:
        super().__init__()
        self._operators = operators

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._operators.in_call, self._operators.computed = True, False
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self._operators.in_call = False
            self._operators.calls += self._operators.computed


def _computes(func: Any, args: Any, kwargs: Any) -> bool:
    name = func._schema.name.rpartition("::")[2]
    if func.is_view or _MOVES.fullmatch(name):
        return False
    leaves = tree_leaves((args, kwargs or {}))
    return any(isinstance(leaf, torch.Tensor) and leaf.dim() > 0 for leaf in leaves)
