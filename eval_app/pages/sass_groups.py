"""Instructions of a SASS listing in groups that come from one line of the kernel's program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from datasets_app.browse.highlight.lines import lines_of
from datasets_app.browse.highlight.markup import Html, plain
from datasets_app.browse.highlight.sass import machine_pieces
from datasets_app.syntax.sass import ADDRESS, ENCODING
from eval_app.pages.machine_text import FUNCTION, unmangled

MOST_INSTRUCTIONS = 3_000
LONGEST_SOURCE = 160
# cuobjdump's own distance from the address: a narrow pane has no room for it.
WIDE = re.compile(r"\*/ {12}(?= )")
BY_SOURCE, BY_ADDRESS = "source", "address"


@dataclass(frozen=True)
class Instruction:
    """An instruction of the listing, with the program's line that it was compiled from; 0 for none."""

    function: str
    line: int
    html: Html


@dataclass(frozen=True)
class Group:
    """Instructions of one function that come from one line. `is_first`: no group before it has this line."""

    line: int
    source: str
    instructions: tuple[Html, ...]
    is_first: bool


@dataclass(frozen=True)
class Function:
    name: str
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Grouped:
    """The groups of a listing, and how many instructions each line of the program has: (line, source, count)."""

    functions: tuple[Function, ...] = ()
    lines: tuple[tuple[int, str, int], ...] = ()
    count: int = 0
    left_out: int = 0


def grouped(sass: str, lines: Sequence[int], program: str, order: str) -> Grouped:
    """Return the groups, by their lines or in the order of the addresses."""
    found = list(instructions_of(sass, lines))
    shown, program_lines = found[:MOST_INSTRUCTIONS], program.split("\n")
    seen: set[int] = set()
    functions = tuple(
        Function(unmangled(name), tuple(groups_of(list(own), program_lines, order, seen)))
        for name, own in groupby(shown, attrgetter("function"))
    )
    counts: dict[int, int] = {}
    for instruction in shown:
        counts[instruction.line] = counts.get(instruction.line, 0) + 1
    return Grouped(
        functions,
        tuple((line, text_of(program_lines, line), counts[line]) for line in sorted(counts) if line),
        len(found),
        len(found) - len(shown),
    )


def instructions_of(sass: str, lines: Sequence[int]) -> Iterator[Instruction]:
    text = WIDE.sub("*/", ENCODING.sub("", sass.rstrip("\n")))
    name = ""
    for number, (raw, html) in enumerate(zip(text.split("\n"), coloured(text), strict=False)):
        if function := FUNCTION.match(raw):
            name = function["sass"] or ""
        elif name and ADDRESS.match(raw):
            yield Instruction(name, lines[number] if number < len(lines) else 0, Html(html.strip()))


def coloured(text: str) -> list[str]:
    html = list(lines_of(machine_pieces(text)))
    rows = text.split("\n")
    return html if len(html) == len(rows) else [plain(row) for row in rows]


def groups_of(own: list[Instruction], program: Sequence[str], order: str, seen: set[int]) -> Iterator[Group]:
    """Yield the groups of one function; a line that `seen` lacks is added to it."""
    if order == BY_SOURCE:  # stable, so that instructions of a line keep their order
        own = sorted(own, key=lambda instruction: instruction.line or len(program) + 1)
    for line, group in groupby(own, attrgetter("line")):
        yield Group(line, text_of(program, line), tuple(item.html for item in group), line not in seen)
        seen.add(line)


def text_of(program: Sequence[str], line: int) -> str:
    return program[line - 1].strip()[:LONGEST_SOURCE] if 0 < line <= len(program) else ""
