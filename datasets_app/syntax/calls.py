"""Finds which functions of a Python program call which."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def makers(tree: ast.AST) -> set[str]:
    """Return the functions that only `__init__` calls, directly or through others."""
    callers: dict[str, set[str]] = {}
    for function, node in called_in(tree):
        path = dotted(node.func)
        if path and (len(path) == 1 or path[0] == "self"):
            callers.setdefault(path[-1], set()).add(function)
    calls: dict[str, list[str]] = {}
    for name, by in callers.items():
        for function in by:
            calls.setdefault(function, []).append(name)
    left = {name: by - {"__init__", name} for name, by in callers.items()}
    maker_names: set[str] = set()
    waiting = [name for name, by in left.items() if not by]
    while waiting:
        maker = waiting.pop()
        maker_names.add(maker)
        for name in calls.get(maker, ()):
            left[name].discard(maker)
            if not left[name] and name not in maker_names:
                waiting.append(name)
    return maker_names


def called_in(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call with the names of the functions around it."""
    waiting: list[tuple[ast.AST, tuple[str, ...]]] = [(tree, ())]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, ast.FunctionDef):
            around = (*around, node.name)
        elif isinstance(node, ast.Call):
            yield from ((function, node) for function in around)
        waiting.extend((child, around) for child in ast.iter_child_nodes(node))


def dotted(node: ast.AST) -> list[str]:
    """Return ['torch', 'nn', 'functional', 'relu'] for that expression; [] for anything but a dotted name."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []
