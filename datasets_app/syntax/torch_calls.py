"""Finds where a kernel program calls torch: always, on some paths, or not at all although the call is written.

A layer made in `__init__` is often kept for its weights only, and a call of torch is often in an `except`, an unused
helper, or a gradient. Each is inferred from the source; nothing is run.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from datasets_app.syntax.calls import dotted
from datasets_app.syntax.program import OperatorFinder, parse

ALWAYS = "still called through torch"
SOME_PATHS = "called through torch on some paths"
FALLBACK = "called through torch where something else fails"
GRADIENTS = "called through torch for gradients only"
NOTHING_CALLS = "written with torch in code that nothing calls"
WEIGHTS = "a torch module kept for its weights, not called"
HANDED_ON = "a torch module passed on; its callers are unknown"
# In order of certainty. The index of the first five is how far a call is from being made.
HOW = (ALWAYS, SOME_PATHS, FALLBACK, GRADIENTS, NOTHING_CALLS, HANDED_ON, WEIGHTS)
ROOT = "ModelNew"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
ENTRIES = {"forward", "__call__", "__init__"}
# torch.nn.functional has one name for three layers of torch.nn.
ONE_NAME = {
    f"{name}{dimensions}d": name for name in ("batch_norm", "instance_norm") for dimensions in (1, 2, 3)
}

Found = dict[str, dict[str, list[int]]]  # operator -> how -> lines


def torch_calls(program: str) -> Found:
    """Return every operator of torch that the program's Python names; nothing if it does not parse."""
    places: Found = defaultdict(lambda: defaultdict(list))
    try:
        tree = parse(program)
        finder = Finder(Tree(tree))
        finder.find(tree)
    except (SyntaxError, RecursionError):
        return {}
    for name, how, line in finder.mentions:
        places[one_name(name)][how].append(line)
    return places


def one_name(operator: str) -> str:
    return ONE_NAME.get(operator, operator)


class Finder(OperatorFinder):
    """Finds operators with how and on which lines they are called."""

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.tree = tree
        self.at: list[ast.AST] = []
        self.mentions: list[tuple[str, str, int]] = []

    def visit(self, node: ast.AST) -> None:
        self.at.append(node)
        super().visit(node)
        self.at.pop()

    def count(self, name: str | None) -> None:
        super().count(name)
        if name:
            bare = name.strip("_")
            self.mentions.extend((bare, how, line) for how, line in self.tree.places(self.at[-1]))


