"""Findings as notes at the lines of the kernel that they speak of, for the pane that shows the kernel.

A finding names its place by a line ("line 42", "lines 40 to 52"), by a symbol that it quotes, or by the name of
a function that the kernel defines. A compiler's message is placed by the source line that it quotes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import prefetch_related_objects
from django.urls import reverse

from datasets_app.models import Sample
from eval_app.history import rows_of
from eval_app.models import Finding, Verification
from eval_app.newest import newest

LINE = re.compile(r"\blines?\s+(\d+)(?:\s*(?:-|–|to|and)\s*(\d+))?", re.IGNORECASE)
QUOTED = re.compile(r"[`'\"‘“]([^\W\d][\w:.]{2,79})(?:\(\))?[`'\"’”]")
NAME = re.compile(r"\b[A-Za-z]\w*_\w+\b")
DEFINITION = r"\b(?:def|class|struct|void|__global__.*)\s+{}\b"
MESSAGE = re.compile(r"\b(?:error|warning)\b\s*(?:#\S+)?\s*:\s*(.+)")
MARGIN = re.compile(r"^\s*\d+\s*\|\s?")  # gcc and clang put the number of the line before it
MOST_LINES = 3  # a symbol that stands on more lines places nothing
SHORTEST_QUOTE = 6
MOST_MESSAGES = 20


@dataclass(frozen=True)
class Note:
    """What stands beside `line` (and, where it speaks of several, up to `last_line`); lines count from 1."""

    line: int
    last_line: int
    code: str
    severity: str
    detail: str
    url: str  # of the verification that noticed it


def notes(findings: Iterable[Finding], kernel: str, build_log: str = "") -> dict[int, list[Note]]:
    """Line to the notes at it. A finding that names no place that the kernel has gets no note."""
    lines = kernel.split("\n")
    found: dict[int, list[Note]] = {}
    for finding in findings:
        url = reverse("verification", args=[finding.verification_id])
        for first, last in places(finding.detail, lines):
            note = Note(first, last, finding.code, finding.severity, finding.detail, url)
            found.setdefault(first, []).append(note)
    for line, text in messages(build_log, lines):
        found.setdefault(line, []).append(Note(line, line, "compiler", "reject", text, ""))
    return found


def places(text: str, lines: list[str]) -> list[tuple[int, int]]:
    """First and last line of each place that the text names: by number, else by the symbols that it quotes."""
    return numbered(text, len(lines)) or [(line, line) for line in mentioned(text, lines)]


def numbered(text: str, count: int) -> list[tuple[int, int]]:
    pairs = [(int(match[1]), int(match[2] or match[1])) for match in LINE.finditer(text[:4000])]
    return list(dict.fromkeys(pair for pair in pairs if 1 <= pair[0] <= pair[1] <= count))


def mentioned(text: str, lines: list[str]) -> list[int]:
    """Lines of the first symbol of the text that stands on few: quoted ones anywhere, others where they are defined."""
    quoted = [rf"(?<![\w.]){re.escape(symbol)}(?!\w)" for symbol in QUOTED.findall(text)]
    named = [DEFINITION.format(re.escape(name)) for name in NAME.findall(text)]
    for pattern in dict.fromkeys([*quoted, *named]):
        word = re.compile(pattern)
        on = [number for number, line in enumerate(lines, 1) if word.search(line)]
        if 0 < len(on) <= MOST_LINES:
            return on
    return []


def messages(log: str, lines: list[str]) -> Iterator[tuple[int, str]]:
    """(line, message) of what a compiler said, where the source that it quotes stands once in the kernel."""
    only = single_lines(lines)
    said = log.split("\n")
    placed = 0
    for at, text in enumerate(said):
        match = MESSAGE.search(text)
        if match is None or placed == MOST_MESSAGES:
            continue
        quotes = (MARGIN.sub("", quote).strip() for quote in said[at + 1 : at + 3])
        line = next((only[quote] for quote in quotes if len(quote) >= SHORTEST_QUOTE and quote in only), 0)
        if line:
            placed += 1
            yield line, match[1].strip()[:400]


def single_lines(lines: list[str]) -> dict[str, int]:
    """Text of a line to its number, for texts that stand once."""
    texts = [line.strip() for line in lines]
    often = Counter(texts)
    return {text: number for number, text in enumerate(texts, 1) if often[text] == 1}


def notes_of_sample(sample: Sample) -> dict[int, list[Note]]:
    """The notes of a sample's newest verdict; the sample comes with its body. One query beside those of its history,
    and one more where the build failed."""
    row = newest(rows_of(sample))
    if row is None:
        return {}
    prefetch_related_objects([row], "findings")  # the evidence beside the kernel asks for them, too
    log = build_log(row) if row.outcome == "build_error" else ""
    return notes(row.findings.all(), sample.body.kernel_code, log)


def build_log(row: Verification) -> str:
    stored = getattr(row, "report", None)
    said = ((stored.report.get("build") or {}).get("log") or "") if stored else ""
    return f"{row.detail}\n{said}"
