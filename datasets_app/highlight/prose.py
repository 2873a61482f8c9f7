"""A trace's segments as numbered lines: prose with its code words and links into the kernel, code highlighted."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from datasets_app.highlight.lexing import cuda_pieces, kernel_pieces, pieces
from datasets_app.highlight.lines import lines_of, numbered
from datasets_app.highlight.markup import Html, safe
from datasets_app.highlight.outline import Entry
from datasets_app.trace import Kind, Segment

CPP = {"cpp", "c++", "cuda", "cu", "c", "cc", "hpp", "h"}
DEFINING = {"class", "def", "kernel", "device", "host"}
TOO_COMMON = {"forward", "backward", "__init__", "main", "get_inputs", "get_init_inputs"}
SHORTEST_NAME = 4
MOST_NAMES = 300


@dataclass(frozen=True)
class ShownSegment:
    segment: Segment
    number: int
    html: Html


def definitions(entries: Iterable[Entry]) -> dict[str, int]:
    """Names worth a link, with the line that defines them; the first definition counts."""
    found: dict[str, int] = {}
    for entry in entries:
        if entry.kind in DEFINING and entry.name not in TOO_COMMON and len(entry.name) >= SHORTEST_NAME:
            found.setdefault(entry.name, entry.line)
    return dict(list(found.items())[:MOST_NAMES])


def shown_segments(text: str, parts: list[Segment], names: Mapping[str, int]) -> list[ShownSegment]:
    """`names`: what the kernel defines, by line."""
    inside = inside_pattern(names)
    return [
        ShownSegment(part, number, segment_html(text, part, names, inside))
        for number, part in enumerate(parts, 1)
    ]


def inside_pattern(names: Mapping[str, int]) -> re.Pattern[str]:
    """What is more than text inside prose: `code` in backticks, and the kernel's own names."""
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"`[^`\n]{{1,200}}`|(?<!\w)(?:{known})(?!\w)" if known else r"`[^`\n]{1,200}`")


def segment_html(text: str, part: Segment, names: Mapping[str, int], inside: re.Pattern[str]) -> Html:
    body = text[part.start : part.end].rstrip("\n")
    code = part.kind == Kind.CODE
    lines = code_lines(body) if code else [prose_line(line, names, inside) for line in body.split("\n")]
    starts_line = part.start == 0 or text[part.start - 1] == "\n"
    return Html(
        "".join(line_html(line, part.first_line + at, at or starts_line) for at, line in enumerate(lines))
    )


def line_html(html: str, number: int, starts_line: int | bool) -> str:
    """A line that began in the segment before has its number there."""
    return numbered("trace", number, html) if starts_line else f'<span class="l is-rest">{html}\n</span>'


def code_lines(body: str) -> Iterable[str]:
    """A fenced block: the fences as comments, what is between them by its language."""
    opening, _, rest = body.partition("\n")
    inner, newline, closing = rest.rpartition("\n")
    if not closing.strip().startswith(("```", "~~~")):
        inner, newline, closing = rest, "", ""
    language = opening.strip(" \t`~").lower()
    lexed = cuda_pieces(inner) if language in CPP else kernel_pieces(inner) if language else pieces(inner)
    return lines_of([("c", opening), *([("", "\n")] if rest else []), *lexed, ("", newline), ("c", closing)])


def prose_line(line: str, names: Mapping[str, int], inside: re.Pattern[str]) -> str:
    parts, at = [], 0
    for match in inside.finditer(line):
        parts.append(safe(line[at : match.start()]))
        parts.append(inside_html(match[0], names))
        at = match.end()
    parts.append(safe(line[at:]))
    return "".join(parts)


def inside_html(text: str, names: Mapping[str, int]) -> str:
    bare = text.strip("`").removesuffix("()")
    shown = f"<code>{safe(text.strip('`'))}</code>" if text.startswith("`") else safe(text)
    if bare not in names:
        return shown
    return f'<a class="to-line" href="#kernel-L{names[bare]}">{shown}</a>'
