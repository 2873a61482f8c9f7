"""Facts about a kernel program that its text shows without running it, each with its lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Function:
    """`kind`: kernel (launched from the host), device, host, class, def. Lines count from 1, both ends included."""

    kind: str
    name: str
    line: int
    end_line: int
    depth: int = 0
    note: str = ""  # such as "at most 256 threads"


@dataclass(frozen=True)
class Value:
    """An expression of the source, and its value if that does not depend on the run."""

    text: str
    number: int | tuple[int, ...] | None = None
    through: str = ""  # the expression that its name is bound to, if any

    @property
    def threads(self) -> int | None:
        """Return the product of all dimensions."""
        if isinstance(self.number, tuple):
            total = 1
            for part in self.number:
                total *= part
            return total
        return self.number

    @property
    def shown(self) -> str:
        """Return `block = 16, 16` for a known name, else the text itself."""
        if self.number is None:
            return f"{self.text} = {self.through}" if self.through else self.text
        value = ", ".join(map(str, self.number)) if isinstance(self.number, tuple) else f"{self.number:,}"
        return value if self.text.replace(" ", "") == value.replace(" ", "") else f"{self.text} = {value}"


@dataclass(frozen=True)
class Launch:
    kernel: str
    line: int
    grid: Value
    block: Value | None = None  # None for Triton, whose compiler chooses it
    shared: Value | None = None  # bytes
    stream: Value | None = None
    options: tuple[tuple[str, Value], ...] = ()  # Triton's BLOCK, num_warps

    @property
    def parts(self) -> list[tuple[str, Value]]:
        named = [
            ("grid", self.grid),
            ("block", self.block),
            ("shared bytes", self.shared),
            ("stream", self.stream),
        ]
        return [(name, value) for name, value in named if value is not None] + list(self.options)


@dataclass(frozen=True)
class Shared:
    """An array in shared memory. `size_bytes` is None if the type or an extent is not static, or for extern."""

    name: str
    line: int
    declared: str
    size_bytes: int | None
    dynamic: bool = False
    function: str = ""
    element_bytes: int | None = None
    extents: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class Use:
    """A built-in or an idiom with the lines of its uses."""

    name: str
    group: str  # see names.GROUPS
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Access:
    """One element of an array read or written by an index, with the distance between neighbouring threads in elements.

    `stride` is None if it is unknown; `why` then gives the reason. 0: all threads of a warp access the same element.
    """

    array: str
    line: int
    space: str  # global, shared
    stride: int | None
    why: str = ""
    conflict_ways: int | None = None  # shared: lanes of a warp that access one bank, 1 is best


@dataclass(frozen=True)
class Kernel:
    """A program's syntax as facts. `problems` are lines that could not be parsed."""

    functions: tuple[Function, ...] = ()
    launches: tuple[Launch, ...] = ()
    shared: tuple[Shared, ...] = ()
    uses: tuple[Use, ...] = ()
    accesses: tuple[Access, ...] = ()
    grid_strides: tuple[int, ...] = ()  # lines of loops that step by the whole grid
    constants: tuple[tuple[str, int, int], ...] = ()  # name, value, line
    # Identifiers to link, with the lines that define them.
    names: dict[str, int] = field(default_factory=dict)
    problems: tuple[int, ...] = ()
    gaps: tuple[str, ...] = ()  # what was left out because of its size, in words
    holes: tuple[str, ...] = ()  # Python expressions inside the C++ whose values are known at run time only
    languages: frozenset[str] = frozenset()  # of cuda, cpp, triton, python

    def of_group(self, *groups: str) -> list[Use]:
        return [use for use in self.uses if use.group in groups]

    @property
    def kernels(self) -> list[Function]:
        return [function for function in self.functions if function.kind == "kernel"]

    def free_of(self, lines: Iterable[int]) -> list[Function]:
        """Return the kernels that contain none of the lines; empty if a line is outside of all, where any kernel may
        reach it.
        """
        kernels = self.kernels
        held = {
            line: [kernel for kernel in kernels if kernel.line <= line <= kernel.end_line] for line in lines
        }
        if not all(held.values()):
            return []
        return [
            kernel for kernel in kernels if held and not any(kernel in holders for holders in held.values())
        ]

    @property
    def has_device_code(self) -> bool:
        return bool(self.kernels)


def lines_of(uses: Iterable[Use]) -> tuple[int, ...]:
    return tuple(sorted({line for use in uses for line in use.lines}))
