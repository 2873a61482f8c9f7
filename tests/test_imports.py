"""Tests that imports run down: no circles, type-only imports included, and no heavy library unless needed."""

import subprocess
import sys
from functools import cache

import grimp
import pytest

ROOTS = ["concur_site", "datasets_app", "eval_app"]
# Programs that are run by path and cannot import the project.
RUN_BY_PATH = ["eval_app.engine.sandbox.privileges", "eval_app.engine.build.probe"]


@cache
def import_graph(root: str) -> grimp.ImportGraph:
    """Return every import inside a root package, those under `if TYPE_CHECKING` included."""
    return grimp.build_graph(root, exclude_type_checking_imports=False, cache_dir=None)


def circles_in(graph: grimp.ImportGraph) -> set[frozenset[str]]:
    """Return the sets of modules that import each other directly or by way of others."""
    return {
        frozenset({module, *mutual})
        for module in graph.modules
        if (mutual := graph.find_upstream_modules(module) & graph.find_downstream_modules(module))
    }


@pytest.mark.parametrize("root", ROOTS)
def test_no_module_imports_itself_by_way_of_others(root):
    assert circles_in(import_graph(root)) == set()


def test_a_circle_of_imports_for_types_is_found(tmp_path, monkeypatch):
    folder = tmp_path / "circular_package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "first.py").write_text("from circular_package import second\n")
    (folder / "second.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from circular_package import first\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    names = {"circular_package.first", "circular_package.second"}
    assert circles_in(import_graph("circular_package")) == {frozenset(names)}


@pytest.mark.parametrize("module", RUN_BY_PATH)
def test_a_program_that_is_run_by_its_path_imports_nothing_of_the_project(module):
    assert import_graph("eval_app").find_modules_directly_imported_by(module) == set()


def test_the_orchestrator_runs_without_torch():
    code = (
        "import sys, eval_app.engine.cli\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'torch', 'numpy', 'django', 'celery'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_site_starts_without_the_libraries_of_single_jobs():
    code = (
        "import os, sys, django\n"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'concur_site.settings'\n"
        "django.setup()\n"
        "import concur_site.urls\n"
        "heavy = {'torch', 'numpy', 'pyarrow', 'openai', 'plotly', 'boto3'}\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
