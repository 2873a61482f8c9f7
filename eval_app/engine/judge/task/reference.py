"""The reference program: its model, inputs and outputs. It is imported code: this process is its sandbox."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import torch

from eval_app.engine.contract.configs import TaskConfig, read_configs
from eval_app.engine.contract.schema import ContractError
from eval_app.engine.judge.task.arguments import call_inputs, init_arguments
from eval_app.engine.judge.values.families import Domain
from eval_app.engine.judge.values.structure import Structures
from eval_app.engine.judge.values.unvaried import Unvaried, rescaled
from eval_app.engine.judge.verdicts import ContextLostError, ReferenceFaultError
from eval_app.engine.sandbox.channel import MAX_MESSAGE_BYTES
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import TreeError, flatten

T = TypeVar("T")
_NAMES = ("Model", "get_inputs")
_OF_PROBABILITIES = re.compile(
    r"\bbinary_cross_entropy\b|\bBCELoss\b|\bbernoulli|\bmultinomial\b|\bpoisson\(|\bbinomial\("
)

_OF_REGULAR = re.compile(
    r"\b(inv|inverse|lu|lu_factor|ldl_factor|qr|geqrf|solve|lstsq|pinv|pinverse|det|logdet|slogdet|cholesky)(_ex)?\("
)


class Reference:
    """One loaded task: the source of the truth for one job."""

    def __init__(
        self,
        source: str,
        folder: Path,
        device: torch.device,
        init_seed: int,
        *,
        build: bool = True,
        own_values: bool = False,
    ) -> None:
        """Load `source` and build its model on `device`. Raises ReferenceFaultError on failure.

        `own_values` is set for a task that takes no values beyond the range of its own.
        """
        self.device = device
        # The present configuration: the task's own, or a declared one.
        self.config = "own"
        self._chosen: TaskConfig | None = None
        self._on_device = device.type == "cuda"
        self.unvaried = Unvaried()
        # When the job ends, how long it takes, and how long the calls of this program and the last of them took.
        self._ends_s = math.inf
        self._allowed_s = self._spent_s = self._last_s = 0.0
        # Of the inputs in the present configuration.
        self.structures = Structures()
        # What takes probabilities or rates alone ends a GPU's context on another value.
        self.domain = Domain.UNIT if _OF_PROBABILITIES.search(source) else Domain.ANY
        if own_values:
            self.domain = Domain.OWN
        # Whether it factorises or inverts matrices: what it gives for a singular one is no promise.
        self.keeps_regular = bool(_OF_REGULAR.search(source))
        self._module = guarded("loading the reference", lambda: _load(source, folder))
        for name in _NAMES:
            if not callable(getattr(self._module, name, None)):
                raise ReferenceFaultError(f"the reference defines no {name}")
        self.init_arguments = guarded("get_init_inputs()", lambda: self._init_inputs(init_seed))
        if build:
            self.model = guarded("building the reference's Model", lambda: self._build(init_seed))

    def configure(self, config: TaskConfig | None, seed: int) -> None:
        """Apply a configuration, None for the task's own, and rebuild the model.

        Raises ReferenceFaultError if the reference rejects it; then the previous one stays.
        """
        before = (self.config, self._chosen, self.init_arguments)
        self._chosen, self.config = config, config.name if config else "own"
        self.structures = Structures()
        try:
            self.init_arguments = guarded("the arguments of Model", lambda: self._init_inputs(seed))
            self.model = guarded("building the reference's Model", lambda: self._build(seed))
        except ReferenceFaultError:
            self.config, self._chosen, self.init_arguments = before
            raise

    def allow(self, seconds: float) -> None:
        """Set the time that the job has from now on."""
        self._allowed_s, self._ends_s = seconds, time.monotonic() + seconds

    def require_time(self) -> None:
        """Raise ReferenceFaultError if the next call would end after the job, most of which its calls have taken: a
        candidate is not to blame for that."""
        left_s = self._ends_s - time.monotonic()
        if left_s < 2 * self._last_s and 2 * self._spent_s > self._allowed_s - left_s:
            took = f"its calls took {self._spent_s:.0f} s, the last one {self._last_s:.1f} s"
            raise ReferenceFaultError(f"the reference is too slow for a job of {self._allowed_s:g} s: {took}")

    def spend(self, seconds: float) -> None:
        """Count the time of a call: of a processor, where others may be at work on the host."""
        self._spent_s, self._last_s = self._spent_s + seconds, seconds

    @property
    def module(self) -> ModuleType:
        """Return the program's module, to draw its inputs in other sizes."""
        return self._module

    def declared_configs(self) -> list[TaskConfig]:
        """Return the configurations that the program declares in `multi_*_configs`, as robust-kbench's do."""
        names = ("multi_init_configs", "multi_input_configs", "multi_shared_configs")
        values = {name: getattr(self._module, name) for name in names if hasattr(self._module, name)}
        try:
            return read_configs(values, "the reference's configurations") if values else []
        except ContractError:
            return []

    @property
    def asks_backward(self) -> bool:
        """Return whether the program sets `BACKWARD = True`: its gradients are part of the task."""
        return getattr(self._module, "BACKWARD", False) is True

    def _init_inputs(self, seed: int) -> Any:
        set_seed(seed)
        own = _positional_or_keywords(getattr(self._module, "get_init_inputs", list)())
        return init_arguments(self._module.Model, own, self._chosen) if self._chosen else own

    def _build(self, seed: int) -> torch.nn.Module:
        set_seed(seed)
        arguments = self.init_arguments
        model = (
            self._module.Model(**arguments) if isinstance(arguments, dict) else self._module.Model(*arguments)
        )
        if not isinstance(model, torch.nn.Module):
            raise ReferenceFaultError("the reference's Model is not a torch.nn.Module")
        return model.to(self.device)

    def inputs(self, seed: int) -> list[Any]:
        """Return the arguments of one call, drawn from `seed`, on the device; generated there if the program
        allows."""
        values = guarded("get_inputs()", lambda: self._draw(seed))
        try:
            moved = [_moved(value, self.device) for value in values]
        except NotImplementedError as error:  # tensors without values cannot be moved
            raise failure("get_inputs()", error) from error
        require_passable(moved)  # a program may make others at any draw
        return list(rescaled(moved, self.unvaried, seed))

    def _draw(self, seed: int) -> list[Any]:
        set_seed(seed)
        if self._on_device:
            try:
                with torch.device(self.device):
                    return self._call_inputs()
            except torch.OutOfMemoryError:
                raise
            except Exception:  # some programs mix devices: their inputs are made on the CPU from then on
                self._on_device = False
                set_seed(seed)
        return self._call_inputs()

    def _call_inputs(self) -> list[Any]:
        return call_inputs(self._module, self._chosen) if self._chosen else list(self._module.get_inputs())

    def weights(self) -> dict[str, torch.Tensor]:
        """Return the state dict's tensors, which a candidate gets by value."""
        return {name: value for name, value in self.model.state_dict().items() if torch.is_tensor(value)}


