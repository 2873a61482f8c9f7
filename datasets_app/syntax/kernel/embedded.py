"""Extracts the C++ and CUDA in a Python program's strings, each line mapped to its line in the program.

A string is read as the compiler receives it: escapes resolved, adjacent or added parts joined, static values of
f-strings inserted. Parts that are known at run time only are holes.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from datasets_app.syntax.kernel.constants import Constants, static_value
from datasets_app.syntax.literals import LITERAL, is_cpp

ESCAPE = re.compile(
    r"\\(?:(?P<join>\r?\n)|(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{2})|u(?P<u4>[0-9a-fA-F]{4})|(?P<other>.))",
    re.DOTALL,
)
SIMPLE = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
}
FORMAT = re.compile(r"%(?:\((?P<name>\w+)\))?[-+ 0#]*\d*(?:\.\d+)?[sdifgxXr]")
HOLE = "__hole__"  # a name that C++ can parse wherever a value may be

# Of f-strings: the number that is evaluated, and their maximum length.
MOST_VALUES, LONGEST_VALUE = (2_000, 1_000)
LONGEST_TEXT = 2_000_000  # characters that replacements may produce

Fragment = tuple[str, int]  # text, the line of the program that it begins on


@dataclass(frozen=True)
class Embedded:
    """`lines[i]` is the program's line of the text's line i (counted from 0)."""

    text: str
    lines: tuple[int, ...]
    holes: tuple[str, ...] = ()

    def line(self, row: int) -> int:
        return self.lines[min(row, len(self.lines) - 1)]


class Program:
    """A Python source with its literals and constants."""

    def __init__(self, source: str, tree: ast.AST, constants: Constants) -> None:
        self.source, self.tree, self.constants = source, tree, constants
        self.starts = [0, *(match.end() for match in re.finditer("\n", source))]
        self.rows = source.split("\n")
        self.literals = [match for match in LITERAL.finditer(source) if match["comment"] is None]
        self.holes: list[str] = []
        self.values = 0

    def position(self, row: int, byte_column: int) -> int:
        line = self.rows[row - 1]
        column = byte_column if line.isascii() else len(line.encode()[:byte_column].decode(errors="ignore"))
        return self.starts[row - 1] + column

    def texts(self) -> Iterator[Embedded]:
        """Return every string expression that contains C++, outermost first and each once."""
        for node in outermost_strings(self.tree):
            self.holes = []
            fragments = list(self.fragments(node))
            if is_cpp("".join(text for text, _ in fragments)):
                yield assembled(fragments, self.holes)

    def fragments(self, node: ast.AST) -> Iterator[Fragment]:
        if isinstance(node, ast.Constant | ast.JoinedStr):
            yield from self.written(node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield from self.fragments(node.left)
            yield from self.fragments(node.right)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            yield from self.filled(list(self.fragments(node.left)), node.right)
        elif isinstance(node, ast.Call):
            yield from self.called(node)
        elif isinstance(node, ast.FormattedValue | ast.Name | ast.Attribute | ast.Subscript):
            yield self.value(ast.unparse(node)), getattr(node, "lineno", 1)

    def written(self, node: ast.Constant | ast.JoinedStr) -> Iterator[Fragment]:
        """Return the literals from the node's start to its end."""
        start = self.position(node.lineno, node.col_offset)
        end = self.position(node.end_lineno or node.lineno, node.end_col_offset or 0)
        first = bisect_left(self.literals, start, key=re.Match.start)
        for match in islice(self.literals, first, None):
            if match.start() >= end:
                return
            yield from self.literal(match)

    def literal(self, match: re.Match[str]) -> Iterator[Fragment]:
        group = "long" if match["triple"] else "short"
        line = bisect_right(self.starts, match.start(group))
        prefix = (match["prefix"] or "").lower()
        formatted = self.value if "f" in prefix else None
        yield from undone(match[group], line, raw="r" in prefix, fill=formatted)

    def called(self, node: ast.Call) -> Iterator[Fragment]:
        """Return the result of textwrap.dedent, .strip(), .format() and .replace()."""
        inner: ast.AST | None = node.func.value if isinstance(node.func, ast.Attribute) else None
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if method == "dedent" or (isinstance(node.func, ast.Name) and node.func.id == "dedent"):
            inner = node.args[0] if node.args else None
        if method == "join" and node.args and isinstance(node.args[0], ast.List | ast.Tuple):
            for part in node.args[0].elts:
                yield from self.fragments(part)
                yield "\n", part.lineno
            return
        for text, line in self.fragments(inner) if inner is not None else ():
            yield self.changed(text, method, node), line

    def changed(self, text: str, method: str, node: ast.Call) -> str:
        if method == "replace" and len(node.args) >= 2:
            old, new = (self.constant(argument) for argument in node.args[:2])
            replaces = isinstance(old, str) and old and new is not None
            longest = len(text) + text.count(str(old)) * len(str(new)) if replaces else 0
            return text.replace(str(old), str(new)) if 0 < longest <= LONGEST_TEXT else text
        if method == "format":
            named = {word.arg: self.constant(word.value) for word in node.keywords if word.arg}
            fill = re.sub(
                r"(?<!\{)\{(\w*)\}(?!\})",
                lambda match: self.text_or_hole(named.get(match[1]), match[0]),
                text,
            )
            return fill.replace("{{", "{").replace("}}", "}")
        return text

    def filled(self, fragments: list[Fragment], right: ast.AST) -> Iterator[Fragment]:
        """Return `text % values` with static values inserted; others are holes."""
        values = right.elts if isinstance(right, ast.Tuple) else [right]
        waiting = iter(values)

        def put(match: re.Match[str]) -> str:
            if isinstance(right, ast.Dict):
                pairs = {self.constant(k): v for k, v in zip(right.keys, right.values, strict=True) if k}
                node: ast.AST | None = pairs.get(match["name"])
            else:
                node = next(waiting, None)
            return self.text_or_hole(None if node is None else self.constant(node), match[0])

        for text, line in fragments:
            yield FORMAT.sub(put, text).replace("%%", "%"), line

    def constant(self, node: ast.AST) -> object:
        return static_value(node, self.constants)

    def value(self, expression: str) -> str:
        """Return the value of an expression inside an f-string."""
        bare = re.split(r"[!:](?![=:])", expression, maxsplit=1)[0].strip()
        self.values += 1
        if self.values > MOST_VALUES or len(bare) > LONGEST_VALUE:
            return self.text_or_hole(None, bare[:LONGEST_VALUE])
        try:
            return self.text_or_hole(self.constant(ast.parse(bare, mode="eval").body), bare)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return self.text_or_hole(None, bare)

    def text_or_hole(self, value: object, expression: str) -> str:
        if isinstance(value, int | float | str):
            return str(value)
        self.holes.append(expression)
        return HOLE


