"""A tripwire: whether the engine's own functions in this process are still the ones that it began with.

It stands in the process that it watches, so a candidate that knows it can lie to it. It costs microseconds and names
the plain attempts; what cannot be forged is the judge's own clock over verified calls.
"""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import Any

_WATCHED = (
    "eval_app.engine.shared.calls", "eval_app.engine.shared.batch", "eval_app.engine.shared.arena",
    "eval_app.engine.shared.trees", "eval_app.engine.runner.results", "eval_app.engine.runner.serve",
    "eval_app.engine.runner.faults", "eval_app.engine.runner.integrity", "eval_app.engine.sandbox.channel",
)  # fmt: skip


class Seal:
    """What stood in the watched modules when it was made, before the candidate was loaded."""

    def __init__(self) -> None:
        """Take it all down. Objects are held, so that no new one can come to lie at an old one's address."""
        self._modules = [module for name in _WATCHED if (module := sys.modules.get(name))]
        self._state = _state(self._modules)

    def intact(self) -> bool:
        """Whether all of it is in place."""
        now = _state(self._modules)
        return len(now) == len(self._state) and all(a is b for a, b in zip(now, self._state, strict=True))


def _state(modules: list[ModuleType]) -> list[Any]:
    """Each module's values, those of its own classes, and the code of every function among them."""
    values: list[Any] = []
    for module in modules:
        # Python itself adds names such as __warningregistry__ when a warning passes through.
        for value in [value for name, value in list(vars(module).items()) if not name.startswith("__")]:
            values.append(value)
            if isinstance(value, type) and value.__module__ == module.__name__:
                values += [
                    member for member in list(vars(value).values()) if isinstance(member, FunctionType)
                ]
    codes = [value.__code__ for value in values if isinstance(value, FunctionType)]
    return values + codes
