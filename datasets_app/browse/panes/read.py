"""Reads the panes of a sample: in full, or as plain text if their analysis fails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from datasets_app.browse.panes.code_pane import CodePane, code_pane
from datasets_app.browse.panes.parts import Layout
from datasets_app.browse.panes.trace_pane import TracePane, plain_trace_pane, trace_pane
from datasets_app.syntax.kernel import read_kernel
from datasets_app.traces.claims import Measured


class Texts(NamedTuple):
    """The three texts of a sample; `trace` is None if it has none."""

    program: str
    trace: str | None
    kernel: str


class At(NamedTuple):
    """The beginning of the panes: lines of program and kernel, a segment of the trace.

    `kernel` is None for as much of the kernel as a page allows, with everything that needs all of it.
    """

    kernel: int | None = None
    program: int = 1
    segment: int = 1


@dataclass(frozen=True)
class Panes:
    program: CodePane
    trace: TracePane | None
    kernel: CodePane


def read_panes(texts: Texts, at: At, facts: Measured, tokenizer: str, may_wait: bool = True) -> Panes:
    """Return the panes of the three texts. A long kernel that begins at a line may defer what needs all of it."""
    waits = may_wait and at.kernel is not None and Layout(texts.kernel).is_long
    kernel = None if waits else read_kernel(texts.kernel)
    program = read_kernel(texts.program)
    trace = (
        None
        if texts.trace is None
        else trace_pane(texts.trace, at.segment, kernel, program, facts, tokenizer)
    )
    return Panes(
        code_pane("program", texts.program, program, at.program),
        trace,
        code_pane("kernel", texts.kernel, kernel, at.kernel),
    )


def read_program(source: str, line: int) -> CodePane:
    """Return the pane of the program alone, for the page of its task."""
    return code_pane("program", source, read_kernel(source), line)


def coloured_panes(texts: Texts, at: At) -> Panes:
    """Return the panes without syntax, claims and counts: colours only, for texts whose analysis fails."""
    trace = None if texts.trace is None else plain_trace_pane(texts.trace, at.segment, "")
    return Panes(
        code_pane("program", texts.program, None, at.program),
        trace,
        code_pane("kernel", texts.kernel, None, at.kernel or 1),
    )


def plain_panes(texts: Texts, at: At) -> Panes:
    """Return the panes escaped only: cheap enough for the calling process, whatever the texts are."""
    trace = None if texts.trace is None else plain_trace_pane(texts.trace, at.segment, "")
    return Panes(
        code_pane("program", texts.program, None, at.program, coloured=False),
        trace,
        code_pane("kernel", texts.kernel, None, at.kernel or 1, coloured=False),
    )


def failed(panes: Panes, why: str) -> Panes:
    """Return the panes with the reason why they contain no analysis."""
    trace = replace(panes.trace, failure=why, is_checked=True) if panes.trace else None
    return Panes(
        replace(panes.program, failure=why, is_read=True),
        trace,
        replace(panes.kernel, failure=why, is_read=True),
    )


def read_trace(texts: Texts, segment: int, facts: Measured, tokenizer: str) -> TracePane:
    """Return a window of the trace, to be inserted where a page left it out."""
    kernel, program = read_kernel(texts.kernel), read_kernel(texts.program)
    return trace_pane(texts.trace or "", segment, kernel, program, facts, tokenizer)


def read_two(left: str, right: str, coloured: bool = True) -> tuple[CodePane, CodePane]:
    """Return the panes of two kernels side by side, from their beginnings; not coloured: escaped only."""
    one, other = (
        code_pane(name, text, read_kernel(text) if coloured else None, coloured=coloured)
        for name, text in (("left", left), ("right", right))
    )
    return one, other
