"""Runs the demo pack's C++ and Python samples against their references, without the engine; run as a script.

All C++ sources are built as one extension, each in its own namespace: two dozen builds of the same
headers would take ten times as long. One JSON line for each sample on stdout: {"name", "faults": [...]}.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils import cpp_extension

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = 1e-4
SEEDS = (3, 11)

Request = dict[str, Any]


class _RecordedError(Exception):
    """Ends a sample's import at its load_inline call, which is stored in `request`."""

    def __init__(self, request: Request) -> None:
        super().__init__("recorded")
        self.request = request


def _record(**request: Any) -> None:
    raise _RecordedError(request)


def read_rows() -> list[dict[str, Any]]:
    """Return the pack's rows that need no GPU. Loads the module by path: a script knows no packages."""
    path = ROOT / "datasets_app" / "demo_pack" / "__init__.py"
    spec = importlib.util.spec_from_file_location("demo_pack", path)
    assert spec is not None
    assert spec.loader is not None
    pack = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pack)
    return [row for row in pack.read_pack() if row["language"] in ("cpp", "python")]


def run_program(source: str, load_inline: Callable[..., Any]) -> types.SimpleNamespace:
    """Execute a program with `load_inline` in place of PyTorch's."""
    original, cpp_extension.load_inline = cpp_extension.load_inline, load_inline
    try:
        scope: dict[str, Any] = {"__name__": "sample"}
        exec(compile(source, "sample.py", "exec"), scope)
    finally:
        cpp_extension.load_inline = original
    return types.SimpleNamespace(**scope)


def requests(rows: list[dict[str, Any]]) -> dict[str, Request]:
    """Return the load_inline call of each C++ sample, by the sample's name."""
    found = {}
    for row in rows:
        try:
            run_program(row["kernel_code"], _record)
        except _RecordedError as recorded:
            found[row["name"]] = recorded.request
    return found


def build_together(found: dict[str, Request], folder: str) -> dict[str, types.SimpleNamespace]:
    """Build all samples as one extension; return the functions of each, by the sample's name."""
    includes: list[str] = []
    body, exported, flags = [], [], set()
    for name, request in found.items():
        source = request["cpp_sources"]
        includes += re.findall(r"^#include.*$", source, re.M)
        body.append(f"namespace {_space(name)} {{\n{re.sub(r'^#include.*$', '', source, flags=re.M)}\n}}")
        exported += [f"{_space(name)}::{function}" for function in request["functions"]]
        flags |= set(request.get("extra_cflags", []))
    built = cpp_extension.load_inline(
        name="demo_pack_together",
        cpp_sources="\n".join([*dict.fromkeys(includes), *body]),
        functions=exported,
        extra_cflags=sorted(flags),
        build_directory=folder,
    )
    return {name: _functions_of(name, request, built) for name, request in found.items()}


def _functions_of(name: str, request: Request, built: Any) -> types.SimpleNamespace:
    functions = {f: getattr(built, f"{_space(name)}::{f}") for f in request["functions"]}
    return types.SimpleNamespace(**functions)


def _space(name: str) -> str:
    return name.replace(".", "_")


def families(inputs: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Return the inputs and variants of them. Integers and booleans are unchanged: indices, labels, masks."""
    changes: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        "natural": lambda x: x,
        "normal": torch.randn_like,
        "uniform": torch.rand_like,
        "scaled": lambda x: x * 32,
        "constant": lambda x: torch.full_like(x, float(x.flatten()[0])),
        "integers": lambda x: torch.randint_like(x, -8, 9),
        "one hot": _one_hot,
    }
    for name, change in changes.items():
        yield name, [(change(x) if x.is_floating_point() else x).clone() for x in inputs]


def _one_hot(x: torch.Tensor) -> torch.Tensor:
    flat = torch.zeros(x.numel())
    flat[int(torch.randint(x.numel(), (1,)))] = 1.0
    return flat.view(x.shape)


def output_fault(got: Any, truth: torch.Tensor) -> str:
    """Return the fault of an output, or an empty text. The absolute tolerance scales with the truth."""
    if type(got) is not torch.Tensor:
        return f"returns a {type(got).__name__}"
    if got.shape != truth.shape or got.dtype != truth.dtype:
        return f"returns {got.dtype} {tuple(got.shape)}, not {truth.dtype} {tuple(truth.shape)}"
    if not truth.is_floating_point():
        return "" if torch.equal(got, truth) else "other integers"
    atol = TOLERANCE * max(1.0, float(truth.square().mean().sqrt()))
    return "" if torch.allclose(got, truth, rtol=TOLERANCE, atol=atol) else "other values"


class Check:
    """A sample with its reference."""

    def __init__(self, reference: Any, candidate: Any) -> None:
        arguments = reference.get_init_inputs()
        torch.manual_seed(0)
        self.model = reference.Model(*arguments)
        torch.manual_seed(0)
        self.candidate = candidate.ModelNew(*arguments)
        self.candidate.load_state_dict(self.model.state_dict(), strict=True)
        self.get_inputs = reference.get_inputs
        self.faults: list[str] = []
        self._kept: tuple[torch.Tensor, torch.Tensor] | None = None

    def run(self) -> list[str]:
        """Run all families with all seeds; return the faults found, each with the family that revealed it."""
        for seed in SEEDS:
            torch.manual_seed(seed)
            for name, inputs in families(self.get_inputs()):
                self.faults += [f"{name}: {fault}" for fault in self._try(inputs) if fault]
        return self.faults

    def _try(self, inputs: list[Any]) -> Iterator[str]:
        truth = self.model(*[x.clone() for x in inputs])
        before = [x.clone() for x in inputs]
        got = self.candidate(*inputs)
        if not torch.isfinite(truth).all():
            yield "the reference is not finite"
        yield output_fault(got, truth)
        if any(not torch.equal(a, b) for a, b in zip(inputs, before, strict=True)):
            yield "an input was changed"
        if self._kept is not None and not torch.equal(*self._kept):
            yield "an earlier output was changed"
        self._kept = (got, got.clone()) if type(got) is torch.Tensor else None
        again = self.candidate(*before)
        if type(again) is torch.Tensor and output_fault(again, truth):
            yield "another result the second time"


def main(folder: str) -> None:
    """Build into `folder`, check all, print one line for each."""
    torch.set_num_threads(1)
    rows = read_rows()
    built = build_together(requests(rows), folder)
    with torch.no_grad():
        for row in rows:
            reference = run_program(row["pytorch_code"], _record)
            candidate = run_program(row["kernel_code"], lambda sample=row["name"], **_: built[sample])
            faults = Check(reference, candidate).run()
            print(json.dumps({"name": row["name"], "faults": faults}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
