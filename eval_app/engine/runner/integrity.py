"""A tripwire: whether the engine's own functions in this process are unchanged.

It runs in the process that it checks, so a candidate that knows it can deceive it. It costs microseconds and
detects plain attempts; what cannot be forged is the judge's own clock over verified calls.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from operator import attrgetter, is_
from types import FunctionType, ModuleType
from typing import Any

_WATCHED = (
    "eval_app.engine.shared.calls", "eval_app.engine.shared.order", "eval_app.engine.shared.arena",
    "eval_app.engine.shared.gate", "eval_app.engine.shared.seeding", "eval_app.engine.runner.orders",
    "eval_app.engine.shared.trees", "eval_app.engine.runner.results", "eval_app.engine.runner.serve",
    "eval_app.engine.runner.faults", "eval_app.engine.runner.integrity", "eval_app.engine.sandbox.channel",
)  # fmt: skip
_code = attrgetter("__code__")


class Seal:
    """State of the watched modules before the candidate was loaded: made for each call, so it is read at C's speed."""

    def __init__(self) -> None:
        """Record the state. The objects are held, so that no new one can be allocated at an old one's address."""
        modules = [module for name in _WATCHED if (module := sys.modules.get(name))]
        self._namespaces = [names for module in modules for names in _namespaces(module)]
        values = [value for names in self._namespaces for value in names.values()]
        self._functions = [value for value in values if isinstance(value, FunctionType)]
        self._state = self._read()

    def intact(self) -> bool:
        """Return whether everything is unchanged."""
        now = self._read()
        return len(now) == len(self._state) and all(map(is_, now, self._state))

    def _read(self) -> list[Any]:
        """Return the values of all namespaces, and the code of every function that was among them at first."""
        now = list(map(_code, self._functions))
        for names in self._namespaces:
            now += names.values()
        return now


def _namespaces(module: ModuleType) -> Iterator[Mapping[str, Any]]:
    """Yield the names of a module, and those of its own classes."""
    names = vars(module)
    names.setdefault("__warningregistry__", {})  # Python adds it with the first warning
    yield names
    for value in list(names.values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield vars(value)
