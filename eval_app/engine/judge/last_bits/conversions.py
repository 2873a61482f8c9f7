"""Conversions of numbers to integers that do not hold them: what comes of these is no promise, and differs from one
processor, and from one instruction, to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class ConversionsWatched(TorchDispatchMode):
    """Notes whether floating-point numbers are converted to integers that do not hold them."""

    def __init__(self) -> None:
        """Start with none seen."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.overflows = False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Carry out an operator; look at the numbers of one that converts."""
        name = func._schema.name
        if name == "aten::_to_copy":
            self._look(args[0], (kwargs or {}).get("dtype"))
        elif name == "aten::copy_":
            self._look(args[1], args[0].dtype)
        return func(*args, **(kwargs or {}))

    def _look(self, numbers: torch.Tensor, dtype: torch.dtype | None) -> None:
        is_converted = dtype and not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool)
        if dtype is None or not is_converted or not (numbers.is_floating_point() and numbers.numel()):
            return
        whole, limits = numbers.double().trunc(), torch.iinfo(dtype)
        # The largest integer of 64 bits is a power of two in double precision, which the dtype does not hold.
        fits = (whole >= float(limits.min)) & (whole < float(limits.max) + 1)
        self.overflows |= not bool(fits.all())