def undone(body: str, line: int, *, raw: bool, fill: object = None) -> Iterator[Fragment]:
    """Return a literal's body with escapes resolved, in fragments with at most one line end each, at their end."""
    at = 0
    pattern = re.compile("|".join(p for p in ("" if raw else r"\\", r"\{|\}" if fill else "", r"\n") if p))
    while match := pattern.search(body, at):
        yield body[at : match.start()], line
        if match[0] == "\n":
            yield "\n", line
            line, at = line + 1, match.end()
        elif match[0] == "\\":
            text, at, joined = unescaped(body, match.start())
            yield text, line
            line += joined
        else:
            text, at = braces(body, match.start(), fill)
            yield text, line
            line += body.count("\n", match.start(), at)
    yield body[at:], line


def unescaped(body: str, at: int) -> tuple[str, int, int]:
    """Return the text of one escape, the position after it, and how many lines of the source it spans."""
    match = ESCAPE.match(body, at)
    if match is None:
        return "\\", at + 1, 0
    if match["join"]:
        return "", match.end(), 1
    code = match["hex"] or match["u4"]
    if code or match["octal"]:
        return chr(int(code, 16) if code else int(match["octal"], 8)), match.end(), 0
    return SIMPLE.get(match["other"], "\\" + match["other"]), match.end(), 0


def braces(body: str, at: int, fill: object) -> tuple[str, int]:
    """Return the text of `{{`, `}}` or `{expression}` in an f-string, and the position after it."""
    if body[at : at + 2] in ("{{", "}}"):
        return body[at], at + 2
    if body[at] == "}" or not callable(fill):
        return body[at], at + 1
    depth, end = 1, at + 1
    while end < len(body) and depth:
        depth += {"{": 1, "}": -1}.get(body[end], 0)
        end += 1
    return str(fill(body[at + 1 : end - 1])), end


def assembled(fragments: Iterable[Fragment], holes: Iterable[str] = ()) -> Embedded:
    parts: list[str] = []
    lines: list[int] = []
    fresh = True
    for text, line in fragments:
        for piece in text.splitlines(keepends=True) if "\n" in text else [text] if text else []:
            if fresh:
                lines.append(line)
            fresh = piece.endswith("\n")
            parts.append(piece)
    return Embedded("".join(parts), (*lines, lines[-1] if lines else 1), tuple(dict.fromkeys(holes)))


def outermost_strings(tree: ast.AST) -> Iterator[ast.expr]:
    """Return string expressions that are not part of another one, without docstrings."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.expr) and is_string(node):
            yield node
            continue
        children = [child for child in ast.iter_child_nodes(node) if not is_docstring(child)]
        waiting.extend(reversed(children))


def is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def is_string(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return is_string(node.left) or (isinstance(node.op, ast.Add) and is_string(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        dedent = node.func.attr == "dedent" and bool(node.args) and is_string(node.args[0])
        return dedent or is_string(node.func.value)
    return isinstance(node, ast.JoinedStr)
