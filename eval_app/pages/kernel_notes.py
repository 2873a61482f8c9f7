"""Findings as notes at the lines of the kernel that they refer to, for the pane that shows the kernel.

A finding refers to a line ("line 42", "lines 40 to 52"), to a symbol that it quotes, or to the name of a function that
the kernel defines. A compiler's message is placed by the source line that it quotes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import prefetch_related_objects
from django.urls import reverse

from datasets_app.bounded import AnalysisError, analysed
from datasets_app.browse.sample.verifications import rows_of
from datasets_app.models import Finding, Sample, Verification
from eval_app.pages.history import deciding
from eval_app.pages.kernel_lines import located

COMPILER = "compiler"  # the code of a note that is no finding
SECONDS = 0.3  # in addition to the panes' own limit


@dataclass(frozen=True)
class Note:
    """A note at `line`, or at the lines up to `last_line`; lines count from 1."""

    line: int
    last_line: int
    code: str
    severity: str
    detail: str
    url: str  # of the verification


def notes(findings: Iterable[Finding], kernel: str, build_log: str = "") -> dict[int, list[Note]]:
    """Return the notes by line. A finding that refers to no place in the kernel gets no note."""
    rows = list(findings)
    if not rows and not build_log:
        return {}
    try:
        located_at, messages = analysed(
            located, [row.detail for row in rows], kernel, build_log, seconds=SECONDS
        )
    except AnalysisError:
        return {}
    by_line: dict[int, list[Note]] = {}
    for finding, at in zip(rows, located_at, strict=False):
        url = reverse("verification", args=[finding.verification_id])
        for first, last in at:
            note = Note(first, last, finding.code, finding.severity, finding.detail, url)
            by_line.setdefault(first, []).append(note)
    for line, text in dict.fromkeys(
        (at, said) for at, said in messages
    ):  # a second compilation says the same again
        by_line.setdefault(line, []).append(Note(line, line, COMPILER, "reject", text, ""))
    return by_line


def notes_of_sample(sample: Sample) -> dict[int, list[Note]]:
    """Return the notes of a sample's headline evidence; the sample is loaded with its body. One query besides those of
    its history, and one more if the build failed."""
    row = deciding(rows_of(sample))
    if row is None:
        return {}
    prefetch_related_objects([row], "findings")  # used by the evidence on the same page as well
    log = build_log(row) if row.outcome == "build_error" else ""
    return notes(row.findings.all(), sample.body.kernel_code, log)


def line_of_error(row: Verification, error: str) -> int:
    """Return the kernel's line of a compiler's error, whose own number counts in a file that the build wrote; 0 if the
    message quotes no line of the kernel. One query more if the sample is loaded without its body."""
    by_line = notes(row.findings.all(), row.sample.body.kernel_code, build_log(row))
    return next(
        (
            line
            for line, at in by_line.items()
            if any(is_message(note) and note.detail in error for note in at)
        ),
        0,
    )


def is_message(note: Note) -> bool:
    return note.code == COMPILER


def build_log(row: Verification) -> str:
    stored = getattr(row, "report", None)
    log = ((stored.report.get("build") or {}).get("log") or "") if stored else ""
    return f"{row.detail}\n{log}"
