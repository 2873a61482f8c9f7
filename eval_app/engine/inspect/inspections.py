"""Assembling an inspection; each missing part has a reason."""

from __future__ import annotations

import base64
import binascii
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eval_app.engine.contract.inspection import Inspection, Metric, Sanitizer
from eval_app.engine.contract.printable import printable
from eval_app.engine.inspect import machine_code, runtime_tools, tools
from eval_app.engine.inspect.runtime_tools import Subject

_CUBIN_BYTES = 8 * 2**20
_MAX_CUBINS = 40


def full_inspection(subject: Subject, triton: list[dict[str, Any]], *, runs: bool) -> Inspection:
    """Return code, counters and memory errors. `triton` lists the runner's Triton kernels; `runs` means that
    the candidate passed and can be run again."""
    missing: dict[str, str] = {}
    with cubins(triton) as compiled:
        files = [Path(path) for path in subject.modules.values()] + compiled
        ptx = "\n".join(str(item["ptx"]) for item in triton if isinstance(item.get("ptx"), str))
        code = machine_code.read_modules(files, subject.sandbox, printable(ptx, "\n\t"))
    if not files:
        missing["code"] = "no code of its own was compiled for this candidate"
    metrics = _counters(subject, missing, runs=runs)
    sanitizer = _memory(subject, missing, runs=runs)
    return Inspection(
        code.kernels, code.sass, code.ptx, code.assembly, metrics, sanitizer, missing | code.missing
    )  # fmt: skip


def memory_inspection(subject: Subject) -> Inspection:
    """Return the memory check alone, as the profile `thorough` requests it."""
    missing: dict[str, str] = {}
    return Inspection(sanitizer=_memory(subject, missing, runs=True), missing=missing)


def _why_not(subject: Subject, runs: bool) -> str:
    if subject.device != "cuda":
        return "this examines a GPU, and the job ran on the CPU"
    return "" if runs else "the candidate did not pass, so it is not run again"


def _counters(subject: Subject, missing: dict[str, str], *, runs: bool) -> dict[str, Metric]:
    why = _why_not(subject, runs)
    try:
        if not why:
            return runtime_tools.counters(subject)
    except (tools.ToolMissingError, OSError) as error:
        why = str(error)
    missing["metrics"] = why[:500]
    return {}


def _memory(subject: Subject, missing: dict[str, str], *, runs: bool) -> Sanitizer | None:
    why = _why_not(subject, runs)
    try:
        if not why:
            return runtime_tools.memory_check(subject)
    except (tools.ToolMissingError, OSError) as error:
        why = str(error)
    missing["sanitizer"] = why[:500]
    return None


@contextmanager
def cubins(triton: list[dict[str, Any]]) -> Iterator[list[Path]]:
    """Yield files with Triton's compiled kernels."""
    with tempfile.TemporaryDirectory(prefix="cubins-") as folder:
        os.chmod(folder, 0o755)  # noqa: S103
        yield _written(triton, Path(folder))


def _written(triton: list[dict[str, Any]], folder: Path) -> list[Path]:
    paths = []
    for number, item in enumerate(triton[:_MAX_CUBINS]):
        try:
            data = base64.b64decode(str(item.get("cubin", "")), validate=True)
        except (binascii.Error, ValueError):
            continue
        if 0 < len(data) <= _CUBIN_BYTES:
            path = folder / f"{number}.cubin"
            path.write_bytes(data)
            paths.append(path)
    return paths
