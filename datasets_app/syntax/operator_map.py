"""Maps each operator of a reference program to the code of a kernel program that replaces it, as far as that is
visible.

Signs are searched in order of certainty: the same operator called through torch, a call of ATen from C++, an expression
that computes it, a function or a comment that names it. Calls in a fallback, layers kept for their weights and comments
are shown, but prove nothing by themselves; if there is nothing else, the result says so.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from datasets_app.syntax.kernel import Kernel, read_kernel
from datasets_app.syntax.program import OperatorFinder, parse
from datasets_app.syntax.torch_calls import (
    ALWAYS,
    FALLBACK,
    GRADIENTS,
    HANDED_ON,
    HOW,
    NOTHING_CALLS,
    SOME_PATHS,
    WEIGHTS,
    Found,
    one_name,
    torch_calls,
)

MOST_LINES = 8
MOST_COMMENTS, LONGEST_COMMENT = 5_000, 2_000
MOST_OPERATORS = 200  # per reference
COMMENT = re.compile(
    r"(?://|\#(?!\s*(?:include|define|pragma|if|endif|undef)))([^\n]*)|/\*(.*?)(?:\*/|\Z)", re.DOTALL
)
ZERO = r"0(?:\.0*)?f?"
ONE = r"1(?:\.0*)?f?"
ROOT = rf"\brsqrtf?\s*\(|{ONE}\s*/\s*sqrtf?\s*\(|tl\.(?:math\.)?rsqrt"  # a divisor in normalisations
# Operator -> an expression that computes it, in CUDA C++ or in Triton.
EXPRESSIONS: dict[str, str] = {
    "relu": rf"\b(?:fmaxf?|max|tl\.maximum)\s*\([^;\n]*\b{ZERO}\b|>\s*{ZERO}\s*\?",
    "sigmoid": rf"{ONE}\s*/\s*\(\s*{ONE}\s*\+\s*(?:__)?expf?\s*\(|tl\.sigmoid",
    "silu": rf"\w+\s*/\s*\(\s*{ONE}\s*\+\s*(?:__)?expf?\s*\(|tl\.sigmoid",
    "gelu": r"\berff?\s*\(|0\.0447|tl\.(?:math\.)?erf",
    "tanh": r"\btanhf?\s*\(|tl\.(?:math\.)?tanh",
    "softmax": r"\b(?:__)?expf?\s*\([^;\n]*-[^;\n]*(?:max|top|m_)\w*|tl\.softmax",
    "log_softmax": r"\b(?:__)?logf?\s*\(",
    "exp": r"\b(?:__)?expf?\s*\(|tl\.exp",
    "log": r"\b(?:__)?logf?\s*\(|tl\.log",
    "sqrt": r"\b(?:__f)?r?sqrtf?\w*\s*\(|tl\.sqrt",
    "rsqrt": r"\brsqrtf?\s*\(|tl\.(?:math\.)?rsqrt",
    "abs": r"\bfabsf?\s*\(|tl\.abs",
    "clamp": r"\bf?min\w*\s*\([^;\n]*f?max\w*\s*\(|\bf?max\w*\s*\([^;\n]*f?min\w*\s*\(|tl\.clamp",
    "matmul": r"tl\.dot\s*\(|\bmma_sync\b|\+=\s*\w+\[[^;\n]*\]\s*\*\s*\w+\[|fmaf\s*\([^;\n]*\[",
    "sum": r"tl\.sum\s*\(|__shfl_(?:down|xor)_sync|atomicAdd\s*\(",
    "mean": r"tl\.sum\s*\([^\n]*/|\bsum\w*\s*/\s*\w+|\*\s*inv_\w+",
    "max": r"tl\.max\s*\(|\bfmaxf\s*\(|atomicMax\s*\(",
    "amax": r"tl\.max\s*\(|\bfmaxf\s*\(|atomicMax\s*\(",
    "min": r"tl\.min\s*\(|\bfminf\s*\(|atomicMin\s*\(",
    "cumsum": r"tl\.(?:cumsum|associative_scan)\s*\(|__shfl_up_sync",
    "pow": r"\bpowf?\s*\(",
    "layer_norm": ROOT,
    "batch_norm": ROOT,
    "group_norm": ROOT,
    "instance_norm": ROOT,
    "rms_norm": ROOT,
    "logsumexp": r"\b(?:__)?logf?\s*\(|tl\.log",
}
SAME = {
    "linear": "matmul",
    "bmm": "matmul",
    "mm": "matmul",
    "addmm": "matmul",
    "einsum": "matmul",
}
# Operators of torch that compute the same with other arguments, or under another name.
ALIKE = [
    {"linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "einsum", "mv", "dot"},
    {"max", "amax"},
    {"min", "amin"},
    {"clamp", "clip", "clamp_min", "clamp_max", "hardtanh", "relu6"},
    {"relu", "clamp", "clip", "clamp_min", "maximum", "threshold"},
    {"softmax", "softmin"},
    {"scaled_dot_product_attention", "multi_head_attention"},
]
COMMENT_NAMES = "a comment that names it"
NAME_MENTIONS = "a function whose name mentions it among other words"
NOT_CALLED = "a function named after it that nothing calls"
# Shown for the reader, without telling where the operator is computed.
NO_TELLING = {
    FALLBACK,
    GRADIENTS,
    NOTHING_CALLS,
    HANDED_ON,
    WEIGHTS,
    COMMENT_NAMES,
    NAME_MENTIONS,
    NOT_CALLED,
}
# Words of a function's name that say how something is computed, and not what.
HOW_WORDS = {
    *("kernel", "kernels", "fused", "cuda", "triton", "cpu", "gpu", "device", "host", "global", "shared"),
    *(
        "forward",
        "backward",
        "fwd",
        "bwd",
        "launch",
        "launcher",
        "impl",
        "op",
        "run",
        "compute",
        "apply",
        "my",
    ),
    *("custom", "fast", "naive", "tiled", "tile", "vectorized", "vec", "warp", "block", "row", "rows", "col"),
    *(
        "reduce",
        "reduction",
        "elementwise",
        "inplace",
        "optimized",
        "opt",
        "simple",
        "half",
        "float",
        "double",
    ),
    *("fp", "bf", "f", "v", "x", "k", "n", "t"),
}
NAME_WORD = re.compile(r"\d[dD](?![a-z])|[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Too general to be recognised by an expression: most kernels add and multiply for other reasons, too.
PLAIN = {"add", "sub", "mul", "div"}


@dataclass(frozen=True)
class Sign:
    """A place in the kernel program that computes an operator; `how` says how it was recognised."""

    how: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Mapped:
    """One operator of the reference, with its signs in the kernel."""

    operator: str
    lines: tuple[int, ...]
    signs: tuple[Sign, ...]

    @property
    def is_located(self) -> bool:
        """True if any sign tells where the operator is computed."""
        return bool(self.telling_lines)

    @property
    def telling_lines(self) -> tuple[int, ...]:
        """Return the lines of the kernel program that tell where the operator is computed, in order."""
        return tuple(
            sorted({line for sign in self.signs if sign.how not in NO_TELLING for line in sign.lines})
        )


class LinedFinder(OperatorFinder):
    """Finds operators with the lines that call them."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[ast.AST] = []
        self.lines: dict[str, list[int]] = {}

    def visit(self, node: ast.AST) -> None:
        self.nodes.append(node)
        super().visit(node)
        self.nodes.pop()

    def count(self, name: str | None) -> None:
        super().count(name)
        if name:
            line = next((n.lineno for n in reversed(self.nodes) if hasattr(n, "lineno")), 1)
            self.lines.setdefault(name.strip("_"), []).append(line)


