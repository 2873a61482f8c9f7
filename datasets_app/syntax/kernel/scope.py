"""Resolves names: constants of a text, and variables of a function that are bound once."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from functools import cached_property

from tree_sitter import Node

from datasets_app.syntax.kernel.facts import Value
from datasets_app.syntax.kernel.names import ELEMENT_BYTES
from datasets_app.syntax.kernel.unit import Unit, declarator_of, field, name_of, node_text

Number = int | tuple[int, ...] | None
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: int(a / b) if b else 0,
    "%": lambda a, b: a - b * int(a / b) if b else 0,
    "<<": lambda a, b: a << b if 0 <= b < 64 else 0,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else 0,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
}
DEEPEST = 24
LONGEST_NUMBER = 60  # characters
MOST_STEPS = 100_000  # per text
MOST_BINDINGS = 200  # of one name in one function; names bound more often are not followed
LARGEST = 2**63
TRANSPARENT = {"static_cast", "int", "size_t", "unsigned", "dim3", "uint32_t", "int64_t", "long"}


class Scope:
    """Looks names up in a function, then in its text, then in the program's other texts."""

    def __init__(self, unit: Unit, outer: dict[str, int]) -> None:
        self.unit, self.outer = unit, outer
        self.bindings: dict[int, dict[str, list[Node]]] = defaultdict(lambda: defaultdict(list))
        self.changed: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.defines = {
            node_text(field(node, "name")): node_text(field(node, "value")) for node in unit.nodes["define"]
        }
        self.pointers: dict[int, dict[str, list[Node]]] = defaultdict(lambda: defaultdict(list))
        for node in unit.nodes["init"]:
            name = field(node, "declarator")
            if name is not None and name.type == "identifier":
                self.bindings[self.place(node)][node_text(name)].append(node)
            elif name is not None and name.type == "pointer_declarator":
                self.pointers[self.place(node)][node_text(declarator_of(node))].append(node)
        for node in unit.nodes["type"]:  # `dim3 block(W, H);` with names looks like a function's declaration
            declared = field(unit.parent(node), "declarator") if node_text(node) == "dim3" else None
            if declared is not None and declared.type == "function_declarator":
                unit.around[declared.id] = unit.around[node.id]
                self.bindings[self.place(node)][node_text(field(declared, "declarator"))].append(declared)
        for node in (*unit.nodes["assignment"], *unit.nodes["update"]):
            target = field(node, "left") or field(node, "argument")
            if target is not None and target.type == "identifier":
                self.changed[self.place(node)][node_text(target)].append(node.start_byte)
        for names in self.changed.values():
            for places in names.values():
                places.sort()
        self.numbers: dict[tuple[int, int], Number] = {}
        self.steps = 0

    def step(self) -> bool:
        """Count a step. Return False after so many that the names must refer to each other in a cycle."""
        self.steps += 1
        return self.steps <= MOST_STEPS

    def place(self, node: Node) -> int:
        """Return the index of the function that contains the node; -1 outside of all."""
        function = self.unit.function_at(node)
        return function.start_byte if function is not None else -1

    def binding(self, name: str, place: int, at: int | None = None) -> Node | None:
        """Return the one expression that a name is bound to; None if the name changes or is bound twice.

        `at` is where the name is read: of several names alike, the one of the innermost block around it counts.
        """
        for where in dict.fromkeys((place, -1)):
            nodes = self.bindings[where].get(name, []) if where in self.bindings else []
            if len(nodes) > MOST_BINDINGS:
                return None
            seen = [(self.unit.around[node.id].block, node) for node in nodes]
            if at is not None and len(seen) > 1:
                around = [(block, node) for block, node in seen if block[0] <= at < block[1]]
                seen = sorted(around, key=lambda pair: pair[0][1] - pair[0][0])[:1]
            if seen:
                (first, last), node = seen[0]
                changes = self.changed[where].get(name, []) if where in self.changed else []
                next_change = bisect_left(changes, first)
                steady = len(seen) == 1 and not (next_change < len(changes) and changes[next_change] < last)
                return (field(node, "value") or field(node, "parameters")) if steady else None
        return None

    def value(self, node: Node, place: int) -> Value:
        text = node_text(node)
        bound = self.binding(text, place, node.start_byte) if node.type == "identifier" else None
        through = node_text(bound) if bound is not None and bound.type != "number_literal" else ""
        return Value(text[:200], self.number(node, place), through[:200])

    def number(self, node: Node | None, place: int, depth: int = 0) -> Number:
        """Return the constant value of an expression; a tuple for dim3."""
        if node is None or depth > DEEPEST:
            return None
        key = node.id, place
        if key not in self.numbers:
            number = self.computed(node, place, depth) if self.step() else None
            if number is None:
                return None  # perhaps only because of its depth: from elsewhere it may have one
            self.numbers[key] = number
        return self.numbers[key]

    def computed(self, node: Node, place: int, depth: int) -> Number:
        kind = node.type
        if kind == "number_literal":
            return literal(node_text(node))
        if kind in ("identifier", "parameter_declaration"):
            return self.named(node_text(node), place, depth + 1, node.start_byte)
        if kind == "binary_expression":
            return self.binary(node, place, depth + 1)
        if kind in ("argument_list", "initializer_list", "parameter_list"):
            return self.several(node, place, depth + 1)
        if kind == "call_expression":
            return self.call(node, place, depth + 1)
        if kind == "sizeof_expression":
            return ELEMENT_BYTES.get(node_text(field(node, "type") or field(node, "value")).strip("()"))
        inner = (
            field(node, "value")
            if kind == "cast_expression"
            else node.named_child(0)
            if node.named_child_count
            else None
        )
        if kind in ("parenthesized_expression", "cast_expression", "compound_literal_expression"):
            return self.number(inner, place, depth + 1)
        return None

    def named(self, name: str, place: int, depth: int, at: int | None = None) -> Number:
        bound = self.binding(name, place, at)
        if bound is not None:
            return self.number(bound, place, depth)
        if name in self.defines:
            return literal(self.defines[name].strip("() "))
        return self.outer.get(name)

    def binary(self, node: Node, place: int, depth: int) -> Number:
        left = self.number(field(node, "left"), place, depth)
        right = self.number(field(node, "right"), place, depth)
        operation = OPERATIONS.get(node_text(field(node, "operator")))
        if operation is None or not isinstance(left, int) or not isinstance(right, int):
            return None
        result = operation(left, right)
        return result if abs(result) < LARGEST else None

    def several(self, node: Node, place: int, depth: int) -> Number:
        numbers = [
            self.number(child, place, depth) for child in node.named_children if child.type != "comment"
        ]
        if len(numbers) == 1:
            return numbers[0]
        integers = [number for number in numbers if isinstance(number, int)]
        return tuple(integers) if integers and len(integers) == len(numbers) <= 3 else None

    def call(self, node: Node, place: int, depth: int) -> Number:
        name = node_text(field(field(node, "function"), "name") or field(node, "function"))
        arguments = field(node, "arguments")
        if arguments is None:
            return None
        if name in TRANSPARENT:
            return self.several(arguments, place, depth)
        numbers = [self.number(child, place, depth) for child in arguments.named_children]
        integers = [number for number in numbers if isinstance(number, int)]
        if name.rpartition("::")[2] in ("min", "max") and integers and len(integers) == len(numbers):
            return min(integers) if name.endswith("min") else max(integers)
        return None

    @cached_property
    def constants(self) -> list[tuple[str, int, int]]:
        """Return the text's own names that are bound to a number: name, value, line."""
        constants = []
        for node in self.unit.nodes["define"]:
            name = node_text(field(node, "name"))
            value = self.named(name, -1, 0)
            if isinstance(value, int):
                constants.append((name, value, self.unit.line(node)))
        for name, nodes in self.bindings[-1].items():
            value = self.named(name, -1, 0)
            if isinstance(value, int):
                constants.append((name, value, self.unit.line(nodes[0])))
        return constants


def literal(text: str) -> int | None:
    """Return the value of 256, 0x100, 1'024 or 32u; None for anything but an integer."""
    if len(text) > LONGEST_NUMBER:
        return None
    bare = text.replace("'", "").rstrip("uUlL")
    try:
        return int(bare, 0) if not (len(bare) > 1 and bare[0] == "0" and bare.isdigit()) else int(bare, 8)
    except ValueError:
        return None


def function_name(unit: Unit, node: Node) -> str:
    function = unit.function_at(node)
    return name_of(function) if function is not None else ""
