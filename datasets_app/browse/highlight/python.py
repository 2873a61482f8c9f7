"""A Pygments lexer for Python with one regular expression match per token, like the one for CUDA.

Pygments' own takes ten seconds for a hostile text of 400 KB; this one takes some tenths of a second.
"""

import builtins
import keyword
import re
from collections.abc import Iterator

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    String,
    _TokenType,
)

from datasets_app.syntax.literals import LITERAL

TOKEN = re.compile(
    LITERAL.pattern
    + r"""
      | ^[ \t]*(?P<decorator>@[\w.]+)
      | (?P<defined>(?:(?<=\bdef\ )|(?<=\bclass\ ))[ \t]*\w+)
      | (?P<number>\b0[xXbBoO][\da-fA-F_]+|(?:\b\d[\d_]*\.?[\d_]*|(?<!\w)\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?)
      | (?P<word>[^\W\d]\w*)""",
    LITERAL.flags | re.MULTILINE,
)
CONSTANTS = {"True", "False", "None"}
KEYWORDS = set(keyword.kwlist) - CONSTANTS
BUILTINS = {name for name in dir(builtins) if not name.startswith("_")}
THIS = {"self", "cls"}


def word_kind(word: str) -> _TokenType | None:
    """Return the kind of a word; None for a plain name."""
    if word in KEYWORDS:
        return Keyword
    if word in CONSTANTS:
        return Keyword.Constant
    if word in THIS:
        return Name.Builtin.Pseudo
    return Name.Builtin if word in BUILTINS else None


def kind_of(match: re.Match[str]) -> tuple[int, _TokenType | None]:
    """Return where the coloured part starts, and its kind."""
    if match["word"]:
        return match.start(), word_kind(match["word"])
    if match["number"]:
        return match.start(), Number
    if match["comment"]:
        return match.start(), Comment
    if match["decorator"]:
        return match.start("decorator"), Name.Decorator
    return match.start(), Name.Function if match["defined"] else String


class KernelPythonLexer(Lexer):
    name = "Python of kernels"

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield position, kind and text of every token that has a kind; the text between them is plain."""
        for match in TOKEN.finditer(text):
            start, kind = kind_of(match)
            if kind is not None:
                yield start, kind, text[start : match.end()]
