"""SASS and PTX as a page shows them: without encodings, coloured, in parts, with an outline of their kernels."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from datasets_app.browse.highlight.lexing import Piece
from datasets_app.browse.panes.compared import Compared, compared
from datasets_app.browse.panes.parts import Layout, Part, beside

MOST_ENTRIES, LONGEST_NAME = 500, 400
TOKEN = re.compile(
    r"""(?P<c>//[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<s>"[^"\n]*")
      | (?P<f>^[ \t]*[$.\w]+:(?=\s)|Function\ :\ \S+|(?<=\.entry\s)[\w$]+)
      | (?P<p>(?<![\w%])\.[A-Za-z]\w*(?:\.\w+)*)
      | (?P<v>%\w+(?:\.[xyz])?|\b(?:U?R(?:\d+|Z)|U?P(?:\d|T)|SR_\w+|c\[0x[0-9a-f]+\])(?![\w.]))
      | (?P<n>\b0[xXfFdD][0-9a-fA-F]+\b|(?<![\w.])-?\d+(?:\.\d+)?\b)
      | (?P<k>\b[A-Z][A-Z0-9]+(?:\.[A-Z0-9_]+)*\b|\b[a-z][a-z0-9]*(?:\.[a-z0-9_:]+)+\b|\b(?:ret|exit|bra|call)\b)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
ENCODING = re.compile(r"(?<![ \t])[ \t]*+/\* 0x[0-9a-f]{16} \*/[ \t]*$", re.MULTILINE)
ADDRESS = re.compile(r"^([ \t]*)/\*[0-9a-f]{4,8}\*/[ \t]*", re.MULTILINE)
MANGLED = re.compile(r"_Z(?:L|(?P<nested>NK?))?(?=\d)")
LENGTH = re.compile(r"[1-9]\d*")
FUNCTION = re.compile(r"^\s*(?:Function : (?P<sass>\S+)|(?:\.visible\s+)?\.entry\s+(?P<ptx>[\w$]+))")


def readable(text: str) -> str:
    """Remove the encodings of instructions from SASS; PTX, which has none, is unchanged."""
    lines = ENCODING.sub("", text).split("\n")
    readable_lines = [
        line
        for line, before in zip(lines, text.split("\n"), strict=True)
        if line.strip() or not before.strip()
    ]
    return "\n".join(readable_lines).strip("\n")


def comparable(text: str) -> str:
    """Remove addresses as well, which change with every instruction before them."""
    return ADDRESS.sub(r"\1", readable(text))


def pieces(text: str) -> Iterator[Piece]:
    """Yield the whole text in pieces of one colour each."""
    at = 0
    for match in TOKEN.finditer(text):
        if match.start() > at:
            yield "", text[at : match.start()]
        yield match.lastgroup or "", match[0]
        at = match.end()
    yield "", text[at:]


def unmangled(name: str) -> str:
    """Return `softmax_kernel` for `_Z14softmax_kernelPKfPfii`: a function's name with its scopes, as the Itanium C++
    ABI writes them, without the types. Names in other forms are unchanged."""
    match = MANGLED.match(name)
    rest, parts = name[match.end() :] if match else "", []
    while (length := LENGTH.match(rest)) and len(rest) >= (end := length.end() + int(length[0])):
        parts.append(rest[length.end() : end])
        rest = rest[end:] if match and match["nested"] else ""
    return "::".join(part for part in parts if not part.startswith("_GLOBAL__N_")) or name


@dataclass(frozen=True)
class Entry:
    """A kernel in the listing, and the line that it begins on."""

    name: str
    line: int

    @property
    def readable(self) -> str:
        return unmangled(self.name)


@dataclass(frozen=True)
class Listing:
    """The part that holds a line, links to the others, and the kernels of the whole."""

    line_count: int
    parts: tuple[Part, ...]
    outline: tuple[Entry, ...]
    more_entries: int
    cut_lines: tuple[int, ...] = ()

    @property
    def digits(self) -> int:
        return len(str(self.line_count))


def listing(text: str, line: int, coloured: bool = True) -> Listing:
    """Return what a page shows that begins with the part of `line`."""
    text = readable(text)
    layout = Layout(text)
    at = layout.at(line)
    lines = layout.ranges[at]
    blocks = layout.rendered("code", lines, notes=None, coloured=coloured, lexer=pieces)
    entries = [
        Entry((match["sass"] or match["ptx"])[:LONGEST_NAME], number)
        for number, row in enumerate(layout.text.split("\n"), 1)
        if (match := FUNCTION.match(row))
    ]
    parts = beside(layout.ranges, {at: Part(lines.first, lines.last, blocks)})
    return Listing(
        layout.line_count,
        tuple(parts),
        tuple(entries[:MOST_ENTRIES]),
        max(0, len(entries) - MOST_ENTRIES),
        tuple(layout.cut)[:MOST_ENTRIES],
    )


def difference(left: str, right: str, first: int) -> Compared:
    """Return the rows that differ, addresses and encodings left out."""
    return compared(comparable(left), comparable(right), True, False, first)
