"""Tests of a run's log files: bounded, of whole lines, and never blocking any program."""

import os
import pty
import re
import resource
import signal
import subprocess
import sys
import threading
import time

import pytest

from concur_site.up.logs import LIMIT_BYTES, OLDER_FILES, LogFile, Terminal, fresh_log_folder
from concur_site.up.processes import Program
from concur_site.up.supervise import Supervised
from tests import full_disk

PATIENCE_S = 120


def wait_for(condition, what):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def test_a_log_is_rotated_by_size_and_the_oldest_goes(tmp_path):
    log = LogFile(tmp_path / "site.log", limit_bytes=1000)
    for number in range(500):
        log.write(f"line {number:04}")
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["site.log", "site.log.1", "site.log.2"]
    assert all(path.stat().st_size <= 1000 for path in tmp_path.iterdir())
    kept = "".join((tmp_path / name).read_text() for name in reversed(files)).splitlines()
    assert kept == [f"line {number:04}" for number in range(500 - len(kept), 500)]


def test_months_of_output_stay_within_three_files_of_ten_megabytes():
    assert (1 + OLDER_FILES) * LIMIT_BYTES == 30 * 2**20


def test_the_logs_of_an_earlier_run_are_kept_beside_the_new_ones(tmp_path):
    for run in ("first", "second"):
        LogFile(fresh_log_folder(tmp_path) / "site.log").write(run)
    assert (tmp_path / "site.log").read_text() == "second\n"
    assert (tmp_path / "site.log.1").read_text() == "first\n"


def test_a_log_whose_folder_is_away_for_a_while_says_how_many_lines_are_missing(tmp_path):
    folder = tmp_path / "logs"
    log = LogFile(folder / "site.log")
    log.write("lost")
    log.write("lost as well")
    folder.mkdir()
    log.write("back")
    assert (folder / "site.log").read_text() == (
        "[2 lines are missing here: they could not be written]\nback\n"
    )


def write_to_a_full_disk(folder):
    """Fill a file system of 64 KB, then free space; run by the next test in a separate process."""
    log = LogFile(folder / "site.log")
    for number in range(5000):
        log.write(f"line {number:06} {'x' * 80}")
    full = (folder / "site.log").read_bytes()
    dropped = log.dropped
    os.truncate(folder / "site.log", 0)
    log.write("room again")
    return full.endswith(b"x\n"), dropped, (folder / "site.log").read_text()


def test_a_full_disk_leaves_whole_lines_and_the_log_goes_on_when_there_is_room(tmp_path):
    full_disk.skip_without_mounts()
    script = (
        "import pathlib, sys; from tests.site.logs.test_files import write_to_a_full_disk;"
        "print(write_to_a_full_disk(pathlib.Path(sys.argv[1])))"
    )
    command = full_disk.on_a_small_disk(tmp_path, "64k", [sys.executable, "-c", script, str(tmp_path)])
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    ends_whole, dropped, text = eval(done.stdout)
    assert ends_whole
    assert dropped > 4000
    assert text == f"[{dropped} lines are missing here: they could not be written]\nroom again\n"


def talkative(lines: int) -> Program:
    """Return a program that writes much more than a pipe holds, then ends."""
    script = f"import sys\nfor n in range({lines}): print('line', n, 'x' * 100)\nsys.stdout.flush()"
    return Program("talker", "talks", [sys.executable, "-c", script])


def test_a_program_is_not_held_by_a_log_that_cannot_be_written(tmp_path):
    (tmp_path / "talker.log").mkdir()  # so that no file can be opened there
    talker = Supervised(talkative(20_000), tmp_path, lambda line: None)
    talker.start()
    assert talker.process.wait(PATIENCE_S) == 0
    wait_for(lambda: talker.log.dropped == 20_000, "the pipe is emptied")


@pytest.mark.parametrize("how", ["closed", "stopped"])
def test_a_program_is_not_held_by_a_terminal_that_is(tmp_path, how):
    """Closed: the reader is gone (EPIPE). Stopped: it will read later."""
    reading, writing = os.pipe()
    if how == "closed":
        os.close(reading)
    terminal = Terminal(writing)
    talker = Supervised(talkative(20_000), tmp_path, terminal.say)
    talker.start()
    assert talker.process.wait(PATIENCE_S) == 0
    wait_for(lambda: "line 19999" in talker.log.path.read_text(), "the log file has every line")
    terminal.close(within_seconds=0.1)
    if how == "stopped":
        os.close(reading)
    wait_for(lambda: not terminal._thread.is_alive() or how == "stopped", "the thread ends")


def test_a_terminal_that_hangs_up_raises_nothing():
    ours, theirs = pty.openpty()
    terminal = Terminal(theirs)
    os.close(ours)  # as when its window is closed: writing is EIO from now on
    for _ in range(3):
        terminal.say("nobody there")
    terminal.close()
    assert not terminal._thread.is_alive()


def test_a_terminal_that_lagged_says_how_many_lines_it_missed():
    reading, writing = os.pipe()
    terminal = Terminal(writing)
    for _ in range(10_000):  # the pipe and the queue hold fewer
        terminal.say("x" * 100)
    shown = []
    reader = threading.Thread(target=lambda: shown.append(os.fdopen(reading).read()))
    reader.start()
    wait_for(lambda: terminal._lines.empty(), "the terminal catches up")
    terminal.say("and on")
    terminal.close()
    os.close(writing)
    reader.join()
    missed = [int(number) for number in re.findall(r"^\[(\d+) lines were not shown", shown[0], re.MULTILINE)]
    assert missed
    assert shown[0].count("x" * 100) + sum(missed) == 10_000
    assert shown[0].endswith("and on\n")


def test_a_terminal_that_lagged_until_the_end_says_so_at_the_end():
    reading, writing = os.pipe()
    terminal = Terminal(writing)
    while not terminal._dropped:
        terminal.say("x" * 100)
    shown = []
    reader = threading.Thread(target=lambda: shown.append(os.fdopen(reading).read()))
    reader.start()
    wait_for(lambda: terminal._lines.empty(), "the terminal catches up")
    terminal.close()
    os.close(writing)
    reader.join()
    assert shown[0].endswith(" lines were not shown: the terminal was stopped]\n")


def test_a_programs_line_cannot_colour_the_terminal_nor_forge_another_programs(tmp_path):
    script = r"print('\x1b[2Jx\rsite    | forged', flush=True)"
    said = []
    program = Supervised(Program("talker", "talks", [sys.executable, "-c", script]), tmp_path, said.append)
    program.start()
    program.process.wait(PATIENCE_S)
    wait_for(lambda: said, "its line")
    assert said == ["talker  | \\x1b[2Jx\\rsite    | forged"]
    assert program.log.path.read_text() == "\\x1b[2Jx\\rsite    | forged\n"


def test_a_line_without_end_is_cut_and_costs_little_memory(tmp_path):
    script = "import sys; sys.stdout.write('x' * 50_000_000)"
    program = Supervised(Program("talker", "talks", [sys.executable, "-c", script]), tmp_path, lambda line: 0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    program.start()
    assert program.process.wait(PATIENCE_S) == 0
    wait_for(lambda: program.process.stdout.closed or not program.is_running, "its end")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000
    program.signal(signal.SIGTERM)
