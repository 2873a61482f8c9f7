"""Tests that a stuck process ends itself and reports where it was stuck; a working one continues."""

import subprocess
import sys

START = "from datasets_app.processes.stall_guard import StallGuard; import time, re; "


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", START + script], capture_output=True, text=True, timeout=120, check=False
    )


def test_code_that_holds_the_interpreters_lock_ends_the_process_and_is_named_in_its_log():
    done = run("StallGuard(1.5).start(); re.match('(a+)+$', 'a' * 60 + 'b')")
    assert done.returncode == 1
    assert "Timeout" in done.stderr
    assert 'File "<string>", line 1 in <module>' in done.stderr


def test_a_process_that_is_not_well_ends_soon_after_and_names_its_threads():
    done = run("StallGuard(1.5, lambda: False).start(); time.sleep(20)")
    assert done.returncode == 1
    assert "<module>" in done.stderr


def test_a_process_that_works_for_longer_than_the_deadline_goes_on():
    done = run("StallGuard(3).start(); end = time.monotonic() + 4.5\nwhile time.monotonic() < end: pass")
    assert done.returncode == 0, done.stderr
