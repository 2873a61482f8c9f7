"""Arguments of a configuration, matched to the parameters of a program's Model and get_inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from eval_app.engine.contract.configs import TaskConfig

# A program converted to KernelBench's form may keep its parametrised input maker under the second name.
_MAKERS = ("get_inputs", "configured_inputs")


def init_arguments(model: Callable[..., Any], own: Any, config: TaskConfig) -> Any:
    """Return the arguments of Model: positional if possible, since a candidate may name its parameters
    differently, else keywords. Raises TypeError if Model does not accept them."""
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
    """Return what get_inputs makes for the configuration's arguments. Raises TypeError if it does not accept them."""
    if isinstance(config.inputs, list):
        return list(module.get_inputs(*config.inputs))
    keywords = config.inputs or {}
    makers = [getattr(module, name) for name in _MAKERS if callable(getattr(module, name, None))]
    for maker in makers:
        signature = inspect.signature(maker)
        if len(_accepted(signature, keywords)) == len(keywords) and (signature.parameters or not keywords):
            return list(maker(**_accepted(signature, config.shared) | keywords))
    return list(module.get_inputs(**keywords))


def never_given(function: Callable[..., Any], count: int) -> list[str]:
    """Return the names of those parameters of a function to which `count` positional arguments give no value."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a compiled function may have no signature
        return []
    by_place = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return by_place[count:] + [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]


def _accepted(signature: inspect.Signature, keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords for which there is a parameter."""
    if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        return dict(keywords)
    return {name: value for name, value in keywords.items() if name in signature.parameters}