class Tree:
    """A program's syntax tree with parent links and facts about its functions."""

    def __init__(self, tree: ast.Module) -> None:
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self.classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        self.has_root = any(node.name == ROOT for node in self.classes)
        self.tree = tree
        self.cached: dict[ast.AST, int] = {}
        # For each list of statements: their positions in it, and the first that may leave the function.
        self.blocks: dict[int, tuple[dict[ast.AST, int], int]] = {}

    @cached_property
    def uses(self) -> dict[str, list[ast.AST]]:
        """Return where a name is read: as `name`, or as `something.name`."""
        by_name: dict[str, list[ast.AST]] = defaultdict(list)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                by_name[node.id].append(node)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                by_name[node.attr].append(node)
        return by_name

    def above(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Yield each ancestor with the child on the way to it."""
        while node in self.parents:
            yield self.parents[node], node
            node = self.parents[node]

    def places(self, node: ast.AST) -> Iterator[tuple[str, int]]:
        """Yield how and where `node` is called: a call itself, a layer wherever it is used."""
        line = getattr(node, "lineno", 1)
        if not makes_layer(node) or self.is_called(node):
            yield HOW[self.distance(node)], line
            return
        held = self.held_as(node)
        if held is None:
            yield HANDED_ON, line
            return
        uses = [use for use in self.uses[held] if is_own(use)]
        calls = [use for use in uses if self.is_called(use)]
        yield from ((HOW[self.distance(use)], getattr(use, "lineno", line)) for use in calls)
        if not calls:
            handed = any(not isinstance(self.parents.get(use), ast.Attribute) for use in uses)
            yield HANDED_ON if handed else WEIGHTS, line

    def held_as(self, node: ast.AST) -> str | None:
        """Return the name after `self.` of a layer made in `__init__`, also inside a Sequential."""
        for above, _ in self.above(node):
            if isinstance(above, ast.Assign) and len(above.targets) == 1:
                target = above.targets[0]
                return target.attr if isinstance(target, ast.Attribute) and is_own(target) else None
            if isinstance(above, ast.stmt):
                return None
        return None

    def is_called(self, use: ast.AST) -> bool:
        above = self.parents.get(use)
        if isinstance(above, ast.Attribute) and above.attr == "forward":
            use, above = above, self.parents.get(above)
        return isinstance(above, ast.Call) and above.func is use

    # --- How far a place is from being executed ---

    def distance(self, node: ast.AST) -> int:
        """Return the index in HOW: 0 if the forward pass reaches it for every input."""
        farthest = 0
        for above, child in self.above(node):
            if isinstance(above, FUNCTIONS):
                return max(farthest, self.early_return(above.body, child), self.of_function(above))
            farthest = max(farthest, self.branch(above, child))
        return farthest

    def branch(self, above: ast.AST, child: ast.AST) -> int:
        if isinstance(above, ast.ExceptHandler):
            return 2
        if isinstance(above, ast.If | ast.IfExp) and child is not above.test:
            body = above.body if isinstance(above, ast.If) else []
            return max(1, self.early_return(body, child))
        blocks = [getattr(above, name, None) for name in ("body", "orelse", "finalbody")]
        return max(
            (self.early_return(block, child) for block in blocks if isinstance(block, list)), default=0
        )

    def early_return(self, block: list[ast.stmt], child: ast.AST) -> int:
        """Return 1 if a statement before it in its block may leave the function."""
        if id(block) not in self.blocks:
            leaving = (
                at
                for at, statement in enumerate(block)
                if isinstance(statement, ast.If | ast.Try | ast.With) and returns(statement)
            )
            self.blocks[id(block)] = (
                {statement: at for at, statement in enumerate(block)},
                next(leaving, len(block)),
            )
        places, first_leaving = self.blocks[id(block)]
        return int(places.get(child, 0) > first_leaving)

    def of_function(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
        """Return the same for the nearest place that calls it; cached, and a recursive function counts once."""
        if function not in self.cached:
            self.cached[function] = len(HOW)  # a cycle adds nothing
            self.cached[function] = self.nearest(function)
        return min(self.cached[function], HOW.index(NOTHING_CALLS))

    def nearest(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
        owner = self.parents.get(function)
        around = self.of_class(owner) if isinstance(owner, ast.ClassDef) else 0
        if isinstance(owner, ast.ClassDef) and function.name == "backward":
            return max(around, HOW.index(GRADIENTS))
        if isinstance(owner, ast.ClassDef) and function.name in ENTRIES:
            return around
        inside = set(ast.walk(function))
        sites = [use for use in self.uses[function.name] if use not in inside]
        return max(around, self.closest(sites))

    def of_class(self, owner: ast.ClassDef) -> int:
        if owner.name == ROOT or not self.has_root:
            return 0
        if owner not in self.cached:
            self.cached[owner] = len(HOW)
            inside = set(ast.walk(owner))
            self.cached[owner] = self.closest([use for use in self.uses[owner.name] if use not in inside])
        return min(self.cached[owner], HOW.index(NOTHING_CALLS))

    def closest(self, sites: list[ast.AST]) -> int:
        return min((self.distance(site) for site in sites), default=HOW.index(NOTHING_CALLS))


def returns(statement: ast.AST) -> bool:
    """Return whether it contains a `return` that does not belong to an inner function."""
    if isinstance(statement, ast.Return):
        return True
    if isinstance(statement, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
        return False
    return any(returns(child) for child in ast.iter_child_nodes(statement))


def makes_layer(node: ast.AST) -> bool:
    """Return whether it is torch.nn.Linear(...), not torch.nn.functional.linear(...)."""
    path = dotted(node.func) if isinstance(node, ast.Call) else []
    return bool(path) and path[-1][:1].isupper()


def is_own(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
