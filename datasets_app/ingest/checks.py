"""What a triple must be before it goes in. One rule for every format.

- The reference program must parse and define a Model: without that there is no task.
- A kernel program must define ModelNew. One that does not parse but names ModelNew goes in: it is what its
  generator wrote, and the engine will say load_error, which is a result. A text that names no ModelNew at all
  is in the wrong column, and is refused, unless its source publishes a claim for it (SamplePart.claim_stands_alone).
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from dataclasses import dataclass

from datasets_app.ingest.rows import Row, RowError, SamplePart
from datasets_app.programs import Analysis, Outline, analyse, outline

REMEMBERED = 4096
CLASS_MODEL_NEW = re.compile(r"^class\s+ModelNew\b", re.MULTILINE)


@dataclass(frozen=True)
class Examined:
    outline: Outline
    analysis: Analysis


_examined: OrderedDict[bytes, Examined] = OrderedDict()


def examine(program: str) -> Examined:
    """Outline and operators of a reference program; remembered, because many samples share a task."""
    key = hashlib.blake2b(program.encode(errors="surrogatepass"), digest_size=16).digest()
    if key not in _examined:
        _examined[key] = Examined(outline(program), analyse(program))
        if len(_examined) > REMEMBERED:
            _examined.popitem(last=False)
    return _examined[key]


def check(row: Row, program_field: str, kernel_field: str) -> None:
    """Raises RowError where a row's programs are not what a triple needs."""
    for task in row.tasks:
        check_program(task.program, program_field)
    if row.sample:
        check_kernel(row.sample, kernel_field)


def check_program(program: str, field: str) -> None:
    found = examine(program).outline
    if found.syntax_error:
        raise RowError(field, f"does not parse: {found.syntax_error}", program)
    if not found.defines("Model"):
        raise RowError(field, "defines no class Model, so it is no task", program)


def check_kernel(sample: SamplePart, field: str) -> None:
    if sample.claim_stands_alone or CLASS_MODEL_NEW.search(sample.kernel):
        return
    found = outline(sample.kernel)
    if not (found.defines("ModelNew") or (found.syntax_error and "ModelNew" in sample.kernel)):
        raise RowError(field, "defines no class ModelNew, so it is no candidate", sample.kernel)
