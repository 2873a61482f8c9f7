"""Splits source text into pieces (css class, text): Python, and CUDA C++ in string literals."""

from collections.abc import Iterable, Iterator

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    _TokenType,
)

from datasets_app.browse.highlight.cuda import KernelCudaLexer
from datasets_app.browse.highlight.python import KernelPythonLexer
from datasets_app.browse.highlight.sass import machine_pieces
from datasets_app.syntax.literals import cpp_literals, is_whole_cpp
from datasets_app.syntax.sass import is_listing

Piece = tuple[str, str]  # css class ("" for plain), text

# The kinds that readers distinguish; any other takes the class of its nearest ancestor here.
CLASSES: dict[_TokenType, str] = {
    Comment: "c",
    Comment.Preproc: "p",
    Comment.PreprocFile: "p",
    Keyword: "k",
    Keyword.Type: "t",
    Keyword.Reserved: "q",
    Keyword.Constant: "n",
    Name.Builtin: "b",
    Name.Builtin.Pseudo: "v",
    Name.Class: "f",
    Name.Decorator: "p",
    Name.Function: "f",
    Name.Function.Magic: "f",
    Number: "n",
    Operator.Word: "k",
    String: "s",
}
cached: dict[_TokenType, str] = {}


def css_class(kind: _TokenType) -> str:
    if kind not in cached:
        cached[kind] = next((CLASSES[part] for part in reversed(kind.split()) if part in CLASSES), "")
    return cached[kind]


PYTHON = KernelPythonLexer()
CUDA = KernelCudaLexer()


def pieces(source: str) -> Iterable[Piece]:
    """Return the whole source in pieces; their texts, joined, are the source."""
    if is_listing(source):
        return machine_pieces(source)
    return cuda_pieces(source) if is_whole_cpp(source) else kernel_pieces(source)


def cuda_pieces(source: str) -> Iterator[Piece]:
    return lexed(CUDA, source)


def kernel_pieces(source: str) -> Iterator[Piece]:
    at = 0
    for literal in cpp_literals(source):
        yield from lexed(PYTHON, source[at : literal.start])
        yield "s", source[literal.start : literal.body_start]
        yield from cuda_pieces(source[literal.body_start : literal.body_end])
        yield "s", source[literal.body_end : literal.end]
        at = literal.end
    yield from lexed(PYTHON, source[at:])


def lexed(lexer: Lexer, source: str) -> Iterator[Piece]:
    """Yield the lexer's pieces, with the plain text between them."""
    at = 0
    for start, kind, text in lexer.get_tokens_unprocessed(source):
        if start > at:
            yield "", source[at:start]
        yield css_class(kind), text
        at = start + len(text)
    if at < len(source):
        yield "", source[at:]
