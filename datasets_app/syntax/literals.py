"""Finds the string literals of a Python source by pattern, so that it also works for sources that do not parse."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Comments are matched first, so that a quote inside one opens nothing. An unclosed triple quote runs to the
# end.
LITERAL = re.compile(
    r"""(?P<comment>\#[^\n]*)
      | (?<![A-Za-z0-9_])(?P<prefix>[rRbBuUfF]{0,2})
        (?: (?P<triple>\"\"\"|''') (?P<long>(?:[^"'\\]++|\\.|(?!(?P=triple)).)*+) (?P<end>(?P=triple)|\Z)
          | (?P<quote>["']) (?P<short>(?:[^"'\n\\]++|\\.|(?!(?P=quote))[^\n\\])*+) (?P<close>(?P=quote)|(?=\n)|\Z) )""",
    re.VERBOSE | re.DOTALL,
)
# Patterns of C++ that rarely occur together in prose or Python.
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:include|define|pragma|ifdef|ifndef)\b", re.MULTILINE)
MARK = re.compile(
    r"__(?:global|device|host|shared|launch_bounds)__|\b(?:torch|at|std|c10)::|<<<|\bTORCH_CHECK\b"
)
C_FUNCTION = re.compile(
    r"\b(?:void|int|float|double|auto|half|bool|size_t|Tensor)\b[\s*&]+\w+\s*\([^()]*\)\s*[;{]"
)


@dataclass(frozen=True)
class Literal:
    """Character positions: the whole literal, and the text between its quotes."""

    start: int
    end: int
    body_start: int
    body_end: int


def string_literals(source: str) -> Iterator[Literal]:
    for match in LITERAL.finditer(source):
        group = "long" if match["triple"] else "short"
        if match["comment"] is None:
            yield Literal(match.start(), match.end(), match.start(group), match.end(group))


def is_cpp(text: str) -> bool:
    return bool(DIRECTIVE.search(text) or MARK.search(text) or C_FUNCTION.search(text))


def cpp_literals(source: str) -> list[Literal]:
    """Return the literals that contain C++ or CUDA, such as those passed to load_inline."""
    return [text for text in string_literals(source) if is_cpp(source[text.body_start : text.body_end])]


PYTHON = re.compile(r"^[ \t]*(?:(?:import|from)[ \t]+\w|(?:class|def)[ \t]+\w.*:[ \t]*$|@\w)", re.MULTILINE)


def is_whole_cpp(source: str) -> bool:
    """Return whether the source itself is C++ or CUDA, rather than Python that contains some."""
    first = DIRECTIVE.search(source) or MARK.search(source)
    python = PYTHON.search(source)
    return (
        first is not None and (python is None or first.start() < python.start()) and not cpp_literals(source)
    )
