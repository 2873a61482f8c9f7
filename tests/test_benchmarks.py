"""Tests that the names imported by benchmarks exist: they are run by hand, so a renaming could miss them."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("benchmarks", "concur_site", "datasets_app", "eval_app", "tests")
SCRIPTS = sorted((ROOT / "benchmarks").rglob("*.py"))


def imported(script: Path) -> list[tuple[str, str]]:
    """Return module and name of every import from the project in a script."""
    nodes = [node for node in ast.walk(ast.parse(script.read_text())) if isinstance(node, ast.ImportFrom)]
    return [
        (node.module, alias.name)
        for node in nodes
        if node.module and node.module.split(".")[0] in OURS
        for alias in node.names
    ]


def exists(module: str, name: str) -> bool:
    if module.startswith("benchmarks.libraries"):
        return True  # importing these requires a library
    try:
        return name == "*" or hasattr(import_module(module), name) or bool(import_module(f"{module}.{name}"))
    except ModuleNotFoundError:
        return False


def test_a_name_that_is_gone_is_noticed():
    assert exists("datasets_app.similarity", "minhash")
    assert not exists("datasets_app.similarity.minhash", "gone")
    assert not exists("datasets_app.gone", "minhash")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_script_imports_exists(script):
    assert [found for found in imported(script) if not exists(*found)] == []
