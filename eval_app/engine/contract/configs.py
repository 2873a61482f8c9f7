"""A task's configurations: alternative arguments for Model and get_inputs(), declared by a job or a task.

Two forms are accepted. A list of `{"name", "init", "inputs"}`: `init` holds the arguments of Model (a list,
or an object of keywords), `inputs` those of get_inputs(); missing ones are the task's own. Or an object in
robust-kbench's form, `multi_init_configs`, `multi_input_configs` and `multi_shared_configs`, each a list of
objects of keywords: every combination is a configuration, and a shared keyword goes to whichever of the two
accepts it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.printable import printable
from eval_app.engine.contract.schema import ContractError

MAX_CONFIGS = 64
MAX_ARGUMENTS = 64
MAX_VALUE_CHARS = 1_000
# Of all configurations in JSON: a judge gets them in one message with the reference.
MAX_CHARS = 1_000_000
_MAX_DEPTH = 4
_MULTI = ("multi_init_configs", "multi_input_configs", "multi_shared_configs")


@dataclass(frozen=True)
class TaskConfig:
    """One configuration. None means the task's own arguments."""

    name: str
    init: list[Any] | dict[str, Any] | None = None
    inputs: list[Any] | dict[str, Any] | None = None
    # Keywords for both sides; each goes to the one that has a parameter of that name.
    shared: dict[str, Any] = field(default_factory=dict)


def read_configs(data: Any, where: str = "job.configs") -> list[TaskConfig]:
    """Return the configurations in either JSON form. Raises ContractError if they are malformed or too many."""
    if data is None:
        return []
    if isinstance(data, dict):
        data = _combined(data, where)
    if not isinstance(data, list):
        raise ContractError(f"{where} must be a list of configurations, or an object of multi_*_configs")
    if len(data) > MAX_CONFIGS:
        raise ContractError(f"{where} has {len(data)} configurations; at most {MAX_CONFIGS}")
    configs, size = list[TaskConfig](), 0
    for number, item in enumerate(data):
        configs.append(_read_one(item, f"{where}[{number}]", number))
        size += len(json.dumps(schema.to_json(configs[-1])))
        if size > MAX_CHARS:
            raise ContractError(f"{where} has more than {MAX_CHARS:,} characters")
    names = [config.name for config in configs]
    if len(set(names)) < len(names):
        raise ContractError(f"{where} has a duplicate name")
    return configs


def _read_one(item: Any, where: str, number: int) -> TaskConfig:
    if isinstance(item, TaskConfig):
        return item
    if not isinstance(item, dict) or not set(item) <= {"name", "init", "inputs", "shared"}:
        raise ContractError(f"{where} must be an object with name, init, inputs or shared")
    init, inputs, shared = (
        _arguments(item.get(key), f"{where}.{key}") for key in ("init", "inputs", "shared")
    )
    if isinstance(shared, list):
        raise ContractError(f"{where}.shared must be an object of keywords")
    name = item.get("name") or _name(init, inputs, shared or {}) or f"config {number}"
    if not isinstance(name, str) or len(name) > 200 or not name.isprintable():
        raise ContractError(f"{where}.name must be a line of at most 200 characters")
    return TaskConfig(name, init, inputs, shared or {})


def _arguments(value: Any, where: str) -> Any:
    if value is None:
        return None
    if not isinstance(value, list | dict) or len(value) > MAX_ARGUMENTS:
        raise ContractError(f"{where} must be a list or an object of at most {MAX_ARGUMENTS} arguments")
    if isinstance(value, dict) and not all(isinstance(key, str) and key.isidentifier() for key in value):
        raise ContractError(f"{where} must have parameter names as its keys")
    _check_plain(value, where)
    return value


def _check_plain(value: Any, where: str, depth: int = 0) -> None:
    if depth > _MAX_DEPTH:
        raise ContractError(f"{where} is nested too deeply")
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            _check_plain(item, where, depth + 1)
    elif (
        not (value is None or isinstance(value, str | int | float | bool))
        or len(str(value)) > MAX_VALUE_CHARS
    ):
        raise ContractError(f"{where} must hold plain values of at most {MAX_VALUE_CHARS} characters")


def _combined(data: dict[str, Any], where: str) -> list[dict[str, Any]]:
    """Return every combination of robust-kbench's lists; its single_*_configs are the task's own and are ignored."""
    lists = []
    for key in _MULTI:
        choices = data.get(key) or [{}]
        if not isinstance(choices, list) or not all(isinstance(item, dict) for item in choices):
            raise ContractError(f"{where}.{key} must be a list of objects")
        lists.append(choices)
    if not any(data.get(key) for key in _MULTI):
        raise ContractError(f"{where} must hold one of: {', '.join(_MULTI)}")
    if len(lists[0]) * len(lists[1]) * len(lists[2]) > MAX_CONFIGS:
        raise ContractError(f"{where} makes more than {MAX_CONFIGS} combinations")
    return [
        {"init": init, "inputs": inputs, "shared": shared} for init, inputs, shared in product(*lists)
    ]  # fmt: skip


def _name(init: Any, inputs: Any, shared: dict[str, Any]) -> str:
    """Describe the arguments in one line: `batch_size=8, features=64`."""
    parts: list[str] = []
    for arguments in (inputs, init, shared):
        if isinstance(arguments, dict):
            parts += [f"{key}={value}" for key, value in arguments.items()]
        elif arguments:
            parts.append(str(arguments))
    return printable(", ".join(parts))[:200]
