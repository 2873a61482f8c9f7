"""Which of the kernels that ran were built from the submission: names held against what was built from it.

The list of kernels is the candidate's process's own word. What this adds is that a kernel counts as the submission's
only where its name is in an extension that this engine compiled for it, among the kernels that Triton compiled in its
process, or defined in its own CUDA text (for what is compiled at run time).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from eval_app.engine.contract.inspection import MAX_KERNELS, MAX_NAME_CHARS, GpuKernel, ProfileTrace
from eval_app.engine.contract.jobs import Finding, Severity
from eval_app.engine.labels.program import Program

# Below this share of GPU time the submission's own kernels are not what does the work.
_MOSTLY = 0.5
_MODULE_BYTES = 2**28
# What torch.compile's code generator calls its kernels: compiled in the candidate's process, but not written by it.
_INDUCTOR = re.compile(r"triton_(?:poi|red|per|tem|mm|for|split|unk)_")
_BOUNDS = r"(?:__launch_bounds__\s{0,20}\([^)]{0,200}\)\s{0,20})?"
_DEFINED = re.compile(
    rf"__global__\s{{1,20}}{_BOUNDS}[\w:<>*&\s]{{0,200}}?\b{_BOUNDS}([A-Za-z_]\w*)\s{{0,20}}\("
)
_ANONYMOUS = ("(anonymous namespace)", "_GLOBAL__N__", "_GLOBAL__N_")


class Built:
    """What was built from one submission, asked for kernel names."""

    def __init__(self, candidate: str, modules: Iterable[Path], triton: Iterable[str]) -> None:
        """`modules` are the files that were compiled for it; `triton` names what Triton compiled in its process."""
        program = Program.read(candidate)
        texts = [text for _, text in program.native_texts] if program else []
        self._defined = {name for text in texts for name in _DEFINED.findall(text)}
        written = {function.name for function in program.triton_kernels} if program else set()
        self._triton = {name for name in triton if not _INDUCTOR.match(name) or name in written}
        self._symbols = [_symbols(path) for path in modules]

    def owns(self, kernel: str) -> bool:
        """Whether the kernel of this (demangled) name was built from the submission."""
        parts = qualified(kernel)
        if not parts:
            return False
        if any(_is_in(parts, symbols) for symbols in self._symbols):
            return True
        return kernel in self._triton or (len(parts) == 1 and parts[0] in self._defined)


def qualified(kernel: str) -> list[str]:
    """The names of a demangled kernel from the outermost: `void a::f<float>(float*)` is ["a", "f"]."""
    text = kernel
    for word in _ANONYMOUS[:1]:
        text = text.replace(word, "")
    plain, depth = [], 0
    for char in text:
        if char == "(" and depth == 0:
            break
        depth += (char == "<") - (char == ">")
        if depth == 0 and char != ">":
            plain.append(char)
    words = "".join(plain).split()
    if not words:
        return []
    names = [part for part in words[-1].split("::") if part and not part.startswith(_ANONYMOUS)]
    return names if all(re.fullmatch(r"[A-Za-z_]\w*", name) for name in names) else []


def _symbols(path: Path) -> bytes:
    """All names in a module's strings, a line each; a kernel's is there in full, because it is registered by name."""
    try:
        with path.open("rb") as file:
            data = file.read(_MODULE_BYTES)
    except OSError:
        return b""
    return b"\n".join(sorted(set(re.findall(rb"[A-Za-z_.][A-Za-z0-9_$.]{2,4000}", data))))


def _is_in(parts: list[str], symbols: bytes) -> bool:
    """Whether a mangled name (Itanium C++ ABI 5.1: each part after its length, L before static ones) or a plain
    kernel's section is among the symbols."""
    mangled = rb"L?".join(str(len(part)).encode() + re.escape(part.encode()) for part in parts)
    start = rb"_ZN(?:\d+_GLOBAL__N_\w*?)?L?" if len(parts) > 1 else rb"_Z(?:N\d+_GLOBAL__N_\w*?)?L?"
    if re.search(start + mangled, symbols):
        return True
    stub = rb"__device_stub__(?:_Z\d*)?" + re.escape(parts[0].encode()) + rb"\b"
    section = rb"\.text\." + re.escape(parts[0].encode()) + rb"(?:\n|$)"
    return len(parts) == 1 and bool(re.search(stub, symbols) or re.search(section, symbols))


def read_trace(trace: Any, candidate: str, modules: Iterable[Path]) -> ProfileTrace:
    """The runner's list of kernels as the report holds it. What is no list is a trace that is missing."""
    if not isinstance(trace, dict):
        return ProfileTrace(missing="kernels are traced on a GPU, and by profiles that ask for it")
    rows = (
        [row for row in trace.get("kernels") or [] if _is_row(row)]
        if isinstance(trace.get("kernels"), list)
        else []
    )
    total_us = sum(row[2] for row in rows)
    if not rows or total_us <= 0:
        return ProfileTrace(missing=_printable(str(trace.get("missing") or "the call ran no kernel"), 500))
    built = Built(candidate, modules, triton_names(trace))
    kernels = [_kernel(row, total_us, built.owns(row[0])) for row in rows]
    share = min(1.0, sum(kernel.share for kernel in kernels if kernel.own))
    return ProfileTrace(share, kernels[:MAX_KERNELS])


def triton_names(trace: dict[str, Any]) -> list[str]:
    """Names of what Triton compiled."""
    kernels = trace.get("triton")
    return (
        [str(item.get("name", "")) for item in kernels if isinstance(item, dict)]
        if isinstance(kernels, list)
        else []
    )


def _is_row(row: Any) -> bool:
    if not (isinstance(row, list) and len(row) == 3 and isinstance(row[0], str)):
        return False
    return all(isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n < 1e12 for n in row[1:])


def _kernel(row: list[Any], total_us: float, own: bool) -> GpuKernel:
    name = _printable(row[0], MAX_NAME_CHARS) or "unnamed"
    return GpuKernel(name, float(row[1]), row[2] / 1e3, min(1.0, row[2] / total_us), own)


def _printable(text: str, limit: int) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)[:limit]


def mostly_library(trace: ProfileTrace) -> Finding | None:
    """The label for a candidate whose GPU time is spent in kernels that others wrote."""
    share = trace.custom_kernel_share
    if share is None or share >= _MOSTLY:
        return None
    others = [kernel for kernel in trace.gpu_kernels if not kernel.own]
    named = "; ".join(f"{kernel.share:.0%} {kernel.name[:120]}" for kernel in others[:3])
    text = (
        f"{share:.0%} of the GPU time of a call is in kernels built from the submission; elsewhere: {named}"
    )
    return Finding("mostly_library", Severity.LABEL, text[:2000])
