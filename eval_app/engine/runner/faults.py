"""Faults of the candidate as a closed set of kinds with a capped message. Decided by type, never by text."""

from __future__ import annotations

import ctypes
import traceback

import torch

from eval_app.engine.shared import cudart

MAX_DETAIL_CHARS = 3_000
# Illegal address, illegal instruction, misaligned, invalid address space, invalid pc, launch failure, hardware stack.
_MEMORY_FAULTS = {700, 714, 715, 716, 717, 718, 719}


class NeedsCudaError(RuntimeError):
    """The candidate uses CUDA on a lane without it."""


class StructureError(TypeError):
    """The candidate's result differs in structure from the reference's; `kind` is `wrong_structure` or `cheated`."""

    def __init__(self, detail: str, kind: str = "wrong_structure", code: str = "wrong_structure") -> None:
        """Store the message; `code` is the finding's code."""
        super().__init__(detail)
        self.kind, self.code = kind, code


def kind_of(error: BaseException, default: str) -> str:
    """Return the kind of `error`; `default` for an ordinary exception."""
    if isinstance(error, StructureError):
        return error.kind
    if isinstance(error, NeedsCudaError):
        return "unsupported"
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return "out_of_memory"
    initialized = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    if initialized and device_fault() in _MEMORY_FAULTS:
        return "illegal_memory"
    return default


def device_fault() -> int:
    """Return the CUDA error of the device, 0 if there is none."""
    try:
        return int(cudart.synchronize_code())
    except (cudart.CudaError, ctypes.ArgumentError):
        return 0


def describe(error: BaseException) -> str:
    """Return the error's text with the candidate's line that raised it."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:  # the candidate's own __str__ may fail
        text = f"{type(error).__name__} (its text cannot be read)"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.endswith("candidate.py")]
    place = f" (candidate line {frames[-1].lineno}: {(frames[-1].line or '')[:200]})" if frames else ""
    return text[: MAX_DETAIL_CHARS - len(place)] + place
