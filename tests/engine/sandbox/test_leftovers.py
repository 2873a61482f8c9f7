"""Tests that a job leaves no process, file or descriptor behind after its end or after its lane's end."""

import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from eval_app.engine import Engine, Outcome
from eval_app.engine.sandbox import process_tree
from tests.engine.orchestrator.test_engine import CANDIDATE, REFERENCE, UNTIMED
from tests.engine.orchestrator.test_engine import untimed_job as job
from tests.engine.orchestrator.test_lanes import wait_until

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]

# A process in its own session that ignores all ignorable signals, and files in every writable folder.
LEAVES_BEHIND = (
    CANDIDATE
    + """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(600)
    os._exit(0)
for folder in ("/tmp", "/dev/shm", os.environ["HOME"]):
    with open(os.path.join(folder, "left"), "wb") as file:
        file.write(bytes(2**20))
"""
)
LOOKS = (
    CANDIDATE
    + """
import os
for folder in ("/tmp", "/dev/shm", os.environ["HOME"]):
    assert not os.path.exists(os.path.join(folder, "left")), folder
for name in ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "CUDA_CACHE_PATH"):
    assert os.environ[name].startswith(os.environ["HOME"] + "/"), name
    assert not os.path.exists(os.environ[name]), name
"""
)


def sandboxed(engine):
    """Return the processes of both roles: after a job, those of the bare zygotes."""
    lane = engine.lanes.all[0]
    return {pid for host in (lane.judge, lane.runner) for pid in process_tree.descendants(host.pid)}


def scratch():
    return {*os.listdir("/tmp"), *os.listdir("/dev/shm")}


def settled(count, timeout_s=10):
    """Return a count once it no longer falls: threads that drain logs end shortly after their writers."""
    deadline = time.monotonic() + timeout_s
    while (now := count()) > (later := (time.sleep(0.3), count())[1]) and time.monotonic() < deadline:
        continue
    return min(now, later)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def test_a_job_leaves_no_process_and_no_file_to_the_next(engine):
    assert engine.verify(job()).outcome is Outcome.PASSED
    before, files = sandboxed(engine), scratch()
    engine.verify(job(candidate=LEAVES_BEHIND))
    wait_until(lambda: sandboxed(engine) == before)  # killed processes vanish once their init reaped them
    assert not {name for name in scratch() - files if "left" in name or name.startswith("job-")}
    report = engine.verify(job(candidate=LOOKS))
    assert report.outcome is Outcome.PASSED, report.detail


# Folders 1,500 deep, locked folders with pipes and links, and a job's own folder made unreadable.
DEEP = """
import os
home = os.getcwd()
for start in ("/tmp", home):
    os.chdir(start)
    for _ in range(1500):
        os.mkdir("deep")
        os.chdir("deep")
    open("end", "w").close()
os.chdir(home)
"""
LOCKED = """
import os
for start in ("/tmp", "/dev/shm", os.environ["HOME"]):
    os.makedirs(start + "/a/b/c")
    open(start + "/a/b/c/file", "w").close()
    os.mkfifo(start + "/a/pipe")
    os.symlink("/", start + "/a/link")
    for locked in ("/a/b/c", "/a/b", "/a"):
        os.chmod(start + locked, 0)
os.chmod(os.environ["HOME"], 0)
"""


@pytest.mark.parametrize("side", ["candidate", "reference"])
@pytest.mark.parametrize("residue", [DEEP, LOCKED], ids=["deep", "locked"])
def test_folders_that_nobody_wants_to_delete_reach_no_later_job(engine, side, residue):
    lane = engine.lanes.all[0]
    engine.verify(job())
    starts = lane.judge.starts, lane.runner.starts
    program = {"candidate": CANDIDATE, "reference": REFERENCE}[side] + residue
    assert engine.verify(job(**{side: program})).outcome is Outcome.PASSED
    report = engine.verify(job(candidate=LOOKS))
    assert report.outcome is Outcome.PASSED, report.detail
    assert (lane.judge.starts, lane.runner.starts) == starts, "the same sandboxes serve the next job"


