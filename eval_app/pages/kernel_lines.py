"""The lines of a kernel that a finding or a compiler's message refers to."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

LINE = re.compile(r"\blines?\s+(\d+)(?:\s*(?:-|–|to|and)\s*(\d+))?", re.IGNORECASE)
QUOTED = re.compile(r"[`'\"‘“]([^\W\d][\w:.]{2,79})(?:\(\))?[`'\"’”]")
NAME = re.compile(r"\b[A-Za-z]\w*_\w+\b")
DEFINITION = r"\b(?:def|class|struct|void|__global__.*)\s+{}\b"
MESSAGE = re.compile(r"\b(?:error|warning)\b\s*(?:#\S+)?\s*:\s*(.+)")
MARGIN = re.compile(r"^\s*\d+\s*\|\s?")  # gcc and clang print the line number first
MOST_LINES = 3  # a symbol on more lines is ignored
SHORTEST_QUOTE = 6
MOST_MESSAGES = 20
MOST_SYMBOLS = 12  # searched per text
MOST_FINDINGS = 100
READ_CHARS, READ_LOG_CHARS = 4_000, 200_000
Place = tuple[int, int]


def located(details: list[str], kernel: str, log: str) -> tuple[list[list[Place]], list[tuple[int, str]]]:
    """Return the places of each finding's detail, and (line, message) of the compiler's messages."""
    lines = kernel.split("\n")
    return [places(detail, lines) for detail in details[:MOST_FINDINGS]], list(messages(log, lines))


def places(text: str, lines: list[str]) -> list[tuple[int, int]]:
    """Return first and last line of each place that the text names, by number, else by the symbols that it quotes."""
    return numbered(text, len(lines)) or [(line, line) for line in mentioned(text, lines)]


def numbered(text: str, count: int) -> list[tuple[int, int]]:
    pairs = [(int(match[1]), int(match[2] or match[1])) for match in LINE.finditer(text[:READ_CHARS])]
    return list(dict.fromkeys(pair for pair in pairs if 1 <= pair[0] <= pair[1] <= count))


def mentioned(text: str, lines: list[str]) -> list[int]:
    """Return the lines of the text's first symbol that occurs on few lines: quoted symbols anywhere, others where they
    are defined."""
    quoted = [rf"(?<![\w.]){re.escape(symbol)}(?!\w)" for symbol in QUOTED.findall(text[:READ_CHARS])]
    named = [DEFINITION.format(re.escape(name)) for name in NAME.findall(text[:READ_CHARS])]
    for pattern in islice(dict.fromkeys([*quoted, *named]), MOST_SYMBOLS):
        word = re.compile(pattern)
        on = [number for number, line in enumerate(lines, 1) if word.search(line)]
        if 0 < len(on) <= MOST_LINES:
            return on
    return []


def messages(log: str, lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield (line, message) for each compiler message whose quoted source occurs once in the kernel."""
    line_of = single_lines(lines)
    log_lines = log[-READ_LOG_CHARS:].split("\n")
    placed = 0
    for at, text in enumerate(log_lines):
        match = MESSAGE.search(text)
        if match is None or placed == MOST_MESSAGES:
            continue
        quotes = (MARGIN.sub("", quote).strip() for quote in log_lines[at + 1 : at + 3])
        line = next(
            (line_of[quote] for quote in quotes if len(quote) >= SHORTEST_QUOTE and quote in line_of), 0
        )
        if line:
            placed += 1
            yield line, match[1].strip()[:400]


def single_lines(lines: list[str]) -> dict[str, int]:
    """Return the line number of each text that occurs once."""
    texts = [line.strip() for line in lines]
    occurrences = Counter(texts)
    return {text: number for number, text in enumerate(texts, 1) if occurrences[text] == 1}
