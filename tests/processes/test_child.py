"""Tests that a call in a child process ends at its deadline and within its memory."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from datasets_app.processes.child import ChildError, Limits, call

ROOT = Path(__file__).resolve().parent.parent.parent
LIMITS = Limits(seconds=20, memory_bytes=256 * 2**20)


def double(number: int) -> int:
    return 2 * number


def take_memory(megabytes: int) -> int:
    return len(bytearray(megabytes * 2**20))


def test_it_returns_what_the_function_returns():
    assert call(double, (21,), LIMITS) == 42


def test_one_that_takes_too_long_is_killed_at_its_deadline():
    call(double, (1,), LIMITS)  # the first call starts the server
    begin = time.monotonic()
    with pytest.raises(ChildError, match=r"it took longer than 0\.2 s"):
        call(time.sleep, (600,), Limits(0.2, LIMITS.memory_bytes))
    assert time.monotonic() - begin < 300


def test_one_that_needs_too_much_memory_says_so():
    assert call(take_memory, (10,), LIMITS) == 10 * 2**20
    with pytest.raises(ChildError, match="it needed more than 256 MB of memory"):
        call(take_memory, (2_000,), LIMITS)


def test_one_that_crashes_is_told_from_one_that_answers():
    with pytest.raises(ChildError, match=r"its process ended by signal SIGSEGV"):
        call(crash, (), LIMITS)


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def in_another_folder(folder: Path, lines: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run lines of a program that has the project's path, as manage.py has, from a folder elsewhere."""
    head = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nimport django; django.setup()\n"
    given = {"CONCUR_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "concur_site.settings", **environment}
    return subprocess.run(
        [sys.executable, "-P", "-c", head + lines],
        cwd=folder,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=120,
    )


LOOK = """
from datasets_app.ingest.peek import peek
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.source_file import SourceFile
from pathlib import Path
try:
    print(peek(SourceFile(Path("rows.jsonl"), "rows.jsonl")).columns)
except IngestError as error:
    print(error)
"""


def test_a_command_reads_a_file_from_any_folder(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"pytorch_code": "x"}\n')
    done = in_another_folder(tmp_path, LOOK)
    assert done.stdout == "('pytorch_code',)\n", done.stderr


def test_a_server_that_cannot_load_the_site_says_why(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"pytorch_code": "x"}\n')
    done = in_another_folder(
        tmp_path, "from datasets_app.processes import child\nchild.WARM = 'no_such_module'\n" + LOOK
    )
    assert (
        "the processes for it cannot load the site: ModuleNotFoundError: No module named 'no_such_module'"
        in (done.stdout)
    ), done.stderr
