"""Infers a program's classes, operators, kind and language from its text.

Operators are read from the syntax tree: torch.nn modules that are created, functions of torch and torch.nn.functional
that are called, tensor methods, and tensor arithmetic. Code that makes inputs or only changes shapes is not counted.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from datasets_app.syntax.calls import dotted, makers
from datasets_app.syntax.operators import NOT_OPERATORS, TENSOR_METHODS, kind_of, module_operator
from datasets_app.syntax.task_kinds import TaskKind

ARITHMETIC: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "div",
    ast.Mod: "remainder",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
}
SCALAR_METHODS = {"size", "dim", "numel", "item", "stride", "tolist", "data_ptr"}
SCALAR_ATTRIBUTES = {"shape", "dtype", "device", "ndim", "itemsize"}
MOST_OPERATORS = 200  # stored per program: real ones have some tens
TORCH_ROOTS = {"torch", "F", "nn", "functional"}
# The fields of a statement that hold lists of statements.
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class Analysis:
    """The operators and kind of a reference program."""

    operators: tuple[str, ...]  # distinct, sorted, at most MOST_OPERATORS
    kind: TaskKind


NOT_ANALYSED = Analysis((), TaskKind.OTHER)


@dataclass(frozen=True)
class Definition:
    """The result of looking for a name in a program: found or not, or why the program does not parse."""

    is_there: bool
    syntax_error: str = ""


@dataclass(frozen=True)
class Examined:
    """The analysis of a reference program that an ingest needs: small, however long the program is."""

    model: Definition
    analysis: Analysis


def examine(program: str) -> Examined:
    return Examined(definition(program, "Model"), analyse(program))


def examine_all(*some: str) -> tuple[Examined, ...]:
    return tuple(map(examine, some))


def parse(program: str) -> ast.Module:
    """Return the tree. Raises SyntaxError, also where Python raises ValueError, RecursionError or MemoryError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(program)
    except ValueError as error:
        raise SyntaxError(str(error)) from error
    except (RecursionError, MemoryError) as error:  # nested too deeply
        raise SyntaxError("too long or too deeply nested to be parsed") from error


@lru_cache(maxsize=1)
def tree_of(program: str) -> ast.Module:
    """Return a cached tree, for callers that only read it."""
    return parse(program)


@lru_cache(maxsize=2)
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return the nodes of ast.walk, cached with the tree."""
    return tuple(ast.walk(tree))


def definition(program: str, name: str) -> Definition:
    """Return whether a class of any depth or a name of the top level is called `name`."""
    try:
        tree = tree_of(program)
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        return Definition(False, f"{error.msg}{where}")
    classes = {node.name for node in statements(tree) if isinstance(node, ast.ClassDef)}
    return Definition(name in classes or name in bound_names(tree.body))


def statements(block: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement at any depth, in the order of the text: a tenth of the nodes of ast.walk."""
    waiting = [block]
    while waiting:
        node = waiting.pop()
        if node is not block:
            yield node
        inside = [statement for name in BLOCKS for statement in getattr(node, name, ())]
        waiting.extend(reversed(inside))


def bound_names(body: list[ast.stmt]) -> Iterator[str]:
    """Return the names that assignments and imports bind; `from x import *` may bind any."""
    for statement in body:
        if isinstance(statement, ast.Assign):
            yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in statement.names)
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            yield from bound_names(statement.body)


def analyse(program: str) -> Analysis:
    """Return operators and kind of a reference program. One that does not parse has none, and is of kind other."""
    try:
        tree = tree_of(program)
    except SyntaxError:
        return NOT_ANALYSED
    try:
        calls = list(OperatorFinder().find(tree))
    except RecursionError:
        return NOT_ANALYSED
    return Analysis(tuple(sorted(set(calls))[:MOST_OPERATORS]), kind_of(calls))


