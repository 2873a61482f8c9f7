"""Renders a trace's segments as numbered lines: prose with its claims, code words and links into the code; code
highlighted.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from datasets_app.browse.highlight.lexing import cuda_pieces, kernel_pieces, pieces
from datasets_app.browse.highlight.lines import bounded, lines_of, numbered
from datasets_app.browse.highlight.markup import Html, plain, safe
from datasets_app.traces.segments import FENCES, Kind, Segment

CPP = {"cpp", "c++", "cuda", "cu", "c", "cc", "hpp", "h"}
C_LINE = re.compile(r"[;{}]\s*(?://.*)?$|^\s*//", re.MULTILINE)
# A word of prose counts as an identifier if it is written like one: a_b, aB, a1. `row` alone is a word.
LIKE_CODE = r"(?=__|\w*?(?:\w_\w|[a-z][A-Z]|[A-Za-z]\d))"
CODE_WORD = re.compile(rf"`[^`\n]{{1,200}}`|(?<!\w){LIKE_CODE}[A-Za-z_]\w{{2,}}(?!\w)")


@dataclass(frozen=True)
class ShownSegment:
    segment: Segment
    number: int
    html: Html


@dataclass(frozen=True)
class Names:
    """Identifiers of the kernel and of the program, with the line that defines each."""

    kernel: Mapping[str, int]
    program: Mapping[str, int]

    def link(self, name: str, shown: str) -> str:
        """Return `shown` as a link to the line that defines the name; unchanged if there is none."""
        places = [(pane, lines[name]) for pane, lines in self.panes if name in lines]
        if not places:
            return shown
        (pane, line), *others = places
        also = f' data-also="{others[0][0]}-L{others[0][1]}"' if others else ""
        return f'<a class="to-line" href="#{pane}-L{line}"{also}>{shown}</a>'

    @property
    def panes(self) -> list[tuple[str, Mapping[str, int]]]:
        return [("kernel", self.kernel), ("program", self.program)]


@dataclass(frozen=True)
class Mark:
    """A claim in the text, by character positions, with its number in the list and its verdict."""

    start: int
    end: int
    number: int
    verdict: str  # confirmed, contradicted, unknown


def shown_segments(
    text: str,
    parts: Sequence[Segment],
    names: Names,
    marks: Sequence[Mark] = (),
    *,
    first: int = 1,
    coloured: bool = True,
) -> Iterator[ShownSegment]:
    """Yield segments from number `first` on. `marks` are in the order of the text, do not overlap, and each is within
    one line."""
    waiting = list(reversed(marks))
    for number, part in enumerate(parts[first - 1 :], first):
        inside = []
        while waiting and waiting[-1].start < part.end:
            mark = waiting.pop()
            if mark.start >= part.start:
                inside.append(mark)
        yield ShownSegment(part, number, segment_html(text, part, names, inside, coloured))


def segment_html(text: str, part: Segment, names: Names, marks: list[Mark], coloured: bool) -> Html:
    body = text[part.start : part.end].rstrip("\n")
    raw = body.split("\n")
    if not coloured:
        lines: Iterable[str] = map(plain, raw)
    elif part.kind == Kind.CODE:
        lines = bounded(code_lines(body), raw)
    else:
        lines = bounded(prose_lines(body, part.start, names, marks), raw)
    starts_line = part.start == 0 or text[part.start - 1] == "\n"
    return Html(
        "".join(line_html(line, part.first_line + at, at or starts_line) for at, line in enumerate(lines))
    )


def line_html(html: str, number: int, starts_line: int | bool) -> str:
    """Return a line; one that began in the segment before has its number there."""
    return numbered("trace", number, html) if starts_line else f'<span class="l is-rest">{html}\n</span>'


def code_lines(body: str) -> Iterable[str]:
    """Render a code block: fences as comments, the content by its language; without fences that is guessed."""
    if not body.lstrip().startswith(FENCES):
        return lines_of(cuda_pieces(body) if C_LINE.search(body) else kernel_pieces(body))
    opening, _, rest = body.partition("\n")
    inner, newline, closing = rest.rpartition("\n")
    if not closing.strip().startswith(FENCES):
        inner, newline, closing = rest, "", ""
    language = opening.strip(" \t`~").lower()
    lexed = cuda_pieces(inner) if language in CPP else kernel_pieces(inner) if language else pieces(inner)
    return lines_of([("c", opening), *([("", "\n")] if rest else []), *lexed, ("", newline), ("c", closing)])


def prose_lines(body: str, start: int, names: Names, marks: list[Mark]) -> Iterable[str]:
    waiting = list(reversed(marks))
    for line in body.split("\n"):
        inside = []
        while waiting and waiting[-1].start < start + len(line):
            inside.append(waiting.pop())
        yield marked_line(line, start, names, inside) if inside else prose_line(line, names)
        start += len(line) + 1


def marked_line(line: str, start: int, names: Names, marks: list[Mark]) -> str:
    parts, at = [], 0
    for mark in marks:
        first, last = mark.start - start, min(mark.end - start, len(line))
        quoted = line[max(first - 1, 0) : first] == "`" == line[last : last + 1]
        first, last = (first - 1, last + 1) if quoted else (first, last)
        parts.append(prose_line(line[at:first], names))
        parts.append(claim_html(mark, line[first:last]))
        at = last
    parts.append(prose_line(line[at:], names))
    return "".join(parts)


def claim_html(mark: Mark, text: str) -> str:
    shown = f"<code>{safe(text.strip('`'))}</code>" if text.startswith("`") else safe(text)
    return (
        f'<a class="claim is-{mark.verdict}" id="claim-at-{mark.number}" href="#claim-{mark.number}"'
        f' aria-describedby="claim-why-{mark.number}">{shown}</a>'
    )


def prose_line(line: str, names: Names) -> str:
    parts, at = [], 0
    for match in CODE_WORD.finditer(line):
        parts.append(safe(line[at : match.start()]))
        parts.append(word_html(match[0], names))
        at = match.end()
    parts.append(safe(line[at:]))
    return "".join(parts)


def word_html(text: str, names: Names) -> str:
    if text.startswith("`"):
        bare = text.strip("`").removesuffix("()")
        return names.link(bare, f"<code>{safe(text.strip('`'))}</code>")
    return names.link(text, safe(text))
