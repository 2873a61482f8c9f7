"""SASS and PTX as a page shows them: without encodings, coloured, in parts, with an outline of their kernels."""

import re
from dataclasses import dataclass

from datasets_app.browse.highlight.sass import machine_pieces
from datasets_app.browse.panes.compared import Compared, compared, compared_machine_code
from datasets_app.browse.panes.parts import Layout, Part, beside
from datasets_app.syntax.sass import comparable, is_listing, readable

MOST_ENTRIES, LONGEST_NAME = 500, 400
MANGLED = re.compile(r"_Z(?:L|(?P<nested>NK?))?(?=\d)")
LENGTH = re.compile(r"[1-9]\d*")
FUNCTION = re.compile(r"^\s*(?:Function : (?P<sass>\S+)|(?:\.visible\s+)?\.entry\s+(?P<ptx>[\w$]+))")


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
    blocks = layout.rendered("code", lines, notes=None, coloured=coloured, lexer=machine_pieces)
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
    """Return the rows that differ, addresses and encodings left out; of SASS, instructions that moved as such."""
    if is_listing(left) and is_listing(right):
        return compared_machine_code(left, right, first)
    return compared(comparable(left), comparable(right), True, False, first)
