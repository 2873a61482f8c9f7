"""A program, parsed once for all checks."""

import ast
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from .native import code_of

MAX_EVIDENCE_CHARS = 160
MAX_NODES = 200_000
# No name of a library is longer; a chain of attributes may be.
_MAX_PARTS = 16

_NATIVE = re.compile(
    r"__global__|__device__|#\s*include|\btorch::Tensor\b|\bat::Tensor\b|PYBIND11_MODULE|TORCH_LIBRARY"
)
_CUDA = re.compile(r"__global__|__device__|<<<|\bcuda_runtime\.h\b|\bcudaStream_t\b|\bcublas\w*\(")
LOADERS = {"load_inline", "load"}


@dataclass(frozen=True)
class Label:
    """One observation about a program."""

    code: str
    line: int  # 1 for the first line; 0 for the program as a whole
    evidence: str  # the relevant text, shortened


class Program:
    """A parsed program with the views that the checks need."""

    def __init__(self, source: str, tree: ast.Module) -> None:
        """Store the parsed program. Use `read`, which handles programs that do not parse."""
        # As Python counts them: str.splitlines also splits at form feeds and at separators of Unicode.
        self.lines = io.StringIO(source, newline=None).read().split("\n")
        self.nodes = list(ast.walk(tree))
        self._roots = _import_roots(self.nodes)
        # How many characters of native code are before that of a literal, by its id.
        self.native_starts: dict[int, int] = {}

    @classmethod
    def read(cls, source: str) -> "Program | None":
        """Return the program, or None if Python cannot parse it."""
        try:
            program = cls(source, ast.parse(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return program if len(program.nodes) <= MAX_NODES else None

    def dotted(self, node: ast.AST) -> str:
        """Return the name of an expression with imports resolved: `F.linear` is "torch.nn.functional.linear".

        Names that belong to a value instead of a module begin with a dot; of a long chain, only the end is read.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute) and len(parts) < _MAX_PARTS:
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and (node.id in self._roots or not parts):
            return ".".join([self._roots.get(node.id, node.id), *reversed(parts)])
        owner = [node.id] if isinstance(node, ast.Name) else []
        return ".".join(["", *owner, *reversed(parts)])

    @cached_property
    def calls(self) -> list[tuple[ast.Call, str]]:
        """Return every call with the dotted name of its function; a method of a value begins with a dot."""
        return [(node, self.dotted(node.func)) for node in self.nodes if isinstance(node, ast.Call)]

    def holding(self, wanted: Callable[[ast.AST], bool]) -> set[int]:
        """Return the ids of all nodes that are `wanted` or hold one that is. `nodes` has parents before children."""
        found: set[int] = set()
        for node in reversed(self.nodes):
            if wanted(node) or not found.isdisjoint(map(id, ast.iter_child_nodes(node))):
                found.add(id(node))
        return found

    @cached_property
    def native_texts(self) -> list[tuple[ast.Constant, str]]:
        """Return string literals that hold C++ or CUDA, with comments and literals blanked. Docstrings are
        excluded."""
        prose = {id(node.value) for node in self.nodes if isinstance(node, ast.Expr)}
        literals = [node for node in self.nodes if isinstance(node, ast.Constant) and id(node) not in prose]
        native = [node for node in literals if isinstance(node.value, str) and _NATIVE.search(node.value)]
        ends = accumulate((len(str(node.value)) for node in native), initial=0)
        self.native_starts = dict(zip(map(id, native), ends, strict=False))
        texts = [(node, code_of(str(node.value), self.native_starts[id(node)])) for node in native]
        return [(node, text) for node, text in texts if _NATIVE.search(text)]

    @cached_property
    def loads_extensions(self) -> bool:
        """Return whether the program calls torch's extension loaders."""
        return any(name.startswith("torch.utils.cpp_extension.") or name in LOADERS for _, name in self.calls)

    @cached_property
    def is_cuda(self) -> bool:
        """Return whether the program has CUDA sources: a non-empty `cuda_sources`, or CUDA in its C++ strings."""
        named = (word.value for call, _ in self.calls for word in call.keywords if word.arg == "cuda_sources")
        has_sources = any(not (isinstance(value, ast.Constant) and not value.value) for value in named)
        return has_sources or any(_CUDA.search(text) for _, text in self.native_texts)

    @cached_property
    def triton_kernels(self) -> list[ast.FunctionDef]:
        """Return the functions that Triton compiles."""
        functions = [node for node in self.nodes if isinstance(node, ast.FunctionDef)]
        return [function for function in functions if any(map(self._is_jit, function.decorator_list))]

    def _is_jit(self, decorator: ast.expr) -> bool:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        return self.dotted(target) in {
            "triton.jit",
            "triton.runtime.jit.jit",
            "triton.experimental.gluon.jit",
        }

    def label(self, code: str, node: ast.AST, evidence: str = "") -> Label:
        """Return a label at a node; its evidence is the node's line unless given."""
        number = getattr(node, "lineno", 0)
        text = evidence or (self.lines[number - 1] if 0 < number <= len(self.lines) else "")
        return Label(code, number, _shortened(text))

    def label_inside(self, code: str, node: ast.Constant, before: int, evidence: str) -> Label:
        """Return a label in a string literal, after `before` line breaks of its value.

        Escapes and concatenations move lines. Where the source does not show which one it is, the first is named.
        """
        wanted = str(node.value).split("\n")[before].strip()
        last = min(node.end_lineno or node.lineno, len(self.lines))
        lines = [number for number in range(node.lineno, last + 1) if wanted in self.lines[number - 1]]
        at = node.lineno + before
        number = at if at in lines or len(lines) != 1 else lines[0]
        return Label(code, number if number in lines else node.lineno, _shortened(evidence))


def _shortened(text: str) -> str:
    return " ".join(text.split())[:MAX_EVIDENCE_CHARS]


def _import_roots(nodes: list[ast.AST]) -> dict[str, str]:
    """Return local names of imports with their full names."""
    roots: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                roots[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                roots[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return roots


def calls_to(program: Program, code: str, wanted: Callable[[str], bool]) -> Iterator[Label]:
    """Yield a label for each call whose dotted name is `wanted`."""
    for call, name in program.calls:
        if wanted(name):
            yield program.label(code, call)


def in_native(program: Program, code: str, pattern: re.Pattern[str]) -> Iterator[Label]:
    """Yield a label for each native text in which `pattern` occurs."""
    for node, text in program.native_texts:
        match = pattern.search(text)
        if match:
            start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
            line = text[start : end if end > 0 else len(text)]
            yield program.label_inside(code, node, text.count("\n", 0, start), line)


def assigned_attributes(program: Program) -> Iterator[ast.expr]:
    """Yield every attribute that an assignment sets."""
    for node in program.nodes:
        if isinstance(node, ast.Assign):
            yield from (target for target in node.targets if isinstance(target, ast.Attribute))
        elif isinstance(node, ast.AugAssign | ast.AnnAssign) and isinstance(node.target, ast.Attribute):
            yield node.target
