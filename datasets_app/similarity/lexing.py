"""Tokenises a program, without layout, comments and docstrings.

Every token has two spellings: as written, and with the names that the program's author chose replaced by one
placeholder. The first tells whether two programs are the same; the second, whether they do the same thing in the same
way under other names. Python is read by its own tokenizer, C++ and CUDA (a whole file, or the strings passed to
load_inline) by tree-sitter: a comment sign inside a string is not a comment.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from datasets_app.similarity.c_tokens import c_tokens
from datasets_app.similarity.python_tokens import python_tokens
from datasets_app.similarity.token import Token
from datasets_app.syntax.literals import is_whole_cpp

WORD = re.compile(r"\w+|[^\w\s]")
SEPARATOR = "\x1f"  # occurs in no token


def lex(program: str) -> list[Token]:
    """Return the tokens of a program. A text that Python's tokenizer cannot read is parsed as C++, which accepts
    anything."""
    if is_whole_cpp(program):
        return c_tokens(program)
    try:
        return python_tokens(program)
    except SyntaxError:
        return c_tokens(program)


def loose_words(program: str) -> list[Token]:
    """Return words and punctuation without any grammar, comments included: the fallback if a parser takes too long."""
    return [Token(word, word) for word in WORD.findall(program)]


def digest(words: Iterable[str]) -> str:
    """Return the SHA-256 of a program's words, in hexadecimal."""
    return hashlib.sha256(SEPARATOR.join(words).encode("utf-8", "surrogatepass")).hexdigest()
