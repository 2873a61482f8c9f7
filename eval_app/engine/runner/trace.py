"""The kernels that a call runs, by torch's profiler (Kineto over CUPTI), and what Triton compiled for them."""

from __future__ import annotations

import base64
import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.autograd import DeviceType
from torch.autograd.profiler import profile

from eval_app.engine.contract.inspection import MAX_NAME_CHARS, MAX_TRACED

_CALLS = 3
_MAX_TRITON = 40
# Limit for all compiled kernels together: a message holds 8 MiB, and base64 adds a third.
_MAX_CODE_BYTES = 4 * 2**20
_ANNOTATIONS = ("## ", "ProfilerStep", "Torch-Compiled Region", "CompiledFxGraph", "Optimizer.")


def take(model: Callable[..., Any], inputs: list[Any], *, code: bool) -> dict[str, Any]:
    """Return `kernels`, [name, calls, microseconds] of one call, longest first, and `triton`, the contents of
    its cache.

    `missing` is the reason for no kernels. Two calls are made before, so that compilation and first
    allocations are not included.
    """
    for _ in range(2):
        model(*inputs)
    torch.cuda.synchronize()
    # torch.profiler, which stands on this class, imports torch.compile first: another second and a half.
    with profile(use_device="cuda", use_cpu=False, use_kineto=True) as profiler:
        for _ in range(_CALLS):
            model(*inputs)
        torch.cuda.synchronize()
    counts, spent_us = Counter[str](), Counter[str]()
    for event in profiler.function_events or []:
        if event.device_type == DeviceType.CUDA and not event.name.startswith(_ANNOTATIONS):
            counts[event.name[:MAX_NAME_CHARS]] += 1
            spent_us[event.name[:MAX_NAME_CHARS]] += event.time_range.elapsed_us()
    answer: dict[str, Any] = {"triton": triton_kernels(code=code)}
    if not counts:
        return answer | {
            "missing": "the profiler saw no kernel: CUPTI gave no activity records in this process"
        }
    longest = spent_us.most_common(MAX_TRACED)
    return answer | {"kernels": [[name, counts[name] / _CALLS, us / _CALLS] for name, us in longest]}


def triton_kernels(*, code: bool) -> list[dict[str, Any]]:
    """Return name and resources of each kernel that Triton compiled in this process; with `code` also PTX and
    cubin (base64)."""
    folders = dict.fromkeys((os.environ.get("TRITON_CACHE_DIR"), str(Path.home() / ".triton" / "cache")))
    kernels: list[dict[str, Any]] = []
    left = _MAX_CODE_BYTES if code else 0
    files = sorted({f for folder in folders if folder for f in Path(folder).glob("*/*.json")}, key=str)
    for path in files:
        facts = _facts(path)
        if facts is None or len(kernels) >= _MAX_TRITON:
            continue
        size = sum(_size(path.with_suffix(suffix)) for suffix in (".ptx", ".cubin"))
        if code and size <= left:
            left -= size
            facts |= _code(path)
        kernels.append(facts)
    return kernels


def _facts(path: Path) -> dict[str, Any] | None:
    """Read one kernel's metadata file; files of groups (`__grp__...`) hold none."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if path.name.startswith("__grp__") or not isinstance(data, dict) or not isinstance(data.get("name"), str):
        return None
    shared = data.get("shared")
    return {"name": data["name"][:MAX_NAME_CHARS], "shared": shared if isinstance(shared, int) else None}


def _code(path: Path) -> dict[str, str]:
    code = {}
    ptx, cubin = path.with_suffix(".ptx"), path.with_suffix(".cubin")
    if ptx.is_file():
        code["ptx"] = ptx.read_text("utf-8", errors="replace")
    if cubin.is_file():
        code["cubin"] = base64.b64encode(cubin.read_bytes()).decode("ascii")
    return code


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
