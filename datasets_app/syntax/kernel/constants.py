"""Evaluates the constant names and expressions of a Python program."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from datasets_app.syntax.program import nodes_of

Constants = Mapping[str, object]
LARGEST = 2**128  # nested products could otherwise have more digits than the text has characters


def static_value(node: ast.AST, constants: Constants) -> object:
    """Return the number or text that an expression always has; None if it depends on runtime values."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = static_value(node.operand, constants)
        return -value if isinstance(value, int | float) else None
    if isinstance(node, ast.BinOp):
        right = static_value(node.right, constants)
        return arithmetic(node.op, static_value(node.left, constants), right) if right is not None else None
    return None


def arithmetic(op: ast.operator, left: object, right: object) -> object:
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    if max(abs(left), abs(right)) > LARGEST:
        return None
    if isinstance(op, ast.Add | ast.Sub | ast.Mult):
        return (
            left + right
            if isinstance(op, ast.Add)
            else left - right
            if isinstance(op, ast.Sub)
            else left * right
        )
    if isinstance(op, ast.FloorDiv) and right:
        return left // right
    if isinstance(op, ast.Mod) and right:
        return left % right
    if isinstance(op, ast.Pow | ast.LShift) and isinstance(left, int) and isinstance(right, int):
        small = 0 <= right <= 64 and abs(left) <= 2**16
        return (left**right if isinstance(op, ast.Pow) else left << right) if small else None
    return None


def constants_of(tree: ast.AST) -> dict[str, object]:
    """Return the names that are always bound to the same number or text."""
    constants: dict[str, object] = {}
    changing: set[str] = set()
    for node in nodes_of(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, static_value(node.value, constants)
            if value is None or (name in constants and constants[name] != value):
                changing.add(name)
            constants[name] = value
        elif isinstance(node, ast.AugAssign | ast.For) and isinstance(node.target, ast.Name):
            changing.add(node.target.id)
        elif isinstance(node, ast.FunctionDef | ast.Lambda) and not is_compiled(node):
            changing |= {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
    return {name: value for name, value in constants.items() if name not in changing and value is not None}


def is_compiled(node: ast.AST) -> bool:
    """Return whether a function is compiled by Triton: its parameters hide no name of the Python around it."""
    marks = getattr(node, "decorator_list", [])
    return any("jit" in ast.unparse(mark) for mark in marks)
