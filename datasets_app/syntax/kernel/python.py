"""Facts about the Python around (or instead of) the C++: classes, functions, Triton kernels and their launches."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from datasets_app.syntax.kernel.constants import Constants, static_value
from datasets_app.syntax.kernel.facts import Function, Launch, Use, Value
from datasets_app.syntax.kernel.names import TRITON
from datasets_app.syntax.program import nodes_of

DEFINITION = re.compile(r"^(?P<indent>[ \t]*)(?:async\s+)?(?P<word>class|def)\s+(?P<name>\w+)", re.MULTILINE)
TRITON_DECORATORS = {"triton.jit", "jit", "triton.autotune", "autotune", "triton.heuristics"}
HALF_NAMES = {"float16", "bfloat16", "half", "autocast"}
MOST_TEXT = 120


def functions(tree: ast.AST) -> Iterator[Function]:
    """Yield classes and functions, outer ones first."""
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        inside = depth
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(kind_of(node), node.name, node.lineno, node.end_lineno or node.lineno, depth)
            inside = depth + 1
        waiting.extend((child, inside) for child in reversed(list(ast.iter_child_nodes(node))))


def kind_of(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if isinstance(node, ast.ClassDef):
        return "class"
    return "kernel" if is_triton(node) else "def"


def is_triton(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list]
    return any(ast.unparse(mark) in TRITON_DECORATORS for mark in marks)


def by_rule(source: str) -> Iterator[Function]:
    """Yield definitions of a source that does not parse: every line that begins like one."""
    line, at = 1, 0
    for match in DEFINITION.finditer(source):
        line, at = line + source.count("\n", at, match.start("word")), match.start("word")
        depth = len(match["indent"].expandtabs(4)) // 4
        yield Function(match["word"], match["name"], line, line, depth)


def triton_launches(tree: ast.AST, kernels: set[str], constants: Constants) -> Iterator[Launch]:
    """Yield launches such as `kernel[grid](..., BLOCK=1024, num_warps=4)`."""
    for node in nodes_of(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Subscript):
            continue
        name = ast.unparse(node.func.value)
        if name in kernels:
            options = tuple(
                (word.arg, value(word.value, constants))
                for word in node.keywords
                if word.arg and (word.arg.isupper() or word.arg in ("num_warps", "num_stages"))
            )
            yield Launch(name, node.lineno, value(node.func.slice, constants), options=options)


def value(node: ast.AST, constants: Constants) -> Value:
    if isinstance(node, ast.Tuple):
        parts = [static_value(part, constants) for part in node.elts]
        numbers = tuple(part for part in parts if isinstance(part, int))
        return Value(
            ast.unparse(node)[:MOST_TEXT], numbers if numbers and len(numbers) == len(parts) else None
        )
    number = static_value(node, constants)
    return Value(ast.unparse(node)[:MOST_TEXT], number if isinstance(number, int) else None)


def triton_uses(tree: ast.AST) -> Iterator[Use]:
    """Yield the names of triton.language that Triton kernels use."""
    by_name: dict[tuple[str, str], set[int]] = defaultdict(set)
    for kernel in nodes_of(tree):
        if not is_triton(kernel):
            continue
        for node in ast.walk(kernel):
            if isinstance(node, ast.Attribute) and in_triton(node) and node.attr in TRITON:
                by_name[f"tl.{node.attr}", TRITON[node.attr]].add(node.lineno)
    for (name, group), lines in by_name.items():
        yield Use(name, group, tuple(sorted(lines)))


def half_uses(tree: ast.AST) -> Iterator[Use]:
    """Yield conversions to narrower types in Python: torch.float16, .bfloat16(), .half(), autocast."""
    lines: dict[str, set[int]] = defaultdict(set)
    for node in nodes_of(tree):
        if isinstance(node, ast.Attribute) and node.attr in HALF_NAMES and not in_triton(node):
            lines[node.attr].add(node.lineno)
    for name, at in lines.items():
        yield Use(name, "half precision", tuple(sorted(at)))


def in_triton(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "tl"


def triton_grid_strides(tree: ast.AST) -> Iterator[int]:
    """Yield loops of Triton kernels that step by the number of programs: range(start, stop, tl.num_programs(0))."""
    for kernel in nodes_of(tree):
        if not is_triton(kernel):
            continue
        bound = {
            node.targets[0].id: ast.unparse(node.value)
            for node in ast.walk(kernel)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(kernel):
            if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and len(node.iter.args) == 3:
                step = node.iter.args[2]
                text = ast.unparse(step)
                if "num_programs" in bound.get(text, text):
                    yield node.lineno
