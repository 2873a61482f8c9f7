"""SASS and PTX as their page shows them: numbered and coloured, or against those of another verification."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from datasets_app.diff import Diff, compare
from datasets_app.highlight.lexing import Piece
from datasets_app.highlight.lines import Block, blocks, lines_of
from eval_app.listing import is_uuid
from eval_app.models import MachineCode, Verification

TOKEN = re.compile(
    r"""(?P<c>//[^\n]*|/\*.*?\*/)
      | (?P<s>"[^"\n]*")
      | (?P<f>^[ \t]*[$.\w]+:(?=\s)|Function\ :\ \S+|(?<=\.entry\s)[\w$]+)
      | (?P<p>(?<![\w%])\.[A-Za-z]\w*(?:\.\w+)*)
      | (?P<v>%\w+(?:\.[xyz])?|\b(?:U?R(?:\d+|Z)|U?P(?:\d|T)|SR_\w+|c\[0x[0-9a-f]+\])(?![\w.]))
      | (?P<n>\b0[xXfFdD][0-9a-fA-F]+\b|(?<![\w.])-?\d+(?:\.\d+)?\b)
      | (?P<k>\b[A-Z][A-Z0-9]+(?:\.[A-Z0-9_]+)*\b|\b[a-z][a-z0-9]*(?:\.[a-z0-9_:]+)+\b|\b(?:ret|exit|bra|call)\b)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
ENCODING = re.compile(r"[ \t]*/\* 0x[0-9a-f]{16} \*/[ \t]*$", re.MULTILINE)
ADDRESS = re.compile(r"^([ \t]*)/\*[0-9a-f]{4,8}\*/[ \t]*", re.MULTILINE)
MANGLED = re.compile(r"_Z(?:L|(?P<nested>NK?))?(?=\d)")
LENGTH = re.compile(r"[1-9]\d*")
FUNCTION = re.compile(r"^\s*(?:Function : (?P<sass>\S+)|(?:\.visible\s+)?\.entry\s+(?P<ptx>[\w$]+))")


def readable(text: str) -> str:
    """Without the words in which the instructions are encoded; PTX, which has none, stays as it is."""
    lines = ENCODING.sub("", text).split("\n")
    kept = [
        line
        for line, before in zip(lines, text.split("\n"), strict=True)
        if line.strip() or not before.strip()
    ]
    return "\n".join(kept).strip("\n")


def comparable(text: str) -> str:
    """Also without addresses, which move with every instruction before them."""
    return ADDRESS.sub(r"\1", readable(text))


def pieces(text: str) -> Iterator[Piece]:
    """The whole text in pieces of one colour each."""
    at = 0
    for match in TOKEN.finditer(text):
        if match.start() > at:
            yield "", text[at : match.start()]
        yield match.lastgroup or "", match[0]
        at = match.end()
    yield "", text[at:]


def unmangled(name: str) -> str:
    """`_Z14softmax_kernelPKfPfii` as softmax_kernel: a function's own name and the scopes around it, as the Itanium
    C++ ABI writes them, without the types; a name that is written in another way stays as it is."""
    found = MANGLED.match(name)
    rest, parts = name[found.end() :] if found else "", []
    while (length := LENGTH.match(rest)) and len(rest) >= (end := length.end() + int(length[0])):
        parts.append(rest[length.end() : end])
        rest = rest[end:] if found and found["nested"] else ""
    return "::".join(part for part in parts if not part.startswith("_GLOBAL__N_")) or name


@dataclass(frozen=True)
class Entry:
    """A kernel in the listing, and the line that it begins on."""

    name: str
    line: int

    @property
    def readable(self) -> str:
        return unmangled(self.name)


@dataclass(frozen=True)
class Page:
    """One listing, or what differs from another's."""

    verification: Verification
    code: MachineCode
    others: list[MachineCode]  # of the same sample, without their texts
    against: MachineCode | None

    @cached_property
    def text(self) -> str:
        return readable(self.code.text)

    @cached_property
    def blocks(self) -> list[Block]:
        return blocks("code", list(lines_of(pieces(self.text))))

    @property
    def digits(self) -> int:
        return len(str(self.line_count))

    @property
    def line_count(self) -> int:
        return self.text.count("\n") + 1

    @cached_property
    def outline(self) -> list[Entry]:
        found = ((number, FUNCTION.match(line)) for number, line in enumerate(self.text.split("\n"), 1))
        return [Entry(match["sass"] or match["ptx"], number) for number, match in found if match]

    @cached_property
    def diff(self) -> Diff | None:
        if self.against is None:
            return None
        return compare(comparable(self.against.text), comparable(self.code.text), ignore_space=True)


def page(verification: Verification, kind: str, against: str = "") -> Page | None:
    """None where this verification has no such listing, or `against` names none; three queries at most."""
    of_sample = MachineCode.objects.filter(kind=kind, verification__sample=verification.sample_id)
    code = of_sample.filter(verification=verification).first()
    other = of_sample.filter(verification=UUID(against)).first() if is_uuid(against) else None
    if code is None or (against and other is None):
        return None
    others = of_sample.exclude(verification=verification).select_related("verification").defer("text")
    return Page(verification, code, list(others.order_by("-verification__created_at")), other)
