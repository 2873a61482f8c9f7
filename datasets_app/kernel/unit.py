"""One text of CUDA C++ parsed by tree-sitter: its nodes by kind, and the text with comments and strings blanked."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property, lru_cache

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

from datasets_app.kernel.embedded import Embedded
from datasets_app.kernel.names import HALF_TYPES

LANGUAGE = Language(tree_sitter_cuda.language())
WANTED = """
(function_definition) @function
(kernel_call_syntax) @launch
(init_declarator) @init
(assignment_expression) @assignment
(update_expression) @update
(for_statement) @for
(subscript_expression) @subscript
(gnu_asm_expression) @asm
(comment) @comment
(string_literal) @string
(raw_string_literal) @string
(preproc_def) @define
(parameter_declaration) @parameter
(optional_parameter_declaration) @template_default
(struct_specifier) @struct
(ERROR) @error
((type_qualifier) @shared (#eq? @shared "__shared__"))
((declaration type: (type_identifier) @dim3 declarator: (function_declarator)) (#eq? @dim3 "dim3"))
((type_identifier) @half (#any-of? @half HALF))
""".replace("HALF", " ".join(f'"{name}"' for name in HALF_TYPES))
LARGEST_ERROR = 4_000  # children of one place that could not be parsed: queries take their square
CHUNK_BYTES = 512  # small: a node's text is read through the same chunks
# Between a type and a name the grammar takes it for the name.
ALIGNMENT = re.compile(rb"\b__align__\s*\((?:[^()\n]|\([^()\n]*\))*\)")
BUDGET_SECONDS = 2.0  # of processor time: a text that takes longer is hostile, and counts as not understood


@lru_cache(maxsize=1)
def wanted() -> Query:
    return Query(LANGUAGE, WANTED)


class TooHardError(Exception):
    """The text could not be parsed within the budget."""


class Unit:
    """Rows count from 0 in the embedded text; `line` turns a node's row into the program's line."""

    def __init__(self, embedded: Embedded) -> None:
        self.embedded = embedded
        self.bytes = without_alignment(embedded.text.encode("utf-8", "replace"))
        deadline = time.thread_time() + BUDGET_SECONDS
        self.root = parsed(self.bytes, deadline).root_node
        self.found: dict[str, list[Node]] = defaultdict(list, captured(self.root, deadline))
        for nodes in self.found.values():
            nodes.sort(key=lambda node: node.start_byte)
        self.functions = [node for node in self.found["function"] if name_of(node)]
        self.function_starts = [node.start_byte for node in self.functions]

    def line(self, node: Node) -> int:
        return self.embedded.line(node.start_point.row)

    def end_line(self, node: Node) -> int:
        return self.embedded.line(node.end_point.row)

    def function_at(self, node: Node) -> Node | None:
        """The innermost function around a node."""
        at = bisect_right(self.function_starts, node.start_byte) - 1
        while at >= 0:
            if self.functions[at].end_byte >= node.end_byte:
                return self.functions[at]
            at -= 1
            if at >= 0 and node.start_byte - self.functions[at].start_byte > 400_000:
                break
        return None

    @cached_property
    def blank(self) -> str:
        """The text as Latin-1 over its bytes, comments and strings as spaces: positions are byte positions."""
        blanked = bytearray(self.bytes)
        for node in (*self.found["comment"], *self.found["string"]):
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
    """The text with `__align__(16)` as blanks, so that every position stays."""
    return ALIGNMENT.sub(lambda match: b" " * len(match[0]), text) if b"__align__" in text else text


def captured(root: Node, deadline: float) -> dict[str, list[Node]]:
    """The nodes of WANTED. Raises TooHardError for what a query would take minutes over."""
    waiting = [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if time.thread_time() > deadline or (node.is_error and node.child_count > LARGEST_ERROR):
            raise TooHardError
        waiting.extend(child for child in node.children if child.has_error)
    return QueryCursor(wanted()).captures(root)


def parsed(source: bytes, deadline: float) -> Tree:
    """The tree. Raises TooHardError past the deadline."""

    def chunk(at: int, _point: object) -> bytes:
        return source[at : at + CHUNK_BYTES]

    def too_late(_at: int, _has_error: bool) -> bool:
        return time.thread_time() > deadline

    try:
        return Parser(LANGUAGE).parse(chunk, progress_callback=too_late)
    except ValueError as error:
        raise TooHardError from error


def said(node: Node | None) -> str:
    """A node's text on one line."""
    return " ".join((node.text or b"").decode("utf-8", "replace").split()) if node is not None else ""


def field(node: Node | None, name: str) -> Node | None:
    return node.child_by_field_name(name) if node is not None else None


def declarator_of(node: Node) -> Node | None:
    """The identifier inside pointers, references, arrays and functions of a declarator."""
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
    """A function's own name, without its class or namespace."""
    found = declarator_of(function)
    return said(found).partition("<")[0].rpartition("::")[2] if found is not None else ""


def marks_of(function: Node) -> set[str]:
    """__global__, __device__, __host__ ... before a function's name; also those of the template around it."""
    return {child.type for child in function.children if child.type.startswith("__")} | {
        said(child)
        for child in function.children
        if child.type in ("type_qualifier", "storage_class_specifier")
    }
