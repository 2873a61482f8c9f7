"""CUDA-sensitive regions of a kernel: the parts whose tokens decide whether it is right and fast on a GPU.

CUDA-sensitive instruction tuning (arXiv:2606.16231) weighs such regions more in training. Here tree-sitter finds them
by what they are; a reviewer's notes take their place where there are any.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from tree_sitter import Node

from datasets_app.syntax.kernel.unit import MOST_CHARS, TooHardError, parsed
from datasets_app.syntax.literals import cpp_literals, is_whole_cpp

BUDGET_SECONDS = 0.3  # of processor time, for all texts of one program
MOST_REGIONS = 2_000
MOST_STEPS = 300_000  # nodes visited per text
BUILTINS = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"})
QUALIFIER = re.compile(
    r"__(?:global|device|host|constant|restrict|forceinline|noinline|managed)__|__launch_bounds__\s*\([^()\n]*\)"
)
SYNCHRONISING = re.compile(
    r"__sync(?:threads|warp)\w*|__threadfence\w*|__shfl\w*|__(?:ballot|any|all|activemask|match|reduce)\w*"
    r"|atomic[A-Z]\w*|(?:this_)?(?:grid|block|thread_block|cluster)\.sync|\w*barrier\w*\.(?:wait|arrive)\w*"
)


class Sensitive(StrEnum):
    """What a region is."""

    LAUNCH = "launch"
    INDEXING = "indexing"
    SHARED_MEMORY = "shared memory"
    SYNCHRONISATION = "synchronisation"
    QUALIFIER = "qualifier"
    NOTED = "marked by a note"


# How much more a token of a region counts than one outside: its weight in a trainer's loss is 1 plus this.
EXTRA_WEIGHTS = {
    Sensitive.LAUNCH: 1.0,
    Sensitive.INDEXING: 1.0,
    Sensitive.SHARED_MEMORY: 1.0,
    Sensitive.SYNCHRONISATION: 1.0,
    Sensitive.QUALIFIER: 0.5,
    Sensitive.NOTED: 1.0,
}


@dataclass(frozen=True)
class Region:
    """The characters of the kernel from `start` up to, not including, `end`."""

    start: int
    end: int
    kind: Sensitive


def regions(source: str) -> tuple[Region, ...]:
    """Return the regions of a kernel in the order of the text; they do not overlap. Texts that take too long have
    none."""
    deadline = time.thread_time() + BUDGET_SECONDS
    found: list[Region] = []
    for start, text in cpp_texts(source):
        try:
            found.extend(in_text(text[:MOST_CHARS], start, deadline))
        except TooHardError:
            continue
    return tuple(apart(found))[:MOST_REGIONS]


def cpp_texts(source: str) -> list[tuple[int, str]]:
    """Return the C++ in the source as it is written there, each text with its offset."""
    if is_whole_cpp(source):
        return [(0, source)]
    return [(one.body_start, source[one.body_start : one.body_end]) for one in cpp_literals(source)]


def in_text(text: str, offset: int, deadline: float) -> Iterator[Region]:
    data = text.encode("utf-8", "replace")
    at = offsets(text)
    for node, kind in sensitive_nodes(parsed(data, deadline).root_node):
        yield Region(offset + at(node.start_byte), offset + at(node.end_byte), kind)
    for match in QUALIFIER.finditer(text):
        yield Region(offset + match.start(), offset + match.end(), Sensitive.QUALIFIER)


def offsets(text: str) -> Callable[[int], int]:
    """Return the conversion of byte offsets in the text's UTF-8 to character offsets."""
    if text.isascii():
        return int
    ends = list(accumulate(len(character.encode("utf-8", "replace")) for character in text))
    return lambda byte: bisect_right(ends, byte)


def sensitive_nodes(root: Node) -> Iterator[tuple[Node, Sensitive]]:
    """Yield the outermost nodes that are regions, walking the tree without recursion."""
    cursor = root.walk()
    for _ in range(MOST_STEPS):
        node = cursor.node
        kind = kind_of(node) if node is not None else None
        if node is not None and kind is not None:
            yield node, kind
        if kind is None and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def kind_of(node: Node) -> Sensitive | None:
    """Return what a node is, if a region begins with it; its parts are then not looked at."""
    if node.type == "kernel_call_syntax":
        return Sensitive.LAUNCH
    if node.type in ("declaration", "field_declaration") and has_mark(node, b"__shared__"):
        return Sensitive.SHARED_MEMORY
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
        name = (function.text or b"")[:200].decode("utf-8", "replace") if function is not None else ""
        return Sensitive.SYNCHRONISATION if SYNCHRONISING.fullmatch(name) else None
    if node.type in ("binary_expression", "field_expression", "parenthesized_expression") and is_index(node):
        return Sensitive.INDEXING
    return None


def has_mark(node: Node, mark: bytes) -> bool:
    return any(child.text == mark for child in node.children)


def is_index(node: Node, depth: int = 0) -> bool:
    """Return whether an expression is arithmetic that begins with, or ends in, a built-in of the thread's place."""
    if node.type == "field_expression":
        argument = node.child_by_field_name("argument")
        return argument is not None and (argument.text or b"").decode("utf-8", "replace") in BUILTINS
    if depth > 20 or node.type not in ("binary_expression", "parenthesized_expression"):
        return node.type == "identifier" and (node.text or b"") == b"warpSize"
    return any(is_index(child, depth + 1) for child in node.named_children)


def apart(found: Iterable[Region]) -> Iterator[Region]:
    """Yield the regions in order, without those that begin inside an earlier one."""
    end = -1
    for region in sorted(found, key=lambda region: (region.start, -region.end)):
        if region.start >= end and region.end > region.start:
            yield region
            end = region.end


def weight(found: Sequence[Region], chars: int) -> float:
    """Return the mean weight of a text's characters: 1 outside of regions, more within them; to four places."""
    extra = sum((region.end - region.start) * EXTRA_WEIGHTS[region.kind] for region in found)
    return round(1 + extra / chars, 4) if chars else 1.0
