"""Reads a kernel program: its Python with ast, the C++ in it with tree-sitter."""

from __future__ import annotations

import ast
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from datasets_app.syntax.kernel import accesses, cuda, python
from datasets_app.syntax.kernel.constants import constants_of
from datasets_app.syntax.kernel.embedded import Embedded, Program, assembled, undone
from datasets_app.syntax.kernel.facts import Function, Kernel, Shared, Use
from datasets_app.syntax.kernel.scope import Scope
from datasets_app.syntax.kernel.unit import TOO_HARD, TooHardError, Unit, node_text
from datasets_app.syntax.literals import cpp_literals, is_whole_cpp, string_literals
from datasets_app.syntax.program import nodes_of, parse

BUDGET_SECONDS = 0.5  # of processor time, for all trees of one program
MOST_TEXTS = 200
MOST_PYTHON_CHARS = (
    150_000  # outside of strings; of a longer program only lines that begin a definition are read
)
LONG_PYTHON = f"longer than {MOST_PYTHON_CHARS:,} characters: the outline lists its definitions alone"
MOST_LINKED = 400
SHORTEST_NAME = 3
TOO_COMMON = {
    "forward",
    "backward",
    "__init__",
    "main",
    "get_inputs",
    "get_init_inputs",
    "self",
    "int",
    "out",
}


@lru_cache(maxsize=4)
def read_kernel(source: str) -> Kernel:
    """Return the facts of the source; cached for functions that request it within one call."""
    if is_whole_cpp(source):
        lines = tuple(range(1, source.count("\n") + 2))
        return joined(source, None, [Embedded(source, lines)], {})
    if code_chars(source) > MOST_PYTHON_CHARS:
        return replace(joined(source, None, loose_texts(source), {}), gaps=(LONG_PYTHON,))
    try:
        tree = parse(source)
        constants = constants_of(tree)
        texts = list(Program(source, tree, constants).texts())
    except (SyntaxError, RecursionError):
        return joined(source, None, loose_texts(source), {})
    return joined(source, tree, texts, constants)


def code_chars(source: str) -> int:
    """Return the length of a Python program without its strings, which are parsed separately."""
    if len(source) <= MOST_PYTHON_CHARS:
        return len(source)
    return len(source) - sum(literal.end - literal.start for literal in string_literals(source))


def loose_texts(source: str) -> list[Embedded]:
    """Return the texts of C++ in a program that does not parse."""
    wanted = {literal.start for literal in cpp_literals(source)}
    fragments = []
    line, at = 1, 0
    for literal in string_literals(source):
        if literal.start in wanted:
            line, at = line + source.count("\n", at, literal.body_start), literal.body_start
            raw = "r" in source[literal.start : literal.body_start].lower()
            fragments.append(assembled(undone(source[literal.body_start : literal.body_end], line, raw=raw)))
    return fragments


def joined(
    source: str, tree: ast.Module | None, texts: list[Embedded], constants: dict[str, object]
) -> Kernel:
    units, problems, gaps = parsed_units(texts)
    integers = {name: value for name, value in constants.items() if isinstance(value, int)}
    scopes = []
    for unit in units:
        scope = Scope(unit, integers)
        integers |= {name: value for name, value, _ in scope.constants}
        scopes.append(scope)
    pairs = list(zip(units, scopes, strict=True))
    functions = [f for unit in units for f in cuda.functions(unit)]
    whole = tree is None and len(texts) == 1 and texts[0].text == source
    functions += list(python.functions(tree)) if tree else [] if whole else outside(source, texts)
    launches = [launch for unit, scope in pairs for launch in cuda.launches(unit, scope)]
    shared = [array for unit, scope in pairs for array in cuda.shared(unit, scope)]
    uses = [use for unit in units for use in cuda.uses(unit)]
    strides = [line for unit, scope in pairs for line in cuda.grid_strides(unit, scope)]
    if tree is not None:
        triton = {f.name for f in functions if f.kind == "kernel"}
        launches += python.triton_launches(tree, triton, constants)
        uses += [*python.triton_uses(tree), *python.half_uses(tree)]
        strides += python.triton_grid_strides(tree)
    places = [access for unit, scope in pairs for access in accesses.accesses(unit, scope, shared, launches)]
    return Kernel(
        functions=tuple(sorted(functions, key=lambda f: (f.line, f.depth))),
        launches=tuple(sorted(launches, key=lambda launch: launch.line)),
        shared=tuple(sorted(shared, key=lambda array: array.line)),
        uses=merged(uses),
        accesses=tuple(places),
        grid_strides=tuple(sorted(strides)),
        constants=tuple(constant for scope in scopes for constant in scope.constants),
        names=linked_names(functions, shared, scopes, units),
        problems=problems,
        gaps=gaps,
        holes=tuple(dict.fromkeys(hole for text in texts for hole in text.holes)),
        languages=languages(functions, texts, tree),
    )


