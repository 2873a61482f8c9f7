"""What sees the reference's operators, without the import of torch's compiler.

torch keeps its compiler away from a mode's own code and imports it for that at the first operator: a second of a
processor and 70 MB for each process of the judge, though few references compile anything.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Self

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_COMPILER = "torch._dynamo"


class DispatchMode(TorchDispatchMode):
    """A dispatch mode that keeps the compiler away from its own code where a reference has loaded it."""

    _is_kept_away = False

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Say to torch that it need not keep its compiler away."""
        return False

    def __enter__(self) -> Self:
        cls: Any = type(self)
        if _COMPILER in sys.modules and not cls._is_kept_away:
            cls.__torch_dispatch__ = torch._disable_dynamo(cls.__torch_dispatch__, recursive=True)
            cls._is_kept_away = True
        super().__enter__()  # type: ignore[no-untyped-call]
        return self


@contextmanager
def without_compiler() -> Iterator[None]:
    """Spare operators on the meta device the import of the compiler, which they ask to leave them as they are.

    One that is not loaded leaves them so. They ask once: at the end, what they were answered is forgotten, since a
    reference may load the compiler later.
    """
    if _COMPILER in sys.modules:
        yield
        return
    spared: list[Any] = []

    def spare(operator: Any, *_: Any, **__: Any) -> Any:
        spared.append(operator)
        return operator

    stand_in: Any = ModuleType(_COMPILER)
    stand_in.disable = spare
    sys.modules[_COMPILER] = stand_in
    try:
        yield
    finally:
        del sys.modules[_COMPILER]
        for operator in spared:
            vars(operator).pop("__dynamo_disable", None)
