"""The checks that a sample must pass to be stored, in every format.

- The reference program must parse and define a Model; otherwise there is no task.
- A task whose source publishes no program in our form is stored if its reader says so (TaskPart.without_model).
- A kernel program must define ModelNew. One that does not parse but names ModelNew is stored: it is what its generator
  wrote, and the engine will report load_error, which is a result. A text that does not name ModelNew is in the wrong
  column and is refused, unless its source publishes a claim for it (SamplePart.claim_stands_alone), or publishes
  kernels in a form that is no candidate (SamplePart.is_program).
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from datasets_app.bounded import AnalysisError, analysed
from datasets_app.ingest.rows import IngestError, Row, RowError, SamplePart, TaskPart
from datasets_app.syntax import program as programs
from datasets_app.syntax.program import Examined

REMEMBERED = 4096
SECONDS, PATIENCE_SECONDS = 10.0, 60.0  # per program, after waiting for a process
BUSY = (
    "The programs of this file could not be analysed, as no process for it was free or could be started. "
    "The rows before were stored; ingest the file again when the machine is less busy."
)
T = TypeVar("T")
CLASS_MODEL_NEW = re.compile(r"class(?<=^class)\s+ModelNew\b", re.MULTILINE)  # begins with a text to look for


_examined: OrderedDict[bytes, Examined] = OrderedDict()


def checked(row: Row, program_field: str, kernel_field: str) -> Row:
    """Return the row with the analysis of its programs. Raises RowError if a program does not qualify, IngestError if
    no program can be analysed at present."""
    first, *more = (checked_task(task, program_field) for task in row.tasks)
    if row.sample:
        check_kernel(row.sample, kernel_field)
    return replace(row, task=first, more_tasks=tuple(more))


def checked_task(task: TaskPart, field: str) -> TaskPart:
    try:
        examined = examine(task.program)
    except AnalysisError as error:
        raise RowError(field, f"cannot be read. {error}", task.program) from error
    if task.without_model:
        return replace(task, analysis=examined.analysis)
    if examined.model.syntax_error:
        raise RowError(field, f"does not parse: {examined.model.syntax_error}", task.program)
    if not examined.model.is_there:
        raise RowError(field, "defines no class Model, so it is no task", task.program)
    return replace(task, analysis=examined.analysis)


def check_kernel(sample: SamplePart, field: str) -> None:
    if sample.claim_stands_alone or not sample.is_program or CLASS_MODEL_NEW.search(sample.kernel):
        return
    try:
        definition = answered(programs.definition, sample.kernel, "ModelNew")
    except AnalysisError as error:
        if "ModelNew" in sample.kernel:
            return  # like one that does not parse: the engine will report it
        raise RowError(field, f"cannot be read. {error}", sample.kernel) from error
    if not (definition.is_there or (definition.syntax_error and "ModelNew" in sample.kernel)):
        raise RowError(field, "defines no class ModelNew, so it is no candidate", sample.kernel)


def examine(program: str) -> Examined:
    """Return what a reference program defines and calls; cached, because many samples share a task.

    Raises AnalysisError for one that takes too long."""
    key = key_of(program)
    examined = _examined.get(key)
    if examined is None:
        examined = _examined[key] = answered(programs.examine, program)
        forget_oldest()
    return examined


def examine_ahead(some: Iterable[str]) -> None:
    """Analyse those of the programs that are not cached in one call: one per program takes four times as long, and
    longer on a busy machine. If one of them cannot be analysed, do nothing: `examine` finds out which.

    Raises IngestError if no program can be analysed at present."""
    forget_oldest()
    new = {key: program for program in some if (key := key_of(program)) not in _examined}
    if len(new) > 1:
        with suppress(AnalysisError):
            _examined.update(zip(new, answered(programs.examine_all, *new.values()), strict=True))


def key_of(program: str) -> bytes:
    return hashlib.blake2b(program.encode(errors="surrogatepass"), digest_size=16).digest()


def forget_oldest() -> None:
    while len(_examined) > REMEMBERED:
        _examined.popitem(last=False)


def answered(function: Callable[..., T], *arguments: str) -> T:
    """Return the result of an analysis. Raises AnalysisError if the text is the cause, else IngestError: no row is
    refused because the machine was busy."""
    try:
        return analysed(function, *arguments, seconds=SECONDS, patience=PATIENCE_SECONDS, cached=False)
    except AnalysisError as error:
        if error.is_of_the_text:
            raise
        raise IngestError(BUSY) from error
