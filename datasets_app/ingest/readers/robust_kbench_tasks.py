"""robust-kbench's tasks: one forward program per row, usually with a backward program, each with its configurations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datasets_app.ingest.kernelbench_form import init_inputs, inputs
from datasets_app.ingest.limits import NAME_CHARS
from datasets_app.ingest.registry import Origin, Reader, leftover
from datasets_app.ingest.rows import Record, Row, RowError, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.values import label, mapping, program, text
from datasets_app.models.admission_codes import by_filters
from datasets_app.syntax.program import rename_class

SUITE = "robust-kbench"
ORIGIN = Origin(SUITE, "https://github.com/SakanaAI/robust-kbench", "Apache-2.0")
NOTE = "\n\n\n# The sizes of the data set's first configuration, in KernelBench's form.\n"
GRADIENTS = '''

def get_upstream_gradient(output):
    """Fixed, and of no pattern that a wrong kernel could match by luck."""
    steps = torch.arange(output.numel(), device=output.device, dtype=output.dtype)
    return torch.cos(steps).view_as(output)


class Model(ForwardModel):
    """The task is the backward pass: returns the gradients of inputs and parameters for a fixed upstream gradient."""

    fn = staticmethod(forward_fn)

    def forward(self, *inputs):
        with torch.enable_grad():
            leaves = [x.detach().requires_grad_(x.is_floating_point()) for x in inputs]
            output = super().forward(*leaves, fn=self.fn)
            wanted = [x for x in (*leaves, *self.parameters()) if x.requires_grad]
            upstream = get_upstream_gradient(output)
            gradients = torch.autograd.grad(output, wanted, upstream, allow_unused=True)
        return [gradient for gradient in gradients if gradient is not None]
'''


def number(name: str, forward: bool) -> str:
    """Return the suite's name for one direction of a task, such as layernorm/forward."""
    return f"{name}/{'forward' if forward else 'backward'}"


class RobustKbenchTasksReader(Reader):
    """Fixes the sizes that programs take as arguments to those of the first configuration."""

    name, title = "robust-kbench-tasks", "robust-kbench tasks (JSONL)"
    columns = ("task_name", "func_forward", "config_forward")
    program_field, kernel_field = "func_forward", "func_forward"
    origin = ORIGIN
    order = 0

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        task = self.task(values, forward=True)
        backward = text(values, "func_backward").strip()
        return Row(record, task, None, (self.task(values, forward=False),) if backward else ())

    def task(self, values: Mapping[str, Any], forward: bool) -> TaskPart:
        side = "forward" if forward else "backward"
        name = label(values, "task_name", NAME_CHARS - len("_backward"))
        if not name:
            raise RowError("task_name", "is missing")
        code = program(values, f"func_{side}")
        other = "backward" if forward else "forward"
        return TaskPart(
            program=configured(code, mapping(values, f"config_{side}"), forward, f"func_{side}"),
            name=name if forward else f"{name}_backward",
            suite=SUITE,
            external_id=number(name, forward),
            findings=tuple(by_filters(mapping(values, "filter_results"))),
            extra=leftover(values, "task_name", f"func_{side}", f"func_{other}", f"config_{other}"),
        )


def configured(code: str, config: Mapping[str, Any], forward: bool, field: str) -> str:
    """Return the program at the sizes of its first configuration. Raises RowError if that is not possible."""
    shared = first(config, "single_shared_configs")
    for_inputs = {**shared, **first(config, "single_input_configs")}
    for_init = {**shared, **first(config, "single_init_configs")}
    try:
        made = init_inputs(code, literals(for_init))
        calling = inputs(code, literals(for_inputs))
    except SyntaxError as error:
        raise RowError(field, f"does not parse: {error.msg} in line {error.lineno}", code) from None
    if made is None:
        raise RowError(field, "has no Model whose arguments the configuration gives", code)
    body = code if forward else rename_class(code, "Model", "ForwardModel").rstrip() + "\n" + GRADIENTS
    return body.rstrip() + NOTE + calling + "\n\n" + made


def first(config: Mapping[str, Any], name: str) -> dict[str, Any]:
    entries = config.get(name) or [{}]
    return dict(entries[0]) if isinstance(entries, list) and isinstance(entries[0], dict) else {}


def literals(given: Mapping[str, Any]) -> dict[str, str]:
    return {name: repr(value) for name, value in given.items()}
