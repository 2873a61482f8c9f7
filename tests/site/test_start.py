"""Tests that a command collects no garbage while it loads the site, in which there is none, and does afterwards."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COLLECTED = "import gc; print(gc.isenabled(), gc.get_freeze_count(), gc.get_stats()[2]['collections'])"


def test_what_a_command_has_loaded_is_left_out_of_garbage_collection():
    done = subprocess.run(
        [sys.executable, ROOT / "manage.py", "shell", "--no-imports", "-c", COLLECTED],
        capture_output=True,
        text=True,
        check=True,
    )
    enabled, kept, full_rounds = done.stdout.split()
    assert enabled == "True"
    assert int(kept) > 100_000
    assert int(full_rounds) == 0
