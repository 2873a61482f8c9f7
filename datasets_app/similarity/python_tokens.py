"""Tokenises Python with the standard library's tokenizer. Strings that contain C++ are tokenised as C++."""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

from datasets_app.similarity.c_tokens import c_tokens
from datasets_app.similarity.token import OWN_NAME, Token
from datasets_app.syntax.literals import is_cpp

SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.TYPE_COMMENT}
LAYOUT = {tokenize.NEWLINE: "\n", tokenize.INDENT: "{", tokenize.DEDENT: "}"}
BEFORE_A_STATEMENT = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
# Python 3.12 tokenises the parts of f-strings; 3.11 does not.
FSTRING_START = getattr(tokenize, "FSTRING_START", -1)
FSTRING_END = getattr(tokenize, "FSTRING_END", -1)
OPENING = frozenset("([{")
CONTRACT = {"Model", "ModelNew", "forward", "get_inputs", "get_init_inputs"}  # names that a task prescribes
KNOWN = frozenset(dir(builtins)) | frozenset(keyword.kwlist) | CONTRACT


class Lexeme(NamedTuple):
    kind: int
    text: str


def python_tokens(source: str) -> list[Token]:
    """Return the tokens. Raises SyntaxError if the source is not Python."""
    lexemes = list(without_docstrings(read(source)))
    public_names = KNOWN | imported(lexemes)
    return [token for at in range(len(lexemes)) for token in tokens_of(lexemes, at, public_names)]


def read(source: str) -> list[Lexeme]:
    """Yield everything but comments and blank lines; an f-string is one lexeme on every version of Python."""
    # As the tokenizer counts them: str.splitlines also splits at form feeds and at separators of Unicode.
    lines = io.StringIO(source, newline=None).readlines()
    lexemes: list[Lexeme] = []
    open_at: list[tuple[int, int]] = []  # starts of the f-strings that are open
    try:
        for token in tokenize.generate_tokens(io.StringIO(source, newline=None).readline):
            if token.type == FSTRING_START:
                open_at.append(token.start)
            elif token.type == FSTRING_END:
                start = open_at.pop()
                if not open_at:
                    lexemes.append(Lexeme(tokenize.STRING, between(lines, start, token.end)))
            elif not open_at and token.type not in SKIPPED:
                lexemes.append(lexeme(token))
    except (tokenize.TokenError, RecursionError) as error:
        raise SyntaxError(str(error)) from error
    return lexemes


def lexeme(token: tokenize.TokenInfo) -> Lexeme:
    if token.type == tokenize.ERRORTOKEN and not token.string.isspace():
        raise SyntaxError(f"{token.string!r} is not Python")
    return Lexeme(token.type, token.string)


def between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return the source between two positions; rows count from 1, columns from 0."""
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    middle = lines[start[0] : end[0] - 1]
    return "".join([lines[start[0] - 1][start[1] :], *middle, lines[end[0] - 1][: end[1]]])


def without_docstrings(lexemes: list[Lexeme]) -> Iterator[Lexeme]:
    """Drop strings that are statements of their own."""
    before, skip = tokenize.NEWLINE, False
    for at, item in enumerate(lexemes):
        after = lexemes[at + 1].kind if at + 1 < len(lexemes) else tokenize.ENDMARKER
        if skip:
            skip = False
        elif item.kind == tokenize.STRING and before in BEFORE_A_STATEMENT and after == tokenize.NEWLINE:
            skip = True
        elif item.kind != tokenize.ENDMARKER:
            yield item
        before = item.kind


def imported(lexemes: list[Lexeme]) -> set[str]:
    """Return the names in import statements: modules, and what is imported from them."""
    names: set[str] = set()
    inside, before = False, tokenize.NEWLINE
    for kind, text in lexemes:
        if before in BEFORE_A_STATEMENT:
            inside = text in ("import", "from")
        if inside and kind == tokenize.NAME:
            names.add(text)
        before = kind
    return names


def tokens_of(lexemes: list[Lexeme], at: int, public_names: frozenset[str] | set[str]) -> list[Token]:
    kind, text = lexemes[at]
    if kind in LAYOUT:
        return [Token(LAYOUT[kind], LAYOUT[kind])]
    if kind == tokenize.STRING:
        return string_tokens(text)
    if kind == tokenize.NAME and not is_public(lexemes, at, public_names):
        return [Token(text, OWN_NAME)]
    return [Token(text, text)]


def is_public(lexemes: list[Lexeme], at: int, public_names: frozenset[str] | set[str]) -> bool:
    """Return whether the name is not the author's: it is the language's, an import, an attribute or an argument."""
    name = lexemes[at].text
    before = lexemes[at - 1].text if at else ""
    after = lexemes[at + 1].text if at + 1 < len(lexemes) else ""
    if before == ".":
        return at < 2 or lexemes[at - 2].text not in ("self", "cls") or name in public_names
    return name in public_names or name.startswith("__") or (after == "=" and before in ("(", ","))


def string_tokens(literal: str) -> list[Token]:
    """Return a plain string in one spelling, whatever its quotes; one that contains C++ as the tokens of that."""
    try:
        value = ast.literal_eval(literal)
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # an f-string
        return [Token(literal, literal)]
    if isinstance(value, str) and is_cpp(value):
        return [Token('"', '"'), *c_tokens(value), Token('"', '"')]
    return [Token(repr(value), repr(value))]
