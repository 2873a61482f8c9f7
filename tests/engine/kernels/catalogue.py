"""The kernels that the engine is measured against: one a file, in honest/, cheats/ and broken/.

A file is a docstring that explains it, the constants TASK, DEVICE and EXPECT, and then the program. The candidate gets
the program alone: the docstring and the constants are cut out by their place in the syntax tree, so that no candidate
can read what is expected of it.
"""

import ast
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
GROUPS = ("honest", "cheats", "broken")
CONSTANTS = ("TASK", "DEVICE", "EXPECT")


@dataclass(frozen=True)
class Expectation:
    """What the engine must say."""

    outcomes: frozenset[str]  # any one of them
    findings: frozenset[str]  # all of them
    max_speedup: float | None = None  # a larger one that is reported as passed is a fooled clock


@dataclass(frozen=True)
class TestKernel:
    """One candidate with its task."""

    __test__ = False  # pytest: this is no test class

    name: str
    group: str  # "honest", "cheats" or "broken"
    task: str
    task_source: str
    source: str
    device: str  # "cpu", "cuda" or "any"
    expect: Expectation
    explanation: str  # the docstring

    def runs_on(self, device: str) -> bool:
        """Whether it makes sense on "cpu" or "cuda"."""
        return self.device in ("any", device)


def load_all() -> list[TestKernel]:
    """Every kernel, by group and name."""
    return [load(path) for group in GROUPS for path in sorted((FOLDER / group).glob("*.py"))]


def load(path: Path) -> TestKernel:
    """One kernel file. Raises ValueError where a constant is missing or of a wrong form."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    values = {name: _constant(tree, name, path) for name in CONSTANTS}
    expect = values["EXPECT"]
    return TestKernel(
        name=path.stem,
        group=path.parent.name,
        task=values["TASK"],
        task_source=(FOLDER / "tasks" / f"{values['TASK']}.py").read_text("utf-8"),
        source=_program(text, tree),
        device=values["DEVICE"],
        expect=Expectation(
            frozenset(expect["outcome"]), frozenset(expect["findings"]), expect.get("max_speedup")
        ),
        explanation=ast.get_docstring(tree) or "",
    )


def _constant(tree: ast.Module, name: str, path: Path):
    for node in tree.body:
        if isinstance(node, ast.Assign) and _is_assignment_of(node, (name,)):
            return ast.literal_eval(node.value)
    raise ValueError(f"{path.name} has no {name}")


def _is_assignment_of(node: ast.stmt, names: tuple[str, ...]) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in names


def _program(text: str, tree: ast.Module) -> str:
    """The text without docstring and constants. A RAW literal stands for a program that does not parse."""
    for node in tree.body:
        if _is_assignment_of(node, ("RAW",)):
            return ast.literal_eval(node.value)
    lines = text.splitlines(keepends=True)
    cut = [tree.body[0], *(node for node in tree.body if _is_assignment_of(node, CONSTANTS))]
    hidden = {number for node in cut for number in range(node.lineno, node.end_lineno + 1)}
    return "".join(line for number, line in enumerate(lines, 1) if number not in hidden).lstrip("\n")
