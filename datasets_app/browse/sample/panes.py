"""The three panes of a sample, for its pages: read in a child process, or plain if that fails."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings

from datasets_app.bounded import AnalysisError, analysed, analysed_ahead
from datasets_app.browse.panes import read
from datasets_app.browse.panes.code_pane import CodePane, code_part, plain_part
from datasets_app.browse.panes.parts import Part
from datasets_app.browse.panes.read import At, Panes, Texts
from datasets_app.browse.panes.trace_pane import TracePane, plain_trace_pane
from datasets_app.models import Sample
from datasets_app.traces.claims import Measured, measured

READ_SECONDS, COLOUR_SECONDS = 0.8, 0.4  # in total, the longest that a page waits
READING_SECONDS = 1.0


def panes_ahead(sample: Sample, at: At = At()) -> Callable[[], Panes]:  # noqa: B008  an immutable value
    """Start to read the panes and return a function that waits for them; the sample comes with its bodies. One query,
    for what was measured.
    """
    texts = texts_of(sample)
    facts = measured(sample) if sample.has_trace and sample.outcome else Measured()
    result = analysed_ahead(read.read_panes, texts, at, facts, settings.TOKENIZER, seconds=READ_SECONDS)

    def panes() -> Panes:
        try:
            return result()
        except AnalysisError as error:
            return coloured(texts, at, str(error))

    return panes


def reading(sample: Sample) -> Panes:
    """Return what the page of a long kernel loads later: its outline, the claims, the trace's links."""
    texts = texts_of(sample)
    facts = measured(sample) if sample.has_trace and sample.outcome else Measured()
    at = At(kernel=1)
    try:
        return analysed(read.read_panes, texts, at, facts, settings.TOKENIZER, False, seconds=READING_SECONDS)
    except AnalysisError as error:
        return coloured(texts, at, str(error))


def coloured(texts: Texts, at: At, why: str) -> Panes:
    try:
        return read.failed(analysed(read.coloured_panes, texts, at, seconds=COLOUR_SECONDS), why)
    except AnalysisError:
        return read.failed(read.plain_panes(texts, at), why)


def texts_of(sample: Sample) -> Texts:
    trace = sample.body.reasoning if sample.has_trace else None
    return Texts(sample.task.body.pytorch_code, trace, sample.body.kernel_code)


def program_pane_ahead(source: str, line: int) -> Callable[[], CodePane]:
    """Start to read the pane of a task's program, from `line` on, and return a function that waits for it."""
    result = analysed_ahead(read.read_program, source, line, seconds=READ_SECONDS)

    def pane() -> CodePane:
        try:
            return result()
        except AnalysisError as error:
            plain = read.plain_panes(Texts(source, None, ""), At(program=line))
            return read.failed(plain, str(error)).program

    return pane


def part(sample: Sample, name: str, line: int) -> Part:
    """Return the part of the program or the kernel that contains `line`."""
    texts = texts_of(sample)
    source = texts.program if name == "program" else texts.kernel
    try:
        return analysed(code_part, name, source, line, seconds=READ_SECONDS)
    except AnalysisError:
        return plain_part(name, source, line)


def trace_window(sample: Sample, segment: int) -> TracePane:
    """Return the window of the trace that begins with a segment."""
    texts = texts_of(sample)
    facts = measured(sample) if sample.outcome else Measured()
    try:
        pane = analysed(read.read_trace, texts, segment, facts, settings.TOKENIZER, seconds=READ_SECONDS)
    except AnalysisError as error:
        pane = plain_trace_pane(texts.trace or "", segment, str(error))
    return pane
