"""C++ and CUDA code with comments and literals blanked; line breaks stay.

Uses tree-sitter's CUDA grammar if it is installed; otherwise the text is read character by character, which
recognises comments and literals but not code excluded by the preprocessor.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

# Of a program. Text that no grammar fits takes up to 80 us a character to parse, during which no other thread runs.
MAX_PARSED_CHARS = 40_000
_BLANKED = {"comment", "string_literal", "raw_string_literal", "char_literal"}
_GRAMMARS = ("tree_sitter_cuda", "tree_sitter_cpp")
LEFT_OUT = (
    "native code was read character by character: tree-sitter is not installed, so code under `#if 0` counts"
)
TOO_LONG = (
    f"native code beyond {MAX_PARSED_CHARS:,} characters was read character by character, "
    "so code under `#if 0` counts"
)
_MARK_CHARS = 16  # between the quote and the parenthesis of a raw string literal, at most
_CONDITION = re.compile(r"^[ \t]*#[ \t]*if", re.MULTILINE)


@cache
def parser() -> Any:
    """Return tree-sitter's parser for CUDA, else for C++, else None."""
    try:
        tree_sitter = import_module("tree_sitter")
    except ImportError:
        return None
    for name in _GRAMMARS:
        try:
            return tree_sitter.Parser(tree_sitter.Language(import_module(name).language()))
        except (ImportError, ValueError, TypeError):
            continue
    return None


def code_of(text: str, before: int = 0) -> str:
    """Return `text` with blanks in place of comments, literals, and code excluded by `#if 0`; the program's native
    texts before it have `before` characters."""
    cuda_parser = parser()
    if cuda_parser is None or before + len(text) > MAX_PARSED_CHARS:
        return by_characters(text)
    data = text.encode("utf-8", "replace")
    return _blanked(data, list(_spans(cuda_parser.parse(data)))).decode("utf-8", "replace")


def left_out(text: str, before: int = 0) -> str:
    """Return what `code_of` could not recognise in a text, for the report; empty if nothing."""
    if not _CONDITION.search(text):
        return ""
    if parser() is None:
        return LEFT_OUT
    return TOO_LONG if before + len(text) > MAX_PARSED_CHARS else ""


def _spans(tree: Any) -> Any:
    """Yield the bytes to blank, without recursion, since a program may nest arbitrarily deeply."""
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.type in _BLANKED:
            yield node.start_byte, node.end_byte
        elif node.type == "preproc_if" and _never(node):
            alternative = node.child_by_field_name("alternative")
            yield node.start_byte, alternative.start_byte if alternative else node.end_byte
            waiting += [alternative] if alternative else []
        else:
            waiting += node.children


def _never(node: Any) -> bool:
    condition = node.child_by_field_name("condition")
    return condition is not None and condition.text in (b"0", b"false")


def _blanked(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    signs = bytearray(data)
    for start, end in spans:
        for place in range(start, end):
            if signs[place] != 10:
                signs[place] = 32
    return bytes(signs)


def by_characters(text: str) -> str:
    """Return `text` blanked in the same way, without a grammar."""
    parts, place = [], 0
    while place < len(text):
        end = _end_of_other(text, place)
        if end == place:
            parts.append(text[place])
            place += 1
        else:
            parts.append("".join("\n" if sign == "\n" else " " for sign in text[place:end]))
            place = end
    return "".join(parts)


def _end_of_other(text: str, place: int) -> int:
    """Return the end of the comment or literal that begins at `place`; `place` itself if none does."""
    two = text[place : place + 2]
    if two == "//":
        return _end_of(text, "\n", place, 0)
    if two == "/*":
        return _end_of(text, "*/", place + 2, 2)
    if two == 'R"':
        mark, parenthesis, _ = text[place + 2 : place + 3 + _MARK_CHARS].partition("(")
        return _end_of(text, f'){mark}"', place, len(mark) + 2) if parenthesis else place + 2
    return _end_of_literal(text, place) if text[place] in "\"'" else place


def _end_of(text: str, mark: str, place: int, beyond: int) -> int:
    end = text.find(mark, place)
    return len(text) if end < 0 else end + beyond


def _end_of_literal(text: str, place: int) -> int:
    """Return the end of the literal at `place`. An apostrophe between digits is a separator and begins none."""
    quote = text[place]
    if quote == "'" and place and text[place - 1].isalnum():
        return place
    end = place + 1
    while end < len(text) and text[end] not in (quote, "\n"):
        end += 2 if text[end] == "\\" else 1
    return min(end + 1, len(text)) if end < len(text) and text[end] == quote else min(end, len(text))