def parsed_units(texts: list[Embedded]) -> tuple[list[Unit], tuple[int, ...], tuple[str, ...]]:
    """Return the texts that could be parsed in time, the lines with syntax errors, and what was left out."""
    units, problems, gaps = [], set(), []
    deadline = time.thread_time() + BUDGET_SECONDS
    for text in texts[:MOST_TEXTS]:
        try:
            unit = Unit(text, deadline)
        except TooHardError:
            problems.add(text.line(0))
            gaps.append(TOO_HARD)
            continue
        units.append(unit)
        gaps += unit.gaps
        problems |= {unit.line(node) for node in unit.nodes["error"]}
    if len(texts) > MOST_TEXTS:
        problems.add(texts[MOST_TEXTS].line(0))
        gaps.append(f"more than {MOST_TEXTS} strings with C++: the outline covers the first ones")
    return units, tuple(sorted(problems)), tuple(dict.fromkeys(gaps))


def outside(source: str, texts: list[Embedded]) -> list[Function]:
    """Return the definitions of a program that does not parse, except those inside its C++."""
    inside = [(text.lines[0], text.lines[-1]) for text in texts]  # in the order of the lines
    around = ((f, inside[bisect_left(inside, (f.line,)) - 1]) for f in python.by_rule(source))
    return (
        [f for f, (first, last) in around if not first < f.line < last]
        if inside
        else list(python.by_rule(source))
    )


def merged(uses: Iterable[Use]) -> tuple[Use, ...]:
    """Return one entry per name over all texts."""
    lines: dict[tuple[str, str], set[int]] = defaultdict(set)
    for use in uses:
        lines[use.group, use.name] |= set(use.lines)
    return tuple(Use(name, group, tuple(sorted(at))) for (group, name), at in sorted(lines.items()))


def languages(functions: list[Function], texts: list[Embedded], tree: ast.Module | None) -> frozenset[str]:
    """Return the languages of the program."""
    names = {"cpp"} if texts else set()
    if any("__global__" in text.text for text in texts):
        names.add("cuda")
    if tree is not None:
        names.add("python")
        names |= {"triton"} if any(python.is_triton(node) for node in nodes_of(tree)) else set()
    return frozenset(names)


def linked_names(
    functions: list[Function], shared: list[Shared], scopes: list[Scope], units: list[Unit]
) -> dict[str, int]:
    """Return identifiers that a trace may mention, with the lines that define them; functions first."""
    lines: dict[str, int] = {}
    for name, line in named_places(functions, shared, scopes, units):
        if len(name) >= SHORTEST_NAME and name not in TOO_COMMON and len(lines) < MOST_LINKED:
            lines.setdefault(name, line)
    return lines


def named_places(
    functions: list[Function], shared: list[Shared], scopes: list[Scope], units: list[Unit]
) -> Iterable[tuple[str, int]]:
    yield from ((f.name, f.line) for f in functions)
    yield from ((array.name, array.line) for array in shared)
    for scope in scopes:
        yield from ((name, line) for name, _, line in scope.constants)
    for unit, scope in zip(units, scopes, strict=True):
        for names in scope.bindings.values():
            yield from ((name, unit.line(nodes[0])) for name, nodes in names.items())
        for node in unit.nodes["parameter"]:
            named = node.child_by_field_name("declarator")
            text = node_text(named).lstrip("*& ").removeprefix("__restrict__ ").strip("*& ")
            yield text, unit.line(node)