class OperatorFinder(ast.NodeVisitor):
    """Collects one name per call. It tracks which local names hold tensors, to distinguish x + y from n + 1."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.tensors: set[str] = set()
        self.in_forward = False
        self.whole: ast.AST | None = None
        self.makers: set[str] | None = None
        self.sums: dict[ast.BinOp, bool] = {}  # of the statement that is being visited

    def find(self, tree: ast.AST) -> list[str]:
        self.whole = self.whole or tree
        self.visit(tree)
        return self.calls

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt):
            self.sums.clear()
        super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name.startswith("get_"):  # makes inputs, sizes or an upstream gradient
            return
        before = self.tensors, self.in_forward
        parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        self.tensors = {parameter.arg for parameter in parameters if may_be_tensor(parameter)}
        self.in_forward = node.name == "forward" or not self.only_makes(node.name)
        self.generic_visit(node)
        self.tensors, self.in_forward = before

    def only_makes(self, function: str) -> bool:
        """Return whether the function runs while the model is created (its numbers are sizes) and never in the forward
        pass."""
        if function != "__init__" and self.makers is None and self.whole is not None:
            self.makers = makers(self.whole)
        return function == "__init__" or function in (self.makers or ())

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        if self.is_tensor(node.value):
            self.tensors.update(name.id for target in node.targets for name in names_in(target))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        if self.in_forward and (self.is_tensor(node.target) or self.is_tensor(node.value)):
            self.count(ARITHMETIC.get(type(node.op)))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.generic_visit(node)
        # n // size divides two sizes, whatever `size` is.
        counts = isinstance(node.op, ast.FloorDiv | ast.Mod)
        if self.in_forward and self.is_tensor(node.left if counts else node):
            self.count(ARITHMETIC.get(type(node.op)))

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        path = dotted(node.func)
        last = path[-1] if path else getattr(node.func, "attr", "")
        if path and path[0] in TORCH_ROOTS and len(path) > 1:
            self.count(torch_operator(path, last, self.in_forward))
        elif last in ("from_pretrained", "from_config"):
            self.count("pretrained_model")
        elif last[:1].isupper():
            self.count(module_operator(last) if len(path) == 1 else None)
        elif isinstance(node.func, ast.Attribute) and self.in_forward and last in TENSOR_METHODS:
            self.count(last if self.is_tensor(node.func.value) else None)

    def count(self, name: str | None) -> None:
        if name:
            self.calls.append(name.strip("_"))

    def is_tensor(self, node: ast.AST) -> bool:
        """Return whether an expression looks like a tensor rather than a size or a setting."""
        if isinstance(node, ast.Name):
            return node.id in self.tensors
        if isinstance(node, ast.BinOp):
            return self.is_sum_of_tensor(node)
        if isinstance(node, ast.UnaryOp | ast.Starred):
            return self.is_tensor(getattr(node, "operand", None) or node.value)  # type: ignore[union-attr]
        if isinstance(node, ast.Subscript):
            return self.is_tensor(node.value)
        if isinstance(node, ast.Attribute):
            return node.attr not in SCALAR_ATTRIBUTES and self.is_tensor(node.value)
        return isinstance(node, ast.Call) and self.gives_tensor(node)

    def is_sum_of_tensor(self, node: ast.BinOp) -> bool:
        """Return what was found for its parts, which are visited first: sums of sums take linear time."""
        if node not in self.sums:
            self.sums[node] = self.is_tensor(node.left) or self.is_tensor(node.right)
        return self.sums[node]

    def gives_tensor(self, node: ast.Call) -> bool:
        path = dotted(node.func)
        if path and path[0] in TORCH_ROOTS and len(path) > 1:
            return path[-1] not in SCALAR_METHODS
        if path and path[0] == "self":
            return True
        return (
            isinstance(node.func, ast.Attribute)
            and node.func.attr not in SCALAR_METHODS
            and self.is_tensor(node.func.value)
        )


def may_be_tensor(parameter: ast.arg) -> bool:
    """Return whether a parameter may be a tensor: unless it is self, a function, or annotated as something else."""
    if parameter.arg in ("self", "ctx", "fn"):
        return False
    return parameter.annotation is None or "Tensor" in ast.unparse(parameter.annotation)


def names_in(target: ast.AST) -> list[ast.Name]:
    return [node for node in ast.walk(target) if isinstance(node, ast.Name)]


def torch_operator(path: list[str], last: str, in_forward: bool) -> str | None:
    """Return the operator of a call to torch; None for calls that compute nothing of interest."""
    if last[:1].isupper():
        return module_operator(last)
    if "init" in path or last in NOT_OPERATORS or not in_forward:
        return None
    return last


def rename_class(program: str, old: str, new: str) -> str:
    """Return `program` with the name `old` replaced by `new` wherever it is a name (not in text or comments)."""
    # As the tokenizer counts them: str.splitlines also splits at form feeds and at separators of Unicode.
    lines = io.StringIO(program).readlines()
    for token in reversed(name_tokens(program, old)):
        row, column = token.start
        line = lines[row - 1]
        lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "".join(lines)


def name_tokens(program: str, name: str) -> list[tokenize.TokenInfo]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(program).readline))
    except (tokenize.TokenError, SyntaxError):
        return []
    return [token for token in tokens if token.type == tokenize.NAME and token.string == name]
