"""Tokenises C++ and CUDA with tree-sitter, which parses any text and marks errors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

import tree_sitter_cuda
from tree_sitter import Language, Parser, TreeCursor

from datasets_app.similarity.token import OWN_NAME, Token
from datasets_app.syntax.cuda_words import BUILTINS, INTRINSICS, TYPES

WHOLE = {"string_literal", "raw_string_literal", "char_literal", "system_lib_string"}  # kept as one token
NAMES = {"identifier", "type_identifier", "namespace_identifier"}
# Where a name is defined, as (parent node, its field there).
GIVEN = {
    ("function_declarator", "declarator"),
    ("preproc_def", "name"),
    ("preproc_function_def", "name"),
    ("struct_specifier", "name"),
    ("class_specifier", "name"),
    ("union_specifier", "name"),
    ("enum_specifier", "name"),
    ("alias_declaration", "name"),
    ("type_definition", "declarator"),
    ("type_parameter_declaration", None),
    ("namespace_definition", "name"),
}
# Where a name belongs to somebody else, unless the same text defines it.
CALLED = {
    ("call_expression", "function"),
    ("template_function", "name"),
    ("qualified_identifier", "name"),
    ("qualified_identifier", "scope"),
    ("preproc_ifdef", "name"),
}
KNOWN = frozenset(BUILTINS) | INTRINSICS | TYPES
DIRECTIVES = {
    "preproc_def",
    "preproc_function_def",
    "preproc_call",
    "preproc_include",
}  # single-line constructs, whose end is a token
MOST_LEAVES = 300_000  # per text
DEEPEST_MACRO = 3  # a macro's body is parsed again as a separate text


class Leaf(NamedTuple):
    text: str
    kind: str
    place: tuple[str, str | None]  # the parent node, and its field there


@cache
def parser() -> Parser:
    return Parser(Language(tree_sitter_cuda.language()))


def c_tokens(source: str, depth: int = 0) -> list[Token]:
    """Return the tokens of any text, parsed as C++."""
    leaves = list(islice(walk(parser().parse(source.encode("utf-8", "replace")).walk()), MOST_LEAVES))
    given = {leaf.text for leaf in leaves if leaf.place in GIVEN}
    return [token for leaf in leaves for token in tokens_of(leaf, given, depth)]


def walk(cursor: TreeCursor) -> Iterator[Leaf]:
    """Yield the leaves in order without comments, without recursion: a tree may be as deep as a text is long."""
    above: list[str] = [""]
    while True:
        node = cursor.node
        assert node is not None, "a cursor stands on a node"
        kind = node.type
        if kind not in WHOLE and kind != "comment" and cursor.goto_first_child():
            above.append(kind)
            continue
        if kind != "comment" and node.text:
            yield Leaf(node.text.decode("utf-8", "replace"), kind, (above[-1], cursor.field_name))
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            if above.pop() in DIRECTIVES:
                yield Leaf("\n", "end of line", ("", None))


def tokens_of(leaf: Leaf, given: set[str], depth: int) -> list[Token]:
    if leaf.kind == "preproc_arg" and depth < DEEPEST_MACRO:
        return c_tokens(leaf.text, depth + 1)
    if leaf.text.isspace() and leaf.kind != "end of line":
        return []
    text = leaf.text if leaf.kind in WHOLE or leaf.text == "\n" else " ".join(leaf.text.split())
    return [Token(text, text if is_public(leaf, given) else OWN_NAME)]


def is_public(leaf: Leaf, given: set[str]) -> bool:
    """Return whether the name is not the author's: it is the language's, CUDA's, or of a library that is called."""
    if leaf.kind not in NAMES:
        return True
    if leaf.text in given:
        return False
    if leaf.kind != "identifier":
        return True
    return leaf.place in CALLED or leaf.text in KNOWN or leaf.text.startswith("__")
