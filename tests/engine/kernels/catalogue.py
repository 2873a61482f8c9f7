"""The kernels that test the engine: one per file, in honest/, cheats/ and broken/.

A file is a docstring that explains it, the constants TASK, DEVICE and EXPECT, and then the program. The
candidate gets only the program: the docstring and the constants are cut out by their place in the syntax
tree, so that no candidate can read its expected outcome. A fourth constant, JOB, may hold more of the job
("backward", "configs", "profile").
"""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent
GROUPS = ("honest", "cheats", "broken")
CONSTANTS = ("TASK", "DEVICE", "EXPECT")
OPTIONAL = ("JOB",)
# Few timings, short deadlines, little memory: broken kernels should end soon, and bombs stay small. Applied
# on top of a named profile.
LIMITS = {
    "timings_min": 10, "timings_max": 30, "warmup_s": 0.02, "timing_budget_s": 0.5, "call_timeout_s": 5.0, "first_call_timeout_s": 10.0, "load_timeout_s": 20.0,
    "total_timeout_s": 180.0, "build_timeout_s": 240.0, "memory_bytes": 3 * 2**30,
}


@dataclass(frozen=True)
class Expectation:
    """The outcome and findings that the engine must report."""

    outcomes: frozenset[str]  # any one of them
    findings: frozenset[str]  # all of them
    max_speedup: float | None = None  # a larger speedup reported as passed means a fooled clock


@dataclass(frozen=True)
class TestKernel:
    """A candidate with its task."""

    __test__ = False  # tells pytest that this is not a test class

    name: str
    group: str  # "honest", "cheats" or "broken"
    task: str
    task_source: str
    source: str
    device: str  # "cpu", "cuda" or "any"
    expect: Expectation
    explanation: str  # the docstring
    options: dict = field(default_factory=dict)  # more of the job: "backward", "configs", changes to the "profile"

    @property
    def cheat_class(self) -> str:
        """Return its class in the catalogue of cheats, such as "B.2.21", or its group if it has none."""
        found = re.match(r"Class (B\.\d+\.\d+)\.", self.explanation)
        return found[1] if found else self.group

    @property
    def is_compiled(self) -> bool:
        """Return whether it needs a C++ or CUDA compiler."""
        return "cpp_extension" in self.source

    def job(self, profile: str = "quick", name: str = "") -> dict:
        """Return the engine's job in its JSON form, with the catalogue's limits on top of a profile."""
        changed = {"base": profile, **LIMITS, "name": f"{profile}-kernels", **self.options.get("profile", {})}
        more = {key: value for key, value in self.options.items() if key != "profile"}
        return {
            "id": name or f"{self.group}/{self.name}", "reference": self.task_source, "candidate": self.source,
            "profile": changed, **more,
        }

    def faults(self, outcome: str, findings: set[str], speedup: float | None) -> list[str]:
        """Return how a verdict differs from the one stated; empty if it does not."""
        said = []
        if outcome not in self.expect.outcomes:
            said.append(f"{outcome}, not {' or '.join(sorted(self.expect.outcomes))}")
        elif self.expect.findings - findings:
            said.append(f"without the finding {', '.join(sorted(self.expect.findings - findings))}")
        limit = self.expect.max_speedup
        is_believed = outcome == "passed" and "time_unconfirmed" not in findings
        if is_believed and limit is not None and speedup is not None and speedup > limit:
            said.append(f"a speedup of {speedup:.2f} was believed; {limit} at most is true")
        return said

    def runs_on(self, device: str) -> bool:
        """Return whether it applies to "cpu" or "cuda"."""
        return self.device in ("any", device)


def load_all() -> list[TestKernel]:
    """Return every kernel, by group and name."""
    return [load(path) for group in GROUPS for path in sorted((FOLDER / group).glob("*.py"))]


def load(path: Path) -> TestKernel:
    """Load one kernel file. Raises ValueError if a constant is missing or malformed."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    values = {name: _constant(tree, name, path) for name in CONSTANTS}
    values |= {name: _constant(tree, name, path, {}) for name in OPTIONAL}
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
        options=values["JOB"],
    )


def _constant(tree: ast.Module, name: str, path: Path, default=None):
    for node in tree.body:
        if isinstance(node, ast.Assign) and _is_assignment_of(node, (name,)):
            return ast.literal_eval(node.value)
    if default is not None:
        return default
    raise ValueError(f"{path.name} has no {name}")


def _is_assignment_of(node: ast.stmt, names: tuple[str, ...]) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in names


def _program(text: str, tree: ast.Module) -> str:
    """Return the text without docstring and constants. A RAW literal holds a program that does not parse."""
    for node in tree.body:
        if _is_assignment_of(node, ("RAW",)):
            return ast.literal_eval(node.value)
    lines = text.splitlines(keepends=True)
    cut = [tree.body[0], *(node for node in tree.body if _is_assignment_of(node, CONSTANTS + OPTIONAL))]
    hidden = {number for node in cut for number in range(node.lineno, node.end_lineno + 1)}
    return "".join(line for number, line in enumerate(lines, 1) if number not in hidden).lstrip("\n")
