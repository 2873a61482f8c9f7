"""Listings of SASS, NVIDIA's machine code: as cuobjdump prints them, and as CuAssembler does, with control codes."""

from __future__ import annotations

import re

ENCODING = re.compile(r"(?<![ \t])[ \t]*+/\* 0x[0-9a-f]{16} \*/[ \t]*$", re.MULTILINE)
# Wait mask, read and write barriers, yield flag and stall count, as in [B------:R-:W2:-:S01].
CONTROL = r"\[[B\d-]+:R[\d-]:W[\d-]:[Y-]:S\d+\]"
ADDRESS = re.compile(rf"^([ \t]*(?:{CONTROL}[ \t]*)?)/\*[0-9a-f]{{4,8}}\*/[ \t]*", re.MULTILINE)
CONTROL_CODE = re.compile(rf"^[ \t]*{CONTROL}[ \t]*")
INSTRUCTION = re.compile(
    rf"^[ \t]*(?:{CONTROL}[ \t]*)?/\*[0-9a-f]{{4,8}}\*/[ \t]+(?:@!?U?P\w+[ \t]+)?[A-Z][A-Z0-9_.]+",
    re.MULTILINE,
)
LOOKED_AT_CHARS = 20_000


def is_listing(text: str) -> bool:
    """Return whether the text is a listing: it begins with instructions behind their addresses, and is no C++."""
    beginning = text[:LOOKED_AT_CHARS]
    return (
        bool(INSTRUCTION.search(beginning)) and "#include" not in beginning and "\nimport " not in beginning
    )


def readable(text: str) -> str:
    """Remove the encodings of instructions, and the lines that held nothing else; PTX, which has none, is unchanged."""
    lines, before = ENCODING.sub("", text).split("\n"), text.split("\n")
    kept = [line for line, raw in zip(lines, before, strict=True) if line.strip() or not raw.strip()]
    return "\n".join(kept).strip("\n")


def comparable(text: str) -> str:
    """Remove addresses as well, which change with every instruction before them."""
    return ADDRESS.sub(r"\1", readable(text))


def instruction(line: str) -> str:
    """Return a line of comparable text without its control code and its spacing: two schedules share these."""
    return " ".join(CONTROL_CODE.sub("", line).split())
