"""One text of CUDA C++ parsed by tree-sitter: its nodes by kind, and the text with comments and strings blanked."""

from __future__ import annotations

import re
import time
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser, Tree

from datasets_app.syntax.kernel.embedded import Embedded

LANGUAGE = Language(tree_sitter_cuda.language())
# Grammar's name -> the list of its nodes.
WANTED = {
    "function_definition": "function",
    "kernel_call_syntax": "launch",
    "init_declarator": "init",
    "assignment_expression": "assignment",
    "update_expression": "update",
    "for_statement": "for",
    "subscript_expression": "subscript",
    "gnu_asm_expression": "asm",
    "comment": "comment",
    "string_literal": "string",
    "raw_string_literal": "string",
    "preproc_def": "define",
    "parameter_declaration": "parameter",
    "optional_parameter_declaration": "template_default",
    "struct_specifier": "struct",
    "ERROR": "error",
    "type_qualifier": "qualifier",
    "type_identifier": "type",
}
BLOCKS = ("compound_statement", "for_statement", "translation_unit")
DEEPEST = 400  # levels of the tree that are read; hand-written code has some dozens
MOST_NODES = 500_000
MOST_CHARS = 700_000  # per text; the rest of a longer one is not read
ANCESTORS = 5  # stored per node, the nearest first
LONGEST_NAME = 2_000  # bytes; a longer node is represented by its size
LONGER = "longer than {:,} characters: the outline covers the first part"
DEEPER = f"nested deeper than {DEEPEST} levels: the outline omits what is deeper"
MORE = f"more than {MOST_NODES:,} syntax nodes: the outline covers the first ones"
TOO_HARD = "C++ that takes too long to parse: the outline omits it"
CHUNK_BYTES = 512  # small: a node's text is read through the same chunks
# The grammar would take these, between a type and a name, for the name.
ALIGNMENT = re.compile(rb"\b__align__\s*\((?:[^()\n]|\([^()\n]*\))*\)")


class TooHardError(Exception):
    """The text could not be parsed within the budget."""


class Around(NamedTuple):
    """The surroundings of a node: its nearest ancestors, nearest first, and the bytes of its block or loop.

    A node's own `parent` is searched from the root of the tree, which takes the square of its depth and width.
    """

    ancestors: tuple[Node, ...]
    block: tuple[int, int]


