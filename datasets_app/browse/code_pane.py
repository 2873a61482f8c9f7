"""A program or a kernel as a pane shows it: its lines, its outline, its built-ins."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from datasets_app.highlight import Block, beginning, listing, notes_for
from datasets_app.kernel import Kernel, Launch, Shared, Use, read_kernel

ORDER = ("class", "def", "kernel", "device", "host", "shared", "launch")
LONG_LINES = 2000  # from here on a kernel is shown in parts
PART_LINES = 1000
WORD = re.compile(r"[A-Za-z_]\w+")
QUIET_GROUPS = {"index", "memory"}  # what every Triton kernel does


@dataclass(frozen=True)
class Entry:
    """A row of the outline."""

    kind: str  # one of ORDER
    name: str
    line: int
    depth: int = 0
    note: str = ""


@dataclass(frozen=True)
class Part:
    """Lines that come together. Without blocks they wait until they are scrolled to, linked to or asked for."""

    first: int
    last: int
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True)
class CodePane:
    """`is_read`: the kernel's outline is there. A long kernel's follows when the page is seen."""

    name: str
    title: str
    line_count: int
    parts: tuple[Part, ...]
    kernel: Kernel
    notes: list[tuple[str, str]]
    is_read: bool = True

    @property
    def digits(self) -> int:
        """How wide the line numbers are."""
        return len(str(self.line_count))

    @property
    def outline(self) -> list[Entry]:
        return outline(self.kernel)

    @property
    def uses(self) -> list[Use]:
        return [use for use in self.kernel.uses if use.group not in QUIET_GROUPS]


def code_pane(name: str, title: str, source: str) -> CodePane:
    """The whole text. Only a kernel's built-ins have notes: a reference program is plain PyTorch."""
    shown = listing(name, source, name == "kernel")
    last = shown.blocks[-1].last
    notes = notes_for(shown.noted)
    return CodePane(name, title, last, (Part(1, last, shown.blocks),), read_kernel(source), notes)


# --- Long kernels: the first view costs what its own lines cost ---


def is_long(source: str) -> bool:
    return source.count("\n") > LONG_LINES


def window(name: str, title: str, source: str, line: int) -> CodePane:
    """The part of a long kernel that holds `line`; the others wait, and so does the reading of the whole."""
    last = source.rstrip("\n").count("\n") + 1
    here = part_of(name, source, min(max(line, 1), last))
    starts = range(1, last + 1, PART_LINES)
    parts = [Part(at, min(at + PART_LINES - 1, last)) if at != here.first else here for at in starts]
    return CodePane(name, title, last, tuple(parts), Kernel(), notes_for(WORD.findall(source)), is_read=False)


def part_of(name: str, source: str, line: int) -> Part:
    """The part that holds `line`. Of a text that nobody has seen yet, no more is highlighted than leads to it."""
    first = (line - 1) // PART_LINES * PART_LINES + 1
    found = leading_blocks(name, source, first + PART_LINES - 1)
    blocks = tuple(block for block in found if block.first >= first)
    return Part(first, blocks[-1].last, blocks)


@lru_cache(maxsize=64)
def leading_blocks(name: str, source: str, last: int) -> tuple[Block, ...]:
    """Up to line `last`. Kept for the next reader, as listing() is."""
    return beginning(name, source, last, name == "kernel")


def outline(kernel: Kernel) -> list[Entry]:
    """Definitions, shared memory and launches, in the order of their lines."""
    entries = [*defined(kernel), *map(shared_entry, kernel.shared), *map(launch_entry, kernel.launches)]
    ordered = sorted(entries, key=lambda entry: (entry.line, ORDER.index(entry.kind)))
    return list(indented(ordered, {function.line: function.end_line for function in kernel.functions}))


def indented(entries: list[Entry], ends: dict[int, int]) -> Iterator[Entry]:
    """What a function declares and launches stands under it. `ends`: functions' last lines by their first."""
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
    known = f"{array.size_bytes:,} bytes" if array.size_bytes is not None else size
    return Entry("shared", array.name, array.line, note=f"{array.declared}: {known}")


def launch_entry(launch: Launch) -> Entry:
    said = [f"{name} {value.shown}" for name, value in launch.parts if value.text not in ("", "0")]
    threads = launch.block.threads if launch.block else None
    if threads is not None and isinstance(launch.block and launch.block.number, tuple):
        said.append(f"{threads:,} threads a block")
    return Entry("launch", launch.kernel, launch.line, note="; ".join(said))