def test_a_sandbox_that_keeps_something_of_a_job_is_replaced_and_the_job_keeps_its_result(
    engine, monkeypatch
):
    engine.verify(job())
    runner = engine.lanes.all[0].runner
    starts, receive = runner.starts, runner._receive

    def with_remains(timeout_s):
        answer = receive(timeout_s)
        return answer | {"left": "1 processes"} if "left" in answer else answer

    monkeypatch.setattr(runner, "_receive", with_remains)
    assert engine.verify(job()).outcome is Outcome.PASSED
    monkeypatch.undo()
    assert runner.starts == starts + 1
    assert engine.verify(job()).outcome is Outcome.PASSED


def test_no_job_can_know_the_folder_of_the_next(engine):
    folders = []
    for _ in range(2):
        engine.verify(job())
        folders.append(engine.lanes.all[0].runner.folder)
    assert folders[0] != folders[1]
    assert all(len(Path(folder).name) > 16 for folder in folders)


def test_jobs_cost_no_descriptors(engine):
    engine.verify(job())
    before = settled(descriptors)
    for candidate in (CANDIDATE, "nonsense(", CANDIDATE + "\nimport os; os._exit(0)\n"):
        engine.verify(job(candidate=candidate))
    assert settled(descriptors) <= before


def test_a_killed_lane_takes_its_job_with_it(engine):
    engine.verify(job())
    lane = engine.lanes.all[0]
    endless = CANDIDATE.replace("        return torch", "        while True: pass\n        return torch")
    patient = replace(UNTIMED, first_call_timeout_s=60.0)
    seen = set()

    def kill_once(stage, detail):
        if stage == "correctness" and not seen:
            time.sleep(0.3)
            seen.update(sandboxed(engine))
            lane.runner._process.kill()

    given_up = threading.Event()
    arguments = [job(candidate=endless, profile=patient), kill_once, given_up.is_set]
    thread = threading.Thread(target=engine.verify, args=arguments)
    thread.start()
    wait_until(lambda: seen and not any(Path(f"/proc/{pid}").exists() for pid in seen))
    given_up.set()
    thread.join(60)
    assert not thread.is_alive()
    assert engine.verify(job()).outcome is Outcome.PASSED


@pytest.mark.long
def test_an_engine_leaves_no_process_and_no_folder(tmp_path):
    files = scratch()
    with Engine("cpu", tmp_path / "builds", sandbox="none") as engine:
        roots = [host.pid for host in (engine.lanes.all[0].judge, engine.lanes.all[0].runner)]
        assert engine.verify(job()).outcome is Outcome.PASSED
        ours = sandboxed(engine)
        folders = {Path(host.folder).name for host in (engine.lanes.all[0].judge, engine.lanes.all[0].runner)}
    assert set(roots) <= ours
    assert not [pid for pid in ours if Path(f"/proc/{pid}").exists()]
    assert not {name for name in scratch() - files if name in folders}
    assert not list((tmp_path / "builds").glob("work/*"))


CHANGED = """
import ctypes, os, resource, sys
from pathlib import Path
from eval_app.engine.sandbox import privileges
from eval_app.engine.sandbox.zygote import Zygote
zygote = Zygote("runner", "cpu", None, confined=False)
zygote._folder, zygote._settings = Path("/nowhere"), privileges.inherited_settings()
print(repr(zygote._remains()))
if os.fork() == 0:
    parent = os.getppid()
    CHANGE
    os._exit(0)
os.wait()
print(repr(zygote._remains()))
"""


@pytest.mark.parametrize(
    "change",
    [
        "resource.prlimit(parent, resource.RLIMIT_FSIZE, (2**30, 2**30))",
        "os.setpriority(os.PRIO_PROCESS, parent, os.getpriority(os.PRIO_PROCESS, parent) + 3)",
        "os.sched_setscheduler(parent, os.SCHED_BATCH, os.sched_param(0))",
        "ctypes.CDLL(None).syscall(privileges._SETTINGS_CALLS[os.uname().machine][1] - 1, 1, parent, 3 << 13)",
        pytest.param(
            "Path('/proc/self/autogroup').write_text('3')",
            marks=pytest.mark.skipif(
                not os.path.exists("/proc/self/autogroup"), reason="schedules no sessions"
            ),
        ),
    ],
)
def test_limits_and_priorities_that_a_job_changes_are_left_of_it(change):
    command = [sys.executable, "-c", CHANGED.replace("CHANGE", change)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, start_new_session=True)
    assert done.stdout.splitlines() == ["''", "'limits or priorities that its successors would inherit'"]