class Unit:
    """One text of C++. Rows count from 0 in the embedded text; `line` converts a node's row to the program's line.

    `deadline` is in processor time (time.thread_time), for parsing. Raises TooHardError after it.
    """

    def __init__(self, embedded: Embedded, deadline: float) -> None:
        self.embedded = embedded
        self.bytes = without_alignment(embedded.text[:MOST_CHARS].encode("utf-8", "replace"))
        self.gaps = [LONGER.format(MOST_CHARS)] if len(embedded.text) > MOST_CHARS else []
        self.root = parsed(self.bytes, deadline).root_node
        self.around: dict[int, Around] = {}
        self.nodes: dict[str, list[Node]] = defaultdict(list)
        self.walk()
        self.functions = [node for node in self.nodes["function"] if name_of(node)]
        self.function_starts = [node.start_byte for node in self.functions]
        self.outer = outer_functions(self.functions)

    def walk(self) -> None:
        """Fill `nodes` and `around` in the order of the text, bounded in depth and number."""
        cursor = self.root.walk()
        above: list[Node] = []
        blocks = [(self.root.start_byte, self.root.end_byte)]
        for _ in range(MOST_NODES):
            node = cursor.node
            assert node is not None, "a cursor stands on a node"
            if kind := WANTED.get(node.type):
                self.nodes[kind].append(node)
                self.around[node.id] = Around(tuple(above[: -ANCESTORS - 1 : -1]), blocks[-1])
            if len(above) < DEEPEST and cursor.goto_first_child():
                above.append(node)
                is_block = node.type in BLOCKS
                blocks.append((node.start_byte, node.end_byte) if is_block else blocks[-1])
                continue
            if len(above) >= DEEPEST and node.child_count and DEEPER not in self.gaps:
                self.gaps.append(DEEPER)
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                above.pop()
                blocks.pop()
        self.gaps.append(MORE)

    def parent(self, node: Node) -> Node | None:
        """Return the parent of a node in `nodes`."""
        around = self.around.get(node.id)
        return around.ancestors[0] if around and around.ancestors else None

    def line(self, node: Node) -> int:
        return self.embedded.line(node.start_point.row)

    def end_line(self, node: Node) -> int:
        return self.embedded.line(node.end_point.row)

    def between(self, kind: str, start: int, end: int) -> list[Node]:
        """Return the nodes of a kind that begin between the positions, in the order of the text."""
        nodes = self.nodes[kind]
        first = bisect_left(nodes, start, key=lambda node: node.start_byte)
        return nodes[first : bisect_left(nodes, end, lo=first, key=lambda node: node.start_byte)]

    def function_at(self, node: Node) -> Node | None:
        """Return the innermost function around a node."""
        at = bisect_right(self.function_starts, node.start_byte) - 1
        while at >= 0 and self.functions[at].end_byte < node.end_byte:
            at = self.outer[at]
        return self.functions[at] if at >= 0 else None

    @cached_property
    def blank(self) -> str:
        """Return the text as Latin-1 over its bytes, comments and strings as spaces: positions are byte positions."""
        blanked = bytearray(self.bytes)
        for node in (*self.nodes["comment"], *self.nodes["string"]):
            inside = blanked[node.start_byte : node.end_byte]
            blanked[node.start_byte : node.end_byte] = re.sub(rb"[^\n]", b" ", inside)
        return blanked.decode("latin-1")

    @cached_property
    def row_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(b"\n", self.bytes))]

    def line_at(self, byte: int) -> int:
        return self.embedded.line(bisect_right(self.row_starts, byte) - 1)

    def matches(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        return pattern.finditer(self.blank)


def without_alignment(text: bytes) -> bytes:
    """Return the text with `__align__(16)` blanked, so that positions do not change."""
    return ALIGNMENT.sub(lambda match: b" " * len(match[0]), text) if b"__align__" in text else text


def outer_functions(functions: list[Node]) -> list[int]:
    """Return the index of the function around each, -1 if there is none. Functions are in the order of the text."""
    outer: list[int] = []
    inside: list[int] = []
    for at, function in enumerate(functions):
        while inside and functions[inside[-1]].end_byte <= function.start_byte:
            inside.pop()
        outer.append(inside[-1] if inside else -1)
        inside.append(at)
    return outer


def parsed(source: bytes, deadline: float) -> Tree:
    """Return the tree. Raises TooHardError past the deadline."""

    def chunk(at: int, _point: object) -> bytes:
        return source[at : at + CHUNK_BYTES]

    def too_late(_at: int, _has_error: bool) -> bool:
        return time.thread_time() > deadline

    try:
        return Parser(LANGUAGE).parse(chunk, progress_callback=too_late)
    except ValueError as error:
        raise TooHardError from error


def node_text(node: Node | None) -> str:
    """Return a node's text on one line; of a very long one, its size."""
    if node is None:
        return ""
    size = node.end_byte - node.start_byte
    if size > LONGEST_NAME:
        return f"({size:,} bytes)"
    return " ".join((node.text or b"").decode("utf-8", "replace").split())


def field(node: Node | None, name: str) -> Node | None:
    return node.child_by_field_name(name) if node is not None else None


def declarator_of(node: Node) -> Node | None:
    """Return the identifier inside pointers, references, arrays and functions of a declarator."""
    inner = field(node, "declarator")
    for _ in range(40):
        if inner is None:
            return None
        deeper = field(inner, "declarator")
        if deeper is None and inner.type in ("reference_declarator", "parenthesized_declarator"):
            deeper = inner.named_child(0) if inner.named_child_count else None
        if deeper is None:
            return inner
        inner = deeper
    return None


def name_of(function: Node) -> str:
    """Return a function's own name, without its class or namespace."""
    declarator = declarator_of(function)
    return node_text(declarator).partition("<")[0].rpartition("::")[2] if declarator is not None else ""


def marks_of(function: Node) -> set[str]:
    """Return __global__, __device__, __host__ ... before a function's name, or before the template around it."""
    return {child.type for child in function.children if child.type.startswith("__")} | {
        node_text(child)
        for child in function.children
        if child.type in ("type_qualifier", "storage_class_specifier")
    }
