"""Reads the facts of one text of CUDA C++: functions, launches, shared memory, built-ins, grid-stride loops."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from tree_sitter import Node

from datasets_app.syntax.kernel.facts import Function, Launch, Shared, Use, Value
from datasets_app.syntax.kernel.names import ASM, ELEMENT_BYTES, GROUP_NAMES, HALF_TYPES, NAME, VECTOR
from datasets_app.syntax.kernel.scope import Scope, function_name
from datasets_app.syntax.kernel.unit import Unit, declarator_of, field, marks_of, name_of, node_text

STEP = re.compile(r"\bgridDim\s*\.\s*[xyz]\b")
BOUNDS = re.compile(r"__launch_bounds__\s*\(\s*([^,)]+)")


def functions(unit: Unit) -> Iterator[Function]:
    for node in unit.functions:
        marks = marks_of(node)
        kind = "kernel" if "__global__" in marks else "device" if "__device__" in marks else "host"
        start, end = unit.line(node), unit.end_line(node)
        named = declarator_of(node)
        at = unit.line(named) if named is not None else start
        yield Function(kind, name_of(node), at, max(at, end), note=bounds(unit, node))


def bounds(unit: Unit, function: Node) -> str:
    """Return the values of __launch_bounds__."""
    body = field(function, "body")
    head = unit.blank[function.start_byte : body.start_byte if body is not None else function.end_byte]
    match = BOUNDS.search(head)
    return f"at most {' '.join(match[1].split())} threads" if match else ""


# --- Launches ---


def launches(unit: Unit, scope: Scope) -> Iterator[Launch]:
    for node in unit.nodes["launch"]:
        call = unit.parent(node)
        if call is None:
            continue
        place = scope.place(node)
        values = [scope.value(child, place) for child in node.named_children if child.type != "comment"]
        if not values:
            continue
        kernel = field(call, "function")
        bare = node_text(field(kernel, "name") or kernel).rpartition("::")[2]
        grid, block, shared, stream = (*values, None, None, None)[:4] if len(values) < 4 else values[:4]
        yield Launch(bare, unit.line(kernel or node), grid or Value(""), block, shared, stream)


# --- Shared memory ---


def shared(unit: Unit, scope: Scope) -> Iterator[Shared]:
    for mark in unit.nodes["qualifier"]:
        declaration = unit.parent(mark) if node_text(mark) == "__shared__" else None
        if declaration is None or declaration.type not in ("declaration", "field_declaration"):
            continue
        dynamic = any(
            node_text(c) == "extern" for c in declaration.children if c.type == "storage_class_specifier"
        )
        element = element_type(field(declaration, "type"))
        for declarator in declaration.children_by_field_name("declarator"):
            yield one_shared(unit, scope, declarator, element, dynamic)


def one_shared(unit: Unit, scope: Scope, declarator: Node, element: str, dynamic: bool) -> Shared:
    extents: list[int | None] = []
    inner: Node | None = declarator
    while inner is not None and inner.type in ("array_declarator", "init_declarator"):
        size = field(inner, "size")
        if inner.type == "array_declarator":
            number = scope.number(size, scope.place(declarator)) if size is not None else None
            extents.insert(0, number if isinstance(number, int) else None)
        inner = field(inner, "declarator")
    width = ELEMENT_BYTES.get(element)
    fixed = [extent for extent in extents if extent is not None]
    total = width if width and not dynamic and len(fixed) == len(extents) else None
    for extent in fixed:
        total = total * extent if total is not None else None
    declared = f"{element} {node_text(declarator)}"
    return Shared(
        node_text(inner) or node_text(declarator),
        unit.line(declarator),
        declared[:200],
        total,
        dynamic,
        function_name(unit, declarator),
        width,
        tuple(extents),
    )


def element_type(node: Node | None) -> str:
    return re.sub(r"^(?:const|volatile)\s+", "", node_text(node))


# --- Built-ins and idioms ---


def uses(unit: Unit) -> Iterator[Use]:
    by_name: dict[tuple[str, str], set[int]] = defaultdict(set)
    for match in unit.matches(NAME):
        group = GROUP_NAMES[(match.lastindex or 1) - 1]
        by_name[match[0].split("<", 1)[0], group].add(unit.line_at(match.start()))
    for match in unit.matches(VECTOR):
        name = match["a"] or match["b"] or match["c"]
        group = "half precision" if name in ("__half2", "__nv_bfloat162") else "vector access"
        by_name[name, group].add(unit.line_at(match.start()))
    for node in unit.nodes["type"]:
        if (name := node_text(node)) in HALF_TYPES:
            by_name[name, "half precision"].add(unit.line(node))
    for node in unit.nodes["asm"]:
        for match in ASM.finditer(unit.bytes[node.start_byte : node.end_byte].decode("utf-8", "replace")):
            by_name[match[0].rstrip("."), asm_group(match[0])].add(unit.line(node))
    for (name, group), lines in by_name.items():
        yield Use(name, group, tuple(sorted(lines)))


def asm_group(instruction: str) -> str:
    if instruction.startswith(("mma", "wgmma", "ldmatrix")):
        return "tensor core"
    if instruction.startswith("cp.async"):
        return "asynchronous copy"
    if instruction.startswith("shfl"):
        return "warp shuffle"
    return "atomic" if instruction.startswith("red.") else "read-only load"


def grid_strides(unit: Unit, scope: Scope) -> list[int]:
    """Return the lines of `for` loops that step by a multiple of gridDim, directly or through a name."""
    return [unit.line(node) for node in unit.nodes["for"] if steps_by_grid(unit, scope, node)]


def steps_by_grid(unit: Unit, scope: Scope, loop: Node) -> bool:
    update = field(loop, "update")
    if update is None:
        return False
    step = field(update, "right")
    text = unit.blank[update.start_byte : update.end_byte]
    if step is not None and step.type == "identifier":
        bound = scope.binding(node_text(step), scope.place(loop))
        text += f" {node_text(bound)}"
    return bool(STEP.search(text))
