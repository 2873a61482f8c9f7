"""Names of inductor that programs of torch 2.5 import and later versions lack: KernelBook's Triton needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_MODULE = "torch._inductor.runtime.triton_heuristics"
# CUDA's largest second dimension of a launch.
_MOST_ROWS = 65_535
_BLOCKS = ("XBLOCK", "YBLOCK", "ZBLOCK")

Meta = Mapping[str, Any]


def supply(source: str) -> None:
    """Define `grid` in inductor's module, if a candidate's program may import it and this torch has none."""
    if _MODULE in source:
        module = import_module(_MODULE)
        if not hasattr(module, "grid"):
            module.grid = grid  # type: ignore[attr-defined]


def grid(*sizes: int) -> Callable[[Meta], tuple[int, int, int]]:
    """Return the launch grid of a kernel over `sizes`, the last one along x, by the kernel's block sizes.

    As torch 2.5's `grid`: a dimension without a block has a program for each element, and a second dimension that is
    longer than a launch may have is folded into the third.
    """

    def programs(meta: Meta) -> tuple[int, int, int]:
        counts = [
            _ceil(size, meta.get(block) or 1) for size, block in zip(reversed(sizes), _BLOCKS, strict=False)
        ]
        x, y, z = (*counts, 1, 1)[:3]
        if len(sizes) < len(_BLOCKS):
            z = _ceil(y, _MOST_ROWS)
            y = _ceil(y, z)
        return x, y, z

    return programs


def _ceil(size: int, block: int) -> int:
    return -(-size // block)
