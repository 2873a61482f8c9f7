"""A program or a kernel as a pane shows it: its lines, its outline, its built-ins."""

from collections.abc import Iterator
from dataclasses import dataclass

from datasets_app.highlight import Block, listing, notes_for
from datasets_app.kernel import Kernel, Launch, Shared, Use, read_kernel

ORDER = ("class", "def", "kernel", "device", "host", "shared", "launch")
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
class CodePane:
    name: str
    title: str
    blocks: tuple[Block, ...]
    kernel: Kernel
    notes: list[tuple[str, str]]

    @property
    def line_count(self) -> int:
        return self.blocks[-1].last

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
    """Only a kernel's built-ins have notes: a reference program is plain PyTorch."""
    shown = listing(name, source, name == "kernel")
    return CodePane(name, title, shown.blocks, read_kernel(source), notes_for(shown.noted))


def outline(kernel: Kernel) -> list[Entry]:
    """Definitions, shared memory and launches, in the order of their lines."""
    entries = [*defined(kernel), *map(shared_entry, kernel.shared), *map(launch_entry, kernel.launches)]
    return sorted(entries, key=lambda entry: (entry.line, ORDER.index(entry.kind)))


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
