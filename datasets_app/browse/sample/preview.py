"""The preview of a sample over a list: its evidence, and the beginning of its device code and of its trace."""

from __future__ import annotations

import re
from dataclasses import dataclass

from datasets_app.browse.sample.evidence import SampleEvidence, evidence_of
from datasets_app.models import Sample

DEVICE_CODE = re.compile(r"__global__|@triton\.jit")
MOST_LINES, LONGEST_LINE = 28, 160
TRACE_CHARS = 500


@dataclass(frozen=True)
class Preview:
    """`line`: the line of the kernel that `code` begins with."""

    sample: Sample
    evidence: SampleEvidence
    line: int
    code: str
    trace: str


def preview_of(sample: Sample) -> Preview:
    """Return the preview of a sample that was read with its bodies."""
    kernel = sample.body.kernel_code
    found = DEVICE_CODE.search(kernel)
    start = kernel.rfind("\n", 0, found.start()) + 1 if found else 0
    lines = kernel[start : start + MOST_LINES * LONGEST_LINE].split("\n")[:MOST_LINES]
    code = "\n".join(line[:LONGEST_LINE] for line in lines)
    line = kernel.count("\n", 0, start) + 1
    return Preview(sample, evidence_of(sample), line, code, sample.body.reasoning[:TRACE_CHARS])
