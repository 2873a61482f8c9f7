"""The pane of a program or a kernel: its lines, its outline, its built-ins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from datasets_app.browse.highlight import notes_for
from datasets_app.browse.panes.parts import Layout, Part, beside, html_size
from datasets_app.syntax.kernel import Kernel, Launch, Shared, Use

WORD = re.compile(r"[A-Za-z_]\w{1,40}+")
ORDER = ("class", "def", "kernel", "device", "host", "shared", "launch")
QUIET_GROUPS = {"index", "memory"}  # used by every Triton kernel
WHOLE_HTML = 2_500_000  # characters of a page that requests the whole text
MOST_ENTRIES = 2_500  # of an outline
MOST_USES, MOST_LINES = 200, 400
LONGEST_WORDS = 120  # of a name or a note in the outline


@dataclass(frozen=True)
class Entry:
    """A row of the outline."""

    kind: str  # one of ORDER
    name: str
    line: int
    depth: int = 0
    note: str = ""


@dataclass(frozen=True)
class Outline:
    """The listed entries, and what is missing. `gaps` are words such as "nested deeper than 400 levels"."""

    entries: tuple[Entry, ...] = ()
    more: int = 0
    uses: tuple[Use, ...] = ()
    grid_strides: tuple[int, ...] = ()
    problems: tuple[int, ...] = ()
    holes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()

    @property
    def first_kernel(self) -> Entry | None:
        """The first function that runs on the device, such as `__global__` in CUDA: the pane opens there."""
        return next((entry for entry in self.entries if entry.kind == "kernel"), None)


@dataclass(frozen=True)
class CodePane:
    """`is_read`: the outline is complete; that of a long kernel is loaded when the page is visible.

    `failure` says why an analysis gave no result; `cut_lines` are the lines that are truncated.
    """

    name: str
    title: str
    line_count: int
    parts: tuple[Part, ...]
    outline: Outline = field(default_factory=Outline)
    notes: tuple[tuple[str, str], ...] = ()
    is_read: bool = True
    cut_lines: tuple[int, ...] = ()
    failure: str = ""

    @property
    def digits(self) -> int:
        """Width of the line numbers, in digits."""
        return len(str(self.line_count))

    @property
    def is_whole(self) -> bool:
        return all(part.blocks for part in self.parts)


TITLES = {"program": "PyTorch program", "kernel": "Kernel", "left": "Left kernel", "right": "Right kernel"}


def code_pane(
    name: str, source: str, kernel: Kernel | None, line: int | None = 1, *, coloured: bool = True
) -> CodePane:
    """Return the part of the text that contains `line`; for None as much as a page allows, from the beginning.

    Only a kernel's built-ins have notes: a reference program is plain PyTorch.
    """
    layout = Layout(source)
    noted: set[str] | None = set() if name == "kernel" else None
    shown: dict[int, Part] = {}
    at, size = layout.at(max(1, line or 1)), 0
    while at < len(layout.ranges) and (not shown or (line is None and size < WHOLE_HTML)):
        lines = layout.ranges[at]
        blocks = layout.rendered(name, lines, notes=noted, coloured=coloured)
        shown[at], size, at = Part(lines.first, lines.last, blocks), size + html_size(blocks), at + 1
    if noted is not None and len(shown) < len(
        layout.ranges
    ):  # the following parts link to their notes as well
        noted = {match[0] for match in WORD.finditer(layout.text)}
    return CodePane(
        name,
        TITLES[name],
        layout.line_count,
        tuple(beside(layout.ranges, shown)),
        outlined(kernel) if kernel else Outline(),
        tuple(notes_for(noted or ())),
        is_read=kernel is not None,
        cut_lines=tuple(list(layout.cut)[:MOST_LINES]),
    )


def code_part(name: str, source: str, line: int) -> Part:
    """Return the part that contains `line`, or the nearest one."""
    layout = Layout(source)
    lines = layout.ranges[layout.at(max(1, line))]
    return Part(
        lines.first, lines.last, layout.rendered(name, lines, notes=set() if name == "kernel" else None)
    )


def plain_part(name: str, source: str, line: int) -> Part:
    """Return the same part, escaped only."""
    layout = Layout(source)
    lines = layout.ranges[layout.at(max(1, line))]
    return Part(lines.first, lines.last, layout.rendered(name, lines, notes=None, coloured=False))


# --- The outline ---


def outlined(kernel: Kernel) -> Outline:
    entries = outline(kernel)
    uses = [use for use in kernel.uses if use.group not in QUIET_GROUPS]
    return Outline(
        tuple(shortened(entry) for entry in entries[:MOST_ENTRIES]),
        max(0, len(entries) - MOST_ENTRIES),
        tuple(replace(use, lines=use.lines[:MOST_LINES]) for use in uses[:MOST_USES]),
        kernel.grid_strides[:MOST_LINES],
        kernel.problems[:MOST_LINES],
        tuple(hole[:LONGEST_WORDS] for hole in kernel.holes[:MOST_LINES]),
        kernel.gaps,
    )


def shortened(entry: Entry) -> Entry:
    if len(entry.name) <= LONGEST_WORDS and len(entry.note) <= 2 * LONGEST_WORDS:
        return entry
    return replace(entry, name=entry.name[:LONGEST_WORDS], note=entry.note[: 2 * LONGEST_WORDS])


def outline(kernel: Kernel) -> list[Entry]:
    """Return definitions, shared memory and launches, in the order of their lines."""
    entries = [*defined(kernel), *map(shared_entry, kernel.shared), *map(launch_entry, kernel.launches)]
    ordered = sorted(entries, key=lambda entry: (entry.line, ORDER.index(entry.kind)))
    return list(indented(ordered, {function.line: function.end_line for function in kernel.functions}))


def indented(entries: list[Entry], ends: dict[int, int]) -> Iterator[Entry]:
    """Yield the entries, those within a function below it. `ends`: last line of each function by its first."""
    depth = end = 0
    for entry in entries:
        if entry.kind not in ("shared", "launch"):
            depth, end = entry.depth + 1, ends[entry.line]
            yield entry
        else:
            yield replace(entry, depth=depth if entry.line <= end else 0)


def defined(kernel: Kernel) -> Iterator[Entry]:
    for function in kernel.functions:
        yield Entry(function.kind, function.name, function.line, function.depth, function.note)


def shared_entry(array: Shared) -> Entry:
    size = "size set at the launch" if array.dynamic else "size not static"
    amount = f"{array.size_bytes:,} bytes" if array.size_bytes is not None else size
    return Entry("shared", array.name, array.line, note=f"{array.declared}: {amount}")


def launch_entry(launch: Launch) -> Entry:
    facts = [f"{name} {value.shown}" for name, value in launch.parts if value.text not in ("", "0")]
    threads = launch.block.threads if launch.block else None
    if threads is not None and isinstance(launch.block and launch.block.number, tuple):
        facts.append(f"{threads:,} threads per block")
    return Entry("launch", launch.kernel, launch.line, note="; ".join(facts))
