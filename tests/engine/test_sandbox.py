"""The sandbox holds: each limit is tried with a bounded attempt, never with a real bomb."""

import os
import shutil
import subprocess

import pytest

from eval_app.engine import sandbox
from eval_app.engine.privileges import Limits
from eval_app.engine.sandbox import SandboxMissingError

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]

FORKS = """
import os, time
made = 0
try:
    for _ in range(600):
        if os.fork() == 0:
            time.sleep(3)
            os._exit(0)
        made += 1
except OSError:
    pass
print(made)
"""


def run_inside(program, writable=(), limits=None):
    command = sandbox.wrap_build(["python", "-c", program], writable, (), limits=limits)
    return subprocess.run(
        command, env=sandbox.build_environment(), capture_output=True, text=True, timeout=60, check=False
    )


def test_there_is_no_network():
    done = run_inside("import socket; socket.create_connection(('192.0.2.1', 80), 2)")
    assert "OSError" in done.stderr or "unreachable" in done.stderr


def test_the_home_folder_and_the_rest_of_the_disk_are_not_there():
    done = run_inside("import os; print(sorted(os.listdir('/')))")
    assert "home" not in done.stdout
    assert "var" not in done.stdout


def test_the_environment_is_an_allow_list(monkeypatch):
    monkeypatch.setenv("DJANGO_SECRET_KEY", "told to nobody")
    done = run_inside("import os; print(dict(os.environ))")
    assert "told to nobody" not in done.stdout


def test_whoever_runs_inside_has_a_name_although_no_password_file_is_there():
    done = run_inside("import getpass; print(getpass.getuser())")
    assert done.stdout.strip() == "runner", done.stderr


def test_other_processes_are_not_seen():
    done = run_inside("import os; print([p for p in os.listdir('/proc') if p.isdigit()])")
    assert len(eval(done.stdout)) < 5


def test_nothing_can_be_written_but_the_scratch_and_what_was_given(tmp_path):
    program = f"""
for path in ("/x", "/usr/x", "/concur/eval_app/engine/x", "/dev/x", "/tmp/x", {str(tmp_path / "x")!r}):
    try:
        open(path, "w").close()
        print(path)
    except OSError:
        pass
"""
    assert run_inside(program, [str(tmp_path)]).stdout.split() == ["/tmp/x", str(tmp_path / "x")]


def test_600_forks_end_at_the_limit():
    done = run_inside(FORKS, limits=Limits(processes=40, file_bytes=2**20))
    assert int(done.stdout.split()[-1]) < 40


def test_the_scratch_folder_is_full_at_its_size():
    program = """
written = 0
try:
    for number in range(48):
        with open(f"/tmp/{number}", "wb") as file:
            written += file.write(bytes(2**26))
except OSError:
    pass
print(written)
"""
    assert int(run_inside(program).stdout) < 1.1 * 2**30


def test_a_file_ends_at_the_limit():
    program = """
try:
    with open("/tmp/one", "wb") as file:
        file.write(bytes(2**22))
    print("written")
except OSError:
    print("held")
"""
    assert run_inside(program, limits=Limits(processes=40, file_bytes=2**20)).stdout.strip() == "held"


@pytest.mark.skipif(os.getuid() != 0, reason="who is not root drops to nobody by a user namespace")
def test_root_becomes_an_unprivileged_user_that_the_machine_does_not_know():
    done = run_inside(
        "import os; print(os.getuid(), os.getgroups()); print(open('/proc/self/status').read())"
    )
    assert done.stdout.splitlines()[0] == f"{sandbox.BUILD_UID} []" or str(sandbox.BUILD_UID) in done.stdout
    assert "CapEff:\t0000000000000000" in done.stdout
    assert "NoNewPrivs:\t1" in done.stdout


def test_without_bubblewrap_the_refusal_says_how_to_install_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxMissingError, match="apt-get install bubblewrap"):
        sandbox.check_available()