def operator_lines(program: str) -> dict[str, list[int]]:
    """Return each operator's lines in the program's classes and what they call; {} if the program does not parse."""
    finder = LinedFinder()
    try:
        finder.whole = tree = parse(program)
        for node in computing(tree):
            finder.find(node)
    except (SyntaxError, RecursionError):
        return {}
    return finder.lines


def computing(tree: ast.Module) -> list[ast.stmt]:
    """Return classes, and functions that classes use: code that makes inputs is left out."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    named = {name.id for node in classes for name in ast.walk(node) if isinstance(name, ast.Name)}
    called = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in named]
    return [*classes, *called]


def operator_map(reference: str, candidate: str) -> list[Mapped]:
    """Return the reference's operators in the order of their first lines."""
    kernel = read_kernel(candidate)
    still = torch_calls(candidate)
    comments = commented(candidate)
    mapped = [
        Mapped(name, tuple(dict.fromkeys(lines)), signs(name, candidate, kernel, still, comments))
        for name, lines in islice(operator_lines(reference).items(), MOST_OPERATORS)
    ]
    return sorted(mapped, key=lambda row: row.lines[0])


def signs(
    name: str, candidate: str, kernel: Kernel, still: Found, comments: list[tuple[int, str]]
) -> tuple[Sign, ...]:
    word = re.compile(rf"(?<![a-z]){re.escape(name).replace('_', '_?')}(?![a-z])", re.IGNORECASE)
    own = [f for f in kernel.functions if f.kind not in ("class", "def")]
    named = [f for f in own if is_named_after(f.name, name)]
    called = [f.line for f in named if is_called(f.name, candidate)]
    idle = [f.line for f in named if f.line not in called]
    mentions = [f.line for f in own if word.search(f.name) and f not in named]
    signs = [
        *through_torch(name, still),
        Sign("called from C++", on_lines(candidate, aten_call(name), kernel)),
        Sign("an expression that computes it", expressed(name, candidate, kernel)),
        Sign("a function named after it", tuple(called)),
        Sign(NOT_CALLED, tuple(idle)),
        Sign(NAME_MENTIONS, tuple(mentions)),
        Sign(COMMENT_NAMES, tuple(line for line, text in comments if word.search(text))),
    ]
    return tuple(
        Sign(sign.how, tuple(dict.fromkeys(sign.lines))[:MOST_LINES]) for sign in signs if sign.lines
    )


