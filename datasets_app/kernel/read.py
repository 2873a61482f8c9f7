"""A kernel program read as a whole: its Python by ast, the C++ that it carries by tree-sitter."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from datasets_app.highlight.literals import cpp_literals, is_whole_cpp, string_literals
from datasets_app.kernel import accesses, cuda, python
from datasets_app.kernel.constants import constants_of
from datasets_app.kernel.embedded import Embedded, Program, assembled, undone
from datasets_app.kernel.facts import Function, Kernel, Shared, Use
from datasets_app.kernel.scope import Scope
from datasets_app.kernel.unit import TooHardError, Unit, said
from datasets_app.programs import nodes_of, parse

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


@lru_cache(maxsize=128)
def read_kernel(source: str) -> Kernel:
    """What the source is made of. Kept for the next reader: texts never change under their id."""
    if is_whole_cpp(source):
        lines = tuple(range(1, source.count("\n") + 2))
        return joined(source, None, [Embedded(source, lines)], {})
    try:
        tree = parse(source)
        constants = constants_of(tree)
        texts = list(Program(source, tree, constants).texts())
    except (SyntaxError, RecursionError):
        return joined(source, None, loose_texts(source), {})
    return joined(source, tree, texts, constants)


def loose_texts(source: str) -> list[Embedded]:
    """The texts of C++ in a program that does not parse."""
    wanted = {literal.start for literal in cpp_literals(source)}
    found = []
    for literal in string_literals(source):
        if literal.start in wanted:
            line = source.count("\n", 0, literal.body_start) + 1
            raw = "r" in source[literal.start : literal.body_start].lower()
            found.append(assembled(undone(source[literal.body_start : literal.body_end], line, raw=raw)))
    return found


def joined(
    source: str, tree: ast.Module | None, texts: list[Embedded], constants: dict[str, object]
) -> Kernel:
    units, problems = parsed_units(texts)
    known = {name: value for name, value in constants.items() if isinstance(value, int)}
    scopes = []
    for unit in units:
        scope = Scope(unit, known)
        known |= {name: value for name, value, _ in scope.constants()}
        scopes.append(scope)
    pairs = list(zip(units, scopes, strict=True))
    functions = [f for unit in units for f in cuda.functions(unit)]
    whole = tree is None and len(texts) == 1 and texts[0].text == source
    functions += list(python.functions(tree)) if tree else [] if whole else outside(source, texts)
    launches = [found for unit, scope in pairs for found in cuda.launches(unit, scope)]
    shared = [found for unit, scope in pairs for found in cuda.shared(unit, scope)]
    uses = [use for unit in units for use in cuda.uses(unit)]
    strides = [line for unit, scope in pairs for line in cuda.grid_strides(unit, scope)]
    if tree is not None:
        triton = {f.name for f in functions if f.kind == "kernel"}
        launches += python.triton_launches(tree, triton, constants)
        uses += [*python.triton_uses(tree), *python.half_uses(tree)]
        strides += python.triton_grid_strides(tree)
    places = [one for unit, scope in pairs for one in accesses.accesses(unit, scope, shared, launches)]
    return Kernel(
        functions=tuple(sorted(functions, key=lambda f: (f.line, f.depth))),
        launches=tuple(sorted(launches, key=lambda one: one.line)),
        shared=tuple(sorted(shared, key=lambda one: one.line)),
        uses=merged(uses),
        accesses=tuple(places),
        grid_strides=tuple(sorted(strides)),
        constants=tuple(found for scope in scopes for found in scope.constants()),
        names=linked_names(functions, shared, scopes, units),
        problems=problems,
        holes=tuple(dict.fromkeys(hole for text in texts for hole in text.holes)),
        languages=languages(functions, texts, tree),
    )


def parsed_units(texts: list[Embedded]) -> tuple[list[Unit], tuple[int, ...]]:
    """The texts that could be parsed in time, and the lines where one could not be understood."""
    units, problems = [], set()
    for text in texts:
        try:
            unit = Unit(text)
        except TooHardError:
            problems.add(text.line(0))
            continue
        units.append(unit)
        problems |= {unit.line(node) for node in unit.found["error"]}
    return units, tuple(sorted(problems))


def outside(source: str, texts: list[Embedded]) -> list[Function]:
    """Definitions of a program that does not parse, without those that stand inside its C++."""
    inside = [(text.lines[0], text.lines[-1]) for text in texts]
    found = python.by_rule(source)
    return [f for f in found if not any(first < f.line < last for first, last in inside)]


def merged(uses: Iterable[Use]) -> tuple[Use, ...]:
    """One entry a name, over all texts."""
    lines: dict[tuple[str, str], set[int]] = defaultdict(set)
    for use in uses:
        lines[use.group, use.name] |= set(use.lines)
    return tuple(Use(name, group, tuple(sorted(at))) for (group, name), at in sorted(lines.items()))


def languages(functions: list[Function], texts: list[Embedded], tree: ast.Module | None) -> frozenset[str]:
    """In what the program is written."""
    found = {"cpp"} if texts else set()
    if any("__global__" in text.text for text in texts):
        found.add("cuda")
    if tree is not None:
        found.add("python")
        found |= {"triton"} if any(python.is_triton(node) for node in nodes_of(tree)) else set()
    return frozenset(found)


def linked_names(
    functions: list[Function], shared: list[Shared], scopes: list[Scope], units: list[Unit]
) -> dict[str, int]:
    """Identifiers that a trace may speak of, with the line that makes them; functions first."""
    found: dict[str, int] = {}
    for name, line in named_places(functions, shared, scopes, units):
        if len(name) >= SHORTEST_NAME and name not in TOO_COMMON and len(found) < MOST_LINKED:
            found.setdefault(name, line)
    return found


def named_places(
    functions: list[Function], shared: list[Shared], scopes: list[Scope], units: list[Unit]
) -> Iterable[tuple[str, int]]:
    yield from ((f.name, f.line) for f in functions)
    yield from ((array.name, array.line) for array in shared)
    for scope in scopes:
        yield from ((name, line) for name, _, line in scope.constants())
    for unit, scope in zip(units, scopes, strict=True):
        for names in scope.bindings.values():
            yield from ((name, unit.line(nodes[0])) for name, nodes in names.items())
        for node in unit.found["parameter"]:
            named = node.child_by_field_name("declarator")
            text = said(named).lstrip("*& ").removeprefix("__restrict__ ").strip("*& ")
            yield text, unit.line(node)
