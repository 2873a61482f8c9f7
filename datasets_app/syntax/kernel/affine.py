"""Reads indices as sums of thread coordinates: the distance of the elements that the threads of a warp access.

An index is read as a * threadIdx.x + b * threadIdx.y + c * threadIdx.z + (a part that all threads of a warp share). An
index of any other form has no value, and a reason.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from datasets_app.syntax.kernel.scope import Scope
from datasets_app.syntax.kernel.unit import field, node_text

WARP = 32
AXES = {"threadIdx.x": 0, "threadIdx.y": 1, "threadIdx.z": 2}
SHARED_BY_ALL = ("blockIdx", "blockDim", "gridDim")
DEEPEST = 40
LONGEST_FACTOR = 200


class UnclearError(Exception):
    """The index does not have that form; the message says why."""


@dataclass(frozen=True)
class Affine:
    """Elements per thread coordinate. A coefficient that is known at run time only is a text."""

    x: int | str = 0
    y: int | str = 0
    z: int | str = 0

    @property
    def uniform(self) -> bool:
        return self.x == self.y == self.z == 0

    def plus(self, other: Affine, sign: int = 1) -> Affine:
        return Affine(*(summed(a, b, sign) for a, b in zip(self.parts, other.parts, strict=True)))

    def times(self, factor: int | str) -> Affine:
        return Affine(*(multiplied(part, factor) for part in self.parts))

    @property
    def parts(self) -> tuple[int | str, int | str, int | str]:
        return self.x, self.y, self.z


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_FACTOR else "an amount known at run time only"


def summed(left: int | str, right: int | str, sign: int) -> int | str:
    if isinstance(left, int) and isinstance(right, int):
        return left + sign * right
    if right == 0:
        return left
    return right if left == 0 and sign > 0 else shortened(f"{left} {'+' if sign > 0 else '-'} {right}")


def multiplied(part: int | str, factor: int | str) -> int | str:
    if part == 0 or factor == 0:
        return 0
    if isinstance(part, int) and isinstance(factor, int):
        return part * factor
    return factor if part == 1 else part if factor == 1 else shortened(f"{part} * {factor}")


class Reader:
    """Reads indices inside one function. `loops` are its loops by the variable that they step."""

    def __init__(self, scope: Scope, place: int, loops: dict[str, list[Node]]) -> None:
        self.scope, self.place, self.loops = scope, place, loops
        self.at = place

    def read_at(self, index: Node) -> Affine:
        """Read an index at its place, where names have the values of that place."""
        self.at = index.start_byte
        return self.read(index)

    def read(self, node: Node | None, depth: int = 0) -> Affine:
        if node is None or depth > DEEPEST or not self.scope.step():
            raise UnclearError("the index is nested too deeply")
        kind = node.type
        if kind in ("number_literal", "true", "false", "char_literal", "sizeof_expression"):
            return Affine()
        if kind == "field_expression":
            return self.member(node)
        if kind == "identifier":
            return self.name(node_text(node), depth + 1)
        if kind == "parenthesized_expression":
            return self.read(node.named_child(0), depth + 1)
        if kind == "cast_expression":
            return self.read(field(node, "value"), depth + 1)
        if kind == "binary_expression":
            return self.binary(node, depth + 1)
        if kind == "call_expression":
            return self.call(node, depth + 1)
        raise UnclearError(f"{node_text(node)[:40]} is not a sum of coordinates")

    def member(self, node: Node) -> Affine:
        text = node_text(node).replace(" ", "")
        if text in AXES:
            return Affine(*(int(axis == AXES[text]) for axis in range(3)))
        if text.partition(".")[0] in SHARED_BY_ALL:
            return Affine()
        raise UnclearError(f"{text[:40]} is read from memory")

    def name(self, name: str, depth: int) -> Affine:
        around = [loop for loop in self.loops.get(name, ()) if loop.start_byte <= self.at < loop.end_byte]
        if around:
            return self.loop(name, around[-1], depth)
        bound = self.scope.binding(name, self.place, self.at)
        if bound is not None:
            return self.read(bound, depth)
        if name in self.scope.bindings.get(self.place, {}) or name in self.scope.changed.get(self.place, {}):
            raise UnclearError(f"{name} changes before the access")
        return Affine()  # a parameter, a constant of the text, or a template argument

    def loop(self, name: str, loop: Node, depth: int) -> Affine:
        """Return a loop variable's coordinates, those of its first value, if every step is the same for all threads."""
        update = field(loop, "update")
        step = field(update, "right") if update is not None else None
        if step is not None and not self.read(step, depth).uniform:
            raise UnclearError(f"{name} steps by an amount that differs between threads")
        start = first_value(loop, name)
        if start is None:
            raise UnclearError(f"where {name} begins is not in its loop")
        return self.read(start, depth)

    def binary(self, node: Node, depth: int) -> Affine:
        sign = node_text(field(node, "operator"))
        left, right = field(node, "left"), field(node, "right")
        a, b = self.read(left, depth), self.read(right, depth)
        if a.uniform and b.uniform:
            return Affine()
        if sign in ("+", "-"):
            return a.plus(b, 1 if sign == "+" else -1)
        factor = self.scope.number(right, self.place)
        if sign == "*" and (a.uniform or b.uniform):
            return b.times(self.factor(left)) if a.uniform else a.times(self.factor(right))
        if sign == "<<" and isinstance(factor, int):
            return a.times(1 << factor)
        return within_warp(a, sign, factor, node_text(node))

    def factor(self, node: Node | None) -> int | str:
        number = self.scope.number(node, self.place)
        return number if isinstance(number, int) else node_text(node)

    def call(self, node: Node, depth: int) -> Affine:
        arguments = field(node, "arguments")
        name = node_text(field(field(node, "function"), "name") or field(node, "function"))
        if arguments is not None and name == "static_cast" and arguments.named_child_count == 1:
            return self.read(arguments.named_child(0), depth)
        if name in ("int", "size_t", "int64_t", "unsigned", "uint32_t") and arguments is not None:
            return self.read(arguments.named_child(0), depth)
        raise UnclearError(f"{name}() is not followed")


def within_warp(a: Affine, sign: str, factor: object, text: str) -> Affine:
    """Return x / 32 or x >> 5, which is equal within a warp, or x % 32 or x & 31, the lane, which is x itself within
    a warp.
    """
    if a == Affine(x=1) and isinstance(factor, int):
        size = {"/": factor, "%": factor, ">>": 1 << factor if 0 <= factor < 31 else 0, "&": factor + 1}.get(
            sign, 0
        )
        if size and size % WARP == 0:
            return Affine() if sign in ("/", ">>") else Affine(x=1)
    raise UnclearError(f"{text[:40]} separates the threads of a warp")


def first_value(loop: Node, name: str) -> Node | None:
    start = field(loop, "initializer")
    if start is None:
        return None
    for declarator in start.children_by_field_name("declarator") or [start]:
        target = field(declarator, "declarator") or field(declarator, "left")
        if target is not None and node_text(target) == name:
            return field(declarator, "value") or field(declarator, "right")
    return None