def is_named_after(function: str, operator: str) -> bool:
    """Return whether a function's name is the operator's, apart from words of how it is computed.

    `softmax_rows_kernel` is named after softmax; `silu_gate_add` is named after none of its parts.
    """
    words = [word.lower() for word in NAME_WORD.findall(function)]
    return "".join(word for word in words if word not in HOW_WORDS) == letters(operator) or (
        "".join(words) == letters(operator)
    )


def letters(operator: str) -> str:
    return "".join(NAME_WORD.findall(operator)).lower()


def is_called(function: str, candidate: str) -> bool:
    """Return whether the program calls or launches the function, besides defining it."""
    call = re.compile(rf"\b{re.escape(function)}\s{{0,20}}(?:<[^<>;\n]{{0,200}}>\s{{0,20}})?(?:\(|<<<|\[)")
    return len(list(islice(call.finditer(candidate), 2))) > 1


def through_torch(name: str, still: Found) -> Iterator[Sign]:
    """Yield the operator itself, by how it is called, then others that can compute the same."""
    own = still.get(one_name(name), {})
    yield from (Sign(how, tuple(sorted(own[how]))) for how in HOW if how in own)
    alike = {other for group in ALIKE if name in group for other in group} - {name}
    for other in sorted(alike & set(still)):
        lines = [line for how in (ALWAYS, SOME_PATHS) for line in still[other].get(how, ())]
        yield Sign(f"torch's {other}, which can do the same", tuple(sorted(lines)))


def aten_call(name: str) -> str:
    return rf"\b(?:torch|at)::{re.escape(name)}_?\b|\.{re.escape(name)}_?\("


def expressed(name: str, candidate: str, kernel: Kernel) -> tuple[int, ...]:
    pattern = EXPRESSIONS.get(SAME.get(name, one_name(name)))
    return on_lines(candidate, pattern, kernel) if pattern and name not in PLAIN else ()


def on_lines(candidate: str, pattern: str, kernel: Kernel) -> tuple[int, ...]:
    """Return lines of the program's own C++ functions and Triton kernels that match."""
    own = [(f.line, f.end_line) for f in kernel.functions if f.kind in ("kernel", "device", "host")]
    rows = candidate.split("\n")
    wanted = re.compile(pattern)
    lines = sorted({line for first, last in own for line in range(first, min(last, len(rows)) + 1)})
    return tuple(line for line in lines if wanted.search(rows[line - 1].split("//")[0]))


def commented(source: str) -> list[tuple[int, str]]:
    """Return line and text of each comment."""
    comments, line, at = [], 1, 0
    for match in islice(COMMENT.finditer(source[:200_000]), MOST_COMMENTS):
        line, at = line + source.count("\n", at, match.start()), match.start()
        comments.append((line, (match[1] or match[2] or "")[:LONGEST_COMMENT]))
    return comments