def _load(source: str, folder: Path) -> ModuleType:
    path = folder / "reference.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["reference"] = module
    spec.loader.exec_module(module)
    return module


def _positional_or_keywords(arguments: Any) -> Any:
    """Return the arguments in one form: KernelBook's programs return `[[], {...}]`, positional and keyword
    arguments."""
    if isinstance(arguments, list | tuple) and len(arguments) == 2:
        first, second = arguments
        if isinstance(first, list | tuple) and not first and isinstance(second, dict):
            return second
    return list(arguments) if isinstance(arguments, list | tuple) else arguments


def _moved(value: Any, device: torch.device) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().to(device).resolve_conj().resolve_neg()  # buffers hold values as they lie
    if isinstance(value, list | tuple):  # named tuples lose their names on the way to the other side anyway
        return (tuple if isinstance(value, tuple) else list)(_moved(item, device) for item in value)
    if isinstance(value, dict):
        return {key: _moved(item, device) for key, item in value.items()}
    return value


def guarded(what: str, action: Callable[[], T]) -> T:
    """Return what `action` does with the reference alone. Raises ReferenceFaultError, whatever fails."""
    try:
        return action()
    except ReferenceFaultError:
        raise
    except (Exception, SystemExit) as error:
        raise failure(what, error) from error


def failure(what: str, error: BaseException) -> ReferenceFaultError:
    """Return `error`, which `what` has raised, as a fault of the reference."""
    return ReferenceFaultError(f"{what} failed: {type(error).__name__}: {str(error)[:1500]}")


def require_context(error: Exception) -> None:
    """Raise ContextLostError if the device answers no more after `error`, which the reference has raised."""
    if not torch.cuda.is_initialized():
        return
    try:
        torch.cuda.synchronize()
    except RuntimeError:
        text = "the reference ends the device's context on values that the task does not draw"
        raise ContextLostError(f"{text}: {str(error)[:1000]}") from error


def flatten_output(result: Any) -> tuple[Any, list[torch.Tensor]]:
    """Return the reference's result as a tree and its tensors. Raises ReferenceFaultError if it cannot be compared."""
    tensors: list[torch.Tensor] = []
    try:
        tree = flatten(result, tensors, "output")
    except TreeError as error:
        raise ReferenceFaultError(
            f"the reference returns a value that cannot be compared: {error}"
        ) from error
    require_dense(tensors, "returns")
    return tree, [tensor.detach() for tensor in tensors]


def require_short(forms: Any) -> None:
    """Raise ReferenceFaultError for arguments and plain results, in their JSON form, that no message holds."""
    count = form_bytes(forms)
    if count > MAX_MESSAGE_BYTES // 4:
        text = f"the reference's arguments and plain results take {count} bytes of text"
        raise ReferenceFaultError(f"{text}; at most {MAX_MESSAGE_BYTES // 4} are passed to another process")


def form_bytes(form: Any) -> int:
    """Return how many bytes a JSON form takes in a message, or somewhat more."""
    return len(json.dumps(form))


def require_passable(inputs: list[Any]) -> None:
    """Raise ReferenceFaultError for inputs that hold something else than dense tensors and plain values."""
    tensors: list[torch.Tensor] = []
    try:
        flatten(inputs, tensors, "inputs")
    except TreeError as error:
        raise ReferenceFaultError(str(error)) from error
    require_dense(tensors, "takes")


def require_dense(tensors: list[torch.Tensor], verb: str) -> None:
    """Raise ReferenceFaultError for tensors that buffers cannot hold; `verb` is what the reference does with them."""
    for tensor in tensors:
        if tensor.layout is not torch.strided or tensor.is_nested or tensor.is_quantized or tensor.is_meta:
            text = f"the reference {verb} a tensor that is sparse, nested, quantised or without values"
            raise ReferenceFaultError(f"{text}, which is not supported")
