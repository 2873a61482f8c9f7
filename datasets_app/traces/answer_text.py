"""Parts of a model's answer as text: the reasoning before it, and its fenced blocks."""

from __future__ import annotations

import re

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*$", re.MULTILINE)
THOUGHT = re.compile(r"\A\s*+(?:<think>)?(.*?)</think>", re.DOTALL)
MODEL_NEW = re.compile(r"^class\s+ModelNew\b", re.MULTILINE)


def split_reasoning(text: str) -> tuple[str, str]:
    """Return reasoning and answer, which `</think>` separates; without one the whole text is the answer."""
    thought = THOUGHT.match(text)
    return (thought[1].strip(), text[thought.end() :]) if thought else ("", text)


def fenced_blocks(text: str) -> tuple[list[str], bool]:
    """Return the closed fenced blocks, and whether a last one is not closed."""
    found, start, fence = [], 0, ""
    for line in FENCE.finditer(text):
        if not fence:
            fence, start = line[1], line.end() + 1
        elif line[1][0] == fence[0] and len(line[1]) >= len(fence) and line[0].strip() == line[1]:
            found.append(text[start : max(start, line.start() - 1)])
            fence = ""
    return found, bool(fence)


def kernels_in(blocks: list[str]) -> list[str]:
    """Return the distinct blocks that define ModelNew."""
    return list(dict.fromkeys(block for block in blocks if MODEL_NEW.search(block)))
