"""Tests size limits: no large file, no long function, nothing loose at the roots, few migrations."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CODE = ["concur_site", "datasets_app", "eval_app", "clients", "templates", "static", "tests", "benchmarks"]
SUFFIXES = {".py", ".js", ".css", ".html"}
NOT_OURS_TO_SPLIT = ("migrations", "demo_pack/tasks", "engine/kernels", "__pycache__", "benchmarks/results")
FILE_LIMIT_LINES = 300
FUNCTION_LIMIT_LINES = 60
# What stands beside packages: what Django and Celery look for, and the engine's command line.
AT_A_ROOT = {
    "datasets_app": {"__init__.py", "apps.py", "tasks.py", "urls.py"},
    "eval_app": {"__init__.py", "admin.py", "apps.py", "tasks.py", "urls.py"},
    "eval_app/engine": {"__init__.py", "__main__.py", "cli.py"},
}
MOST_MIGRATIONS = 4


def files(*suffixes: str) -> list[Path]:
    found = [
        path
        for folder in CODE
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (suffixes or SUFFIXES)
    ]
    return [path for path in found if not any(part in path.as_posix() for part in NOT_OURS_TO_SPLIT)]


def functions(path: Path) -> list[tuple[str, int]]:
    nodes = ast.walk(ast.parse(path.read_text()))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [(n.name, (n.end_lineno or n.lineno) - n.lineno + 1) for n in nodes if isinstance(n, kinds)]


def test_no_file_is_longer_than_300_lines():
    long = {
        str(p.relative_to(ROOT)): n
        for p in files()
        if (n := len(p.read_text().splitlines())) > FILE_LIMIT_LINES
    }
    assert not long


def test_no_function_is_longer_than_60_lines():
    long = {f"{path.relative_to(ROOT)}:{name}": n for path in files(".py") for name, n in functions(path)}
    assert not {name: n for name, n in long.items() if n > FUNCTION_LIMIT_LINES}


def test_functions_are_short_as_a_rule():
    own = [path for path in files(".py") if "tests" not in path.relative_to(ROOT).parts]
    lengths = sorted(n for path in own for _, n in functions(path))
    assert lengths[len(lengths) // 2] <= 10
    assert lengths[int(len(lengths) * 0.95)] <= 32


def test_nothing_is_marked_safe_by_hand():
    marks = ("mark_safe(", "|safe", "{% autoescape off")
    own = [path for path in files(".py", ".html") if "tests" not in path.relative_to(ROOT).parts]
    assert not [f"{p.relative_to(ROOT)}: {m}" for p in own for m in marks if m in p.read_text()]


@pytest.mark.parametrize(("root", "allowed"), AT_A_ROOT.items(), ids=AT_A_ROOT.keys())
def test_no_module_is_loose_at_a_root(root, allowed):
    assert {path.name for path in (ROOT / root).glob("*.py")} == allowed


def test_there_are_few_migrations():
    assert len(list(ROOT.glob("*/migrations/0*.py"))) <= MOST_MIGRATIONS
