"""C++ and CUDA text without what only looks like code: comments and literals blanked, lines kept.

By tree-sitter's CUDA grammar where it is installed; elsewhere by reading the text sign by sign, which sees comments and
literals as well but not which code the preprocessor leaves out.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

MAX_PARSED_CHARS = 400_000
_BLANKED = {"comment", "string_literal", "raw_string_literal", "char_literal"}
_GRAMMARS = ("tree_sitter_cuda", "tree_sitter_cpp")
LEFT_OUT = (
    "native code was read sign by sign: tree-sitter is not installed, so code under `#if 0` counts as code"
)
TOO_LONG = (
    f"native code of over {MAX_PARSED_CHARS:,} characters was read sign by sign, "
    "so code under `#if 0` counts as code"
)
_CONDITION = re.compile(r"^[ \t]*#[ \t]*if", re.MULTILINE)


@cache
def parser() -> Any:
    """tree-sitter's parser for CUDA, or for C++, or None where neither is installed."""
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


def code_of(text: str) -> str:
    """`text` with a blank for each sign of a comment, of a literal, and of what `#if 0` leaves out."""
    cuda_parser = parser()
    if cuda_parser is None or len(text) > MAX_PARSED_CHARS:
        return by_characters(text)
    data = text.encode("utf-8", "replace")
    return _blanked(data, list(_spans(cuda_parser.parse(data)))).decode("utf-8", "replace")


def left_out(text: str) -> str:
    """What was not seen of a text that `code_of` gave, for the report; nothing where all was."""
    if not _CONDITION.search(text):
        return ""
    if parser() is None:
        return LEFT_OUT
    return TOO_LONG if len(text) > MAX_PARSED_CHARS else ""


def _spans(tree: Any) -> Any:
    """The bytes to blank: without recursion, for a program may nest as deeply as it likes."""
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
    """The same without a grammar."""
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
    """Where the comment or literal that begins at `place` ends; `place` itself where none does."""
    two = text[place : place + 2]
    if two == "//":
        return _end_of(text, "\n", place, 0)
    if two == "/*":
        return _end_of(text, "*/", place + 2, 2)
    if two == 'R"':
        mark = text[place + 2 : text.find("(", place)][:16]
        return _end_of(text, f'){mark}"', place, len(mark) + 2)
    return _end_of_literal(text, place) if text[place] in "\"'" else place


def _end_of(text: str, mark: str, place: int, beyond: int) -> int:
    end = text.find(mark, place)
    return len(text) if end < 0 else end + beyond


def _end_of_literal(text: str, place: int) -> int:
    """An apostrophe between digits separates them and begins nothing."""
    quote = text[place]
    if quote == "'" and place and text[place - 1].isalnum():
        return place
    end = place + 1
    while end < len(text) and text[end] not in (quote, "\n"):
        end += 2 if text[end] == "\\" else 1
    return min(end + 1, len(text)) if end < len(text) and text[end] == quote else min(end, len(text))
