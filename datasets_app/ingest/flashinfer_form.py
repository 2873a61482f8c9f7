"""FlashInfer-Bench's definitions and solutions as programs in KernelBench's form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datasets_app.ingest.rows import RowError
from datasets_app.ingest.values import is_finite

FLOATS = {"float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"}
INTEGERS = {"int64", "int32", "int16", "int8", "uint8"}
MODEL = """

class {name}(torch.nn.Module):
    def forward(self, *inputs):
        return {call}
"""
NO_INPUTS = "\n# The workload's inputs are in a file of the data set that is not part of this row.\n"


def reference_program(definition: Mapping[str, Any], workload: Mapping[str, Any]) -> str:
    """Return the definition's run() as a Model, with the workload's inputs where it describes them. Raises RowError."""
    source = definition.get("reference")
    if not isinstance(source, str) or not source.strip():
        raise RowError("definition", "has no reference program", source)
    inputs = inputs_source(definition, workload)
    ending = NO_INPUTS if inputs is None else f"\n\ndef get_inputs():\n    return [{inputs}]\n"
    model = MODEL.format(name="Model", call="run(*inputs)")
    return f"{with_torch(source)}{model}{ending}\n\ndef get_init_inputs():\n    return []\n"


def with_torch(source: str) -> str:
    return source.rstrip() + "\n" if "import torch" in source else f"import torch\n\n{source.rstrip()}\n"


def axis_sizes(definition: Mapping[str, Any], workload: Mapping[str, Any]) -> dict[str, int]:
    """Return the axes' sizes: constants of the definition, then those that the workload sets."""
    axes, given = definition.get("axes"), workload.get("axes")
    sizes = {
        name: axis.get("value")
        for name, axis in (axes.items() if isinstance(axes, Mapping) else ())
        if isinstance(axis, Mapping) and axis.get("type") == "const"
    }
    sizes |= dict(given) if isinstance(given, Mapping) else {}
    return {
        name: size for name, size in sizes.items() if isinstance(size, int) and not isinstance(size, bool)
    }


def inputs_source(definition: Mapping[str, Any], workload: Mapping[str, Any]) -> str | None:
    """Return the source of the inputs; None if any of them is in a file."""
    sizes = axis_sizes(definition, workload)
    declared, given = definition.get("inputs"), workload.get("inputs")
    if not isinstance(declared, Mapping) or not isinstance(given, Mapping):
        return None
    values = [input_source(given.get(name), tensor, sizes) for name, tensor in declared.items()]
    return None if any(value is None for value in values) else ", ".join(str(value) for value in values)


def input_source(given: Any, tensor: Any, sizes: Mapping[str, int]) -> str | None:
    """Return the source of one input: a number as given, or random values of the declared shape and type."""
    kind = given.get("type") if isinstance(given, Mapping) else None
    if kind == "scalar" and (isinstance(value := given.get("value"), bool) or is_finite(value)):
        return repr(value)
    shape, dtype = (
        (tensor.get("shape"), str(tensor.get("dtype"))) if isinstance(tensor, Mapping) else (None, None)
    )
    if kind != "random" or not isinstance(shape, list) or not all(str(name) in sizes for name in shape):
        return None
    size = ", ".join(str(sizes[str(name)]) for name in shape)
    if dtype in FLOATS:
        return f"torch.randn([{size}]).to(torch.{dtype})"
    if dtype == "bool":
        return f"torch.rand([{size}]) < 0.5"
    return f"torch.randint(0, 2, [{size}], dtype=torch.{dtype})" if dtype in INTEGERS else None


def candidate(definition: Mapping[str, Any], solution: Mapping[str, Any]) -> str | None:
    """Return a solution of one Python file as a candidate; None for one of another form."""
    spec, sources = solution.get("spec"), solution.get("sources")
    if not isinstance(spec, Mapping) or not isinstance(sources, list) or len(sources) != 1:
        return None
    path, _, function = str(spec.get("entry_point") or "").partition("::")
    source = sources[0] if isinstance(sources[0], Mapping) else {}
    text = source.get("content")
    if not path.endswith(".py") or not function.isidentifier() or not isinstance(text, str):
        return None
    if not spec.get("destination_passing_style"):
        return with_torch(text) + MODEL.format(name="ModelNew", call=f"{function}(*inputs)")
    return None
