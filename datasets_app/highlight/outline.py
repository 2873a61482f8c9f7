"""What a source defines and launches, and on which lines: its jump list."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from datasets_app.highlight.literals import cpp_literals, is_whole_cpp

PYTHON_DEFINITION = re.compile(
    r"^(?P<indent>[ \t]*)(?:async\s+)?(?P<word>class|def)\s+(?P<name>\w+)", re.MULTILINE
)
TRITON_MARK = re.compile(r"@(?:triton\.)?(?:jit|autotune)\b")
TRITON_LAUNCH = re.compile(r"\b(?P<name>\w+)\[(?=[^\]\n]{0,200}(?:grid|lambda|\())[^\]\n]{0,200}\]\(")
CUDA_FUNCTION = re.compile(
    r"(?P<mark>__(?:global|device)__)(?P<between>[^;{}()]{0,300}?(?:__launch_bounds__\s*\([^)]{0,99}\)[^;{}()]{0,99}?)?)"
    r"\b(?P<name>[A-Za-z_]\w*)\s*\("
)
HOST_FUNCTION = re.compile(
    r"^(?!\s*(?:else|return|template|using|typedef|if|for|while|switch|do)\b)[A-Za-z_][\w:<>,&* \t]{0,200}?[\s*&>]"
    r"(?P<name>[A-Za-z_]\w*)\s*\([^;{}]{0,2000}\)\s*(?:const\s*)?\{",
    re.MULTILINE,
)
LAUNCH = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*(?:<[\w\s,:*&]*>)?\s*<<<(?P<shape>[^;]{0,200}?)>>>")
SHARED = re.compile(r"__shared__\s+[^;=]{0,200}?\b(?P<name>[A-Za-z_]\w*)\s*(?:\[|;|=)")

ORDER = ("class", "def", "kernel", "device", "host", "shared", "launch")


@dataclass(frozen=True)
class Entry:
    kind: str  # one of ORDER
    name: str
    line: int
    depth: int = 0


class Places:
    """Line numbers of character positions."""

    def __init__(self, source: str) -> None:
        self.ends = [match.start() for match in re.finditer("\n", source)]

    def line(self, position: int) -> int:
        return bisect_right(self.ends, position - 1) + 1 if position else 1


def outline(source: str) -> list[Entry]:
    """Definitions and launches, in the order of their lines."""
    places = Places(source)
    if is_whole_cpp(source):
        return sorted(cuda_entries(source, 0, len(source), places), key=by_line)
    literals = cpp_literals(source)
    covered = [(literal.start, literal.end) for literal in literals]
    entries = [
        entry
        for literal in literals
        for entry in cuda_entries(source, literal.body_start, literal.body_end, places)
    ]
    entries += [
        entry for at, entry in python_entries(source, places) if not any(a <= at < b for a, b in covered)
    ]
    return sorted(entries, key=by_line)


def by_line(entry: Entry) -> tuple[int, int]:
    return entry.line, ORDER.index(entry.kind)


def python_entries(source: str, places: Places) -> Iterator[tuple[int, Entry]]:
    for match in PYTHON_DEFINITION.finditer(source):
        at = match.start("word")
        above = source[max(0, match.start() - 400) : match.start()].rpartition("\n\n")[2]
        kind = "kernel" if match["word"] == "def" and TRITON_MARK.search(above) else match["word"]
        depth = len(match["indent"].expandtabs(4)) // 4
        yield at, Entry(kind, match["name"], places.line(at), depth)
    for match in TRITON_LAUNCH.finditer(source):
        yield match.start(), Entry("launch", match["name"], places.line(match.start()))


def cuda_entries(source: str, start: int, end: int, places: Places) -> Iterator[Entry]:
    named: set[int] = set()
    for match in CUDA_FUNCTION.finditer(source, start, end):
        kind = "kernel" if "__global__" in match["mark"] + match["between"] else "device"
        named.add(match.start("name"))
        yield Entry(kind, match["name"], places.line(match.start("name")))
    for match in HOST_FUNCTION.finditer(source, start, end):
        if match.start("name") not in named:
            yield Entry("host", match["name"], places.line(match.start("name")))
    for match in SHARED.finditer(source, start, end):
        yield Entry("shared", match["name"], places.line(match.start("name")))
    for match in LAUNCH.finditer(source, start, end):
        yield Entry("launch", match["name"], places.line(match.start("name")))
