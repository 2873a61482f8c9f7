"""Tests that an unprivileged account is enough: the same verdicts, and broken kernels harm no other job."""

import errno
import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.engine.kernels.catalogue import load_all
from tests.engine.orchestrator.test_engine import FAST
from tests.engine.sandbox.test_sandbox import MAKES_NAMESPACES

NOBODY = 65534
ROOT = Path(__file__).parents[3]
BROKEN = (
    "segfault",
    "fork_bomb",
    "disk_filler",
    "memory_hog",
    "exit_zero",
    "closes_descriptors",
    "kills_everything",
    "residue_deep_folders",
    "residue_locked_folders",
    "residue_limits",
    "framing_build_in_call",
)


def can_make_sandboxes():
    """Return whether that account may create user namespaces here, as bubblewrap needs."""
    bwrap = shutil.which("bwrap")
    if bwrap is None or os.getuid() != 0:
        return False
    # Use the interpreter of these tests, which may be in a private folder.
    command = [bwrap, "--unshare-all", "--ro-bind", "/", "/", sys.executable, "-c", ""]
    done = subprocess.run(
        command, user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, check=False
    )
    return done.returncode == 0


pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(
        not can_make_sandboxes(), reason="needs root here, and bubblewrap and a Python that nobody can run"
    ),
]


@pytest.fixture
def jobs(tmp_path):
    """Return broken kernels, each followed by an honest one."""
    kernels = {kernel.name: kernel for kernel in load_all() if kernel.group != "cheats"}
    profile = asdict(replace(FAST, memory_bytes=2**31, load_timeout_s=30.0, first_call_timeout_s=20.0))
    lines = []
    for number, name in enumerate(BROKEN):
        for kernel in (kernels[name], kernels["add_plain"]):
            form = {"reference": kernel.task_source, "candidate": kernel.source, "profile": profile}
            lines.append(json.dumps({"id": f"{number} {kernel.name}", **form}))
    tmp_path.chmod(0o777)
    path = tmp_path / "jobs.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    path.chmod(0o644)
    return path


def test_as_nobody_no_user_namespace_is_made_inside_either():
    program = (
        "import subprocess, sys\n"
        "from eval_app.engine.sandbox import bubblewrap\n"
        "command = bubblewrap.wrap_build(['python', '-c', sys.argv[1]])\n"
        "subprocess.run(command, env=bubblewrap.build_environment())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, MAKES_NAMESPACES], cwd=ROOT, capture_output=True, text=True, timeout=60,
        user=NOBODY, group=NOBODY, extra_groups=[], env={"PATH": os.environ["PATH"]}, check=False,
    )  # fmt: skip
    assert done.stdout.split("\n")[:3] == ["[]", "-1", str(errno.ENOSYS)], done.stderr


# As many descriptors in transit as the limit allows, for some seconds.
IN_TRANSIT = """
import array, os, socket, time
null, pairs = os.open("/dev/null", os.O_RDONLY), []
try:
    while True:
        pairs.append(socket.socketpair())
        held = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * 250))]
        pairs[-1][0].sendmsg([b"x"], held)
except OSError:
    time.sleep(12)
"""
TWO_LANES = """
import sys, threading, time
from eval_app.engine import Engine
from tests.engine.orchestrator.test_engine import CANDIDATE, untimed_job
with Engine("cpu", sys.argv[1], lanes=2) as engine:
    other = threading.Thread(target=engine.verify, args=[untimed_job(candidate=CANDIDATE + sys.argv[2])])
    engine.verify(untimed_job())
    other.start()
    time.sleep(3)
    while other.is_alive():
        print(engine.verify(untimed_job()).outcome, flush=True)
"""


@pytest.mark.long
def test_as_nobody_descriptors_in_transit_keep_no_other_lane_from_its_work(tmp_path):
    """The kernel counts them by user, and all lanes are nobody's."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != Path("/tmp") and len(folder.parts) > 2:
            folder.chmod(0o777)
    done = subprocess.run(
        [sys.executable, "-c", TWO_LANES, str(tmp_path / "builds"), IN_TRANSIT], cwd=ROOT, capture_output=True,
        text=True, timeout=200, user=NOBODY, group=NOBODY, extra_groups=[], env={"PATH": os.environ["PATH"]},
        check=False,
    )  # fmt: skip
    assert set(done.stdout.split()) == {"passed"}, done.stderr


@pytest.mark.long
def test_as_nobody_broken_kernels_get_their_verdicts_and_honest_ones_pass_after_each(jobs, tmp_path):
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != Path("/tmp") and len(folder.parts) > 2:
            folder.chmod(0o777)
    output = tmp_path / "reports.jsonl"
    command = [
        sys.executable,
        "-m",
        "eval_app.engine",
        "verify",
        str(jobs),
        "-o",
        str(output),
        "--device",
        "cpu",
    ]
    done = subprocess.run(
        [*command, "--build-jobs", "1", "--cache-dir", str(tmp_path / "builds")], cwd=ROOT, capture_output=True,
        text=True, timeout=300, user=NOBODY, group=NOBODY, extra_groups=[], env={"PATH": os.environ["PATH"]},
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = {r["id"].partition(" ")[::2]: r for r in map(json.loads, output.read_text().splitlines())}
    expected = {kernel.name: kernel.expect.outcomes for kernel in load_all()}
    wrong = {
        key: (report["outcome"], report["detail"][:200])
        for key, report in found.items()
        if report["outcome"] not in expected[key[1]]
    }
    assert len(found) == 2 * len(BROKEN)
    assert not wrong
