"""Tests of the modules that a child process imports."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from importlib import import_module
from datasets_app.bounded.child import WARM
for name in (*WARM, "eval_app.pages.kernel_lines", "eval_app.pages.machine_text"):
    import_module(name)
print("datasets_app.models" in sys.modules)
"""


def test_the_functions_that_are_analysed_need_neither_settings_nor_models():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env={}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "False"), done.stderr
