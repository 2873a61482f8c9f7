"""Arguments of a configuration, fitted to the parameters that a program's Model and get_inputs have."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from eval_app.engine.contract.configs import TaskConfig

# A program brought into KernelBench's form may keep its maker with parameters under this name.
_MAKERS = ("get_inputs", "configured_inputs")


def init_arguments(model: Callable[..., Any], own: Any, config: TaskConfig) -> Any:
    """The arguments of Model: a list by position where they can all be given so, for a candidate may name its
    parameters otherwise; else an object of keywords. TypeError where Model does not take them."""
    signature = inspect.signature(model)
    shared = _accepted(signature, config.shared)
    if isinstance(config.init, list):
        return list(config.init)
    if config.init is None and not shared:
        return own
    keywords = shared | (config.init or {})
    bound = signature.bind(**keywords)
    bound.apply_defaults()
    return dict(bound.arguments) if bound.kwargs else list(bound.args)


def call_inputs(module: ModuleType, config: TaskConfig) -> list[Any]:
    """What get_inputs gives for the configuration's arguments. TypeError where it does not take them."""
    if isinstance(config.inputs, list):
        return list(module.get_inputs(*config.inputs))
    keywords = config.inputs or {}
    makers = [getattr(module, name) for name in _MAKERS if callable(getattr(module, name, None))]
    for maker in makers:
        signature = inspect.signature(maker)
        if len(_accepted(signature, keywords)) == len(keywords) and (signature.parameters or not keywords):
            return list(maker(**_accepted(signature, config.shared) | keywords))
    return list(module.get_inputs(**keywords))


def _accepted(signature: inspect.Signature, keywords: dict[str, Any]) -> dict[str, Any]:
    """Those keywords that there is a parameter for."""
    if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        return dict(keywords)
    return {name: value for name, value in keywords.items() if name in signature.parameters}
