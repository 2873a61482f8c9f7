"""Tests of the modules that a child process imports."""

import ast
import subprocess
import sys
import time
from importlib import import_module
from operator import attrgetter
from pathlib import Path

from datasets_app.bounded.pool import START_SECONDS, Child

ROOT = Path(__file__).resolve().parents[2]
CALLS = {"analysed", "analysed_ahead"}
HANDED_ON = {"datasets_app.ingest.checks": "answered"}  # a function that calls `analysed` with its argument
PROGRAM = """
import sys
from importlib import import_module
from datasets_app.bounded.child import WARM
for name in (*WARM, *sys.argv[1:]):
    import_module(name)
print("datasets_app.models" in sys.modules)
"""


def analysed_functions() -> set[str]:
    """Return "MODULE.NAME" of every function that the source hands to an analysis."""
    found = set()
    for path in sorted([*ROOT.glob("datasets_app/**/*.py"), *ROOT.glob("eval_app/**/*.py")]):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        text = path.read_text("utf-8")
        if name.startswith("datasets_app.bounded") or "analysed" not in text:
            continue
        calls = CALLS | {HANDED_ON.get(name)}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in calls:
                given = ast.unparse(node.args[0])
                if given != "function" or name not in HANDED_ON:
                    function = attrgetter(given)(import_module(name))
                    found.add(f"{function.__module__}.{function.__qualname__}")
    return found


def test_the_functions_that_are_analysed_need_neither_settings_nor_models():
    modules = sorted({function.rpartition(".")[0] for function in analysed_functions()})
    assert "eval_app.pages.sass_groups" in modules
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *modules],
        cwd=ROOT,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "False"), done.stderr


def test_a_child_starts_without_a_word_in_the_terminal_of_the_site(capfd):
    child = Child()
    try:
        child.wait_until_ready(time.monotonic() + START_SECONDS)
    finally:
        child.stop()
    assert capfd.readouterr().err == ""
