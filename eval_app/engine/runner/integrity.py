"""A tripwire: whether the engine's own functions in this process are unchanged.

It runs in the process that it checks, so a candidate that knows it can deceive it. It costs microseconds and
detects plain attempts; what cannot be forged is the judge's own clock over verified calls.
"""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import Any

_WATCHED = (
    "eval_app.engine.shared.calls", "eval_app.engine.shared.order", "eval_app.engine.shared.arena",
    "eval_app.engine.shared.gate", "eval_app.engine.shared.seeding", "eval_app.engine.runner.orders",
    "eval_app.engine.shared.trees", "eval_app.engine.runner.results", "eval_app.engine.runner.serve",
    "eval_app.engine.runner.faults", "eval_app.engine.runner.integrity", "eval_app.engine.sandbox.channel",
)  # fmt: skip


class Seal:
    """State of the watched modules before the candidate was loaded."""

    def __init__(self) -> None:
        """Record the state. The objects are held, so that no new one can be allocated at an old one's address."""
        self._modules = [module for name in _WATCHED if (module := sys.modules.get(name))]
        self._state = _state(self._modules)

    def intact(self) -> bool:
        """Return whether everything is unchanged."""
        now = _state(self._modules)
        return len(now) == len(self._state) and all(a is b for a, b in zip(now, self._state, strict=True))


def _state(modules: list[ModuleType]) -> list[Any]:
    """Return each module's values, those of its own classes, and the code of every function among them."""
    values: list[Any] = []
    for module in modules:
        # Python itself adds names such as __warningregistry__ when a warning is issued.
        for value in [value for name, value in list(vars(module).items()) if not name.startswith("__")]:
            values.append(value)
            if isinstance(value, type) and value.__module__ == module.__name__:
                values += [
                    member for member in list(vars(value).values()) if isinstance(member, FunctionType)
                ]
    codes = [value.__code__ for value in values if isinstance(value, FunctionType)]
    return values + codes
