"""Tests size limits: no large file, no long function, nothing loose at the roots, few migrations."""

import ast
from collections.abc import Iterator
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
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # the fields of a node that hold statements


@pytest.fixture(scope="module")
def texts() -> dict[Path, str]:
    """Return the text of each file, by its path below the root."""
    found = [path for folder in CODE for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    return {
        path.relative_to(ROOT): path.read_text()
        for path in found
        if not any(part in path.as_posix() for part in NOT_OURS_TO_SPLIT)
    }


@pytest.fixture(scope="module")
def functions(texts) -> list[tuple[Path, str, int]]:
    """Return each function's file, name and number of lines. All files are parsed once for the tests below."""
    return [
        (path, node.name, (node.end_lineno or node.lineno) - node.lineno + 1)
        for path, text in texts.items()
        if path.suffix == ".py"
        for node in statements(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements below a node, at any depth: no function is in an expression, and most nodes are."""
    for name in BLOCKS:
        for child in getattr(node, name, ()):
            yield child
            yield from statements(child)


def test_no_file_is_longer_than_300_lines(texts):
    lengths = {str(path): len(text.splitlines()) for path, text in texts.items()}
    assert not {path: n for path, n in lengths.items() if n > FILE_LIMIT_LINES}


def test_no_function_is_longer_than_60_lines(functions):
    assert not {f"{path}:{name}": n for path, name, n in functions if n > FUNCTION_LIMIT_LINES}


def test_functions_are_short_as_a_rule(functions):
    lengths = sorted(n for path, _, n in functions if "tests" not in path.parts)
    assert lengths[len(lengths) // 2] <= 10
    assert lengths[int(len(lengths) * 0.95)] <= 32


def test_nothing_is_marked_safe_by_hand(texts):
    marks = ("mark_safe(", "|safe", "{% autoescape off")
    own = {p: text for p, text in texts.items() if p.suffix in (".py", ".html") and "tests" not in p.parts}
    assert not [f"{path}: {mark}" for path, text in own.items() for mark in marks if mark in text]


@pytest.mark.parametrize(("root", "allowed"), AT_A_ROOT.items(), ids=AT_A_ROOT.keys())
def test_no_module_is_loose_at_a_root(root, allowed):
    assert {path.name for path in (ROOT / root).glob("*.py")} == allowed


def test_there_are_few_migrations():
    assert len(list(ROOT.glob("*/migrations/0*.py"))) <= MOST_MIGRATIONS
