"""Tests of the sandbox's limits: each is tested by a bounded attempt, never by a real bomb."""

import errno
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from eval_app.engine.sandbox import bubblewrap
from eval_app.engine.sandbox.bubblewrap import SandboxMissingError
from eval_app.engine.sandbox.privileges import FORBIDDEN_CALLS, Limits

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
    command = bubblewrap.wrap_build(["python", "-c", program], writable, (), limits=limits)
    return subprocess.run(
        command, env=bubblewrap.build_environment(), capture_output=True, text=True, timeout=60, check=False
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


REFUSED_CALLS = """
import ctypes, errno, sys
libc = ctypes.CDLL(None, use_errno=True)
def refused(*arguments):
    ctypes.set_errno(0)
    libc.syscall(*[ctypes.c_long(argument) for argument in arguments])
    return ctypes.get_errno()
numbers = eval(sys.argv[1])
for name, number in numbers.items():
    print(name, errno.errorcode.get(refused(number, 0, 0, 0, 0, 0), "allowed"))
"""


def test_system_calls_that_nothing_needs_to_compute_are_refused():
    column = {"x86_64": 0, "aarch64": 1}[platform.machine()]
    numbers = {name: both[column] for name, both in FORBIDDEN_CALLS.items()}
    answers = run_inside(f"import sys; sys.argv = ['', {str(numbers)!r}]\n{REFUSED_CALLS}")
    assert dict(line.split() for line in answers.stdout.splitlines()) == dict.fromkeys(numbers, "EPERM")


TAKES_LEASES = """
import errno, fcntl
with open("/tmp/own", "w") as file:
    file.write("x")
with open("/tmp/own") as file:
    for command, argument in ((1024, 1), (1024, 0), (1040, 1), (fcntl.F_GETLEASE, 0), (fcntl.F_GETFD, 0)):
        try:
            fcntl.fcntl(file, command, argument)
            print("done")
        except OSError as error:
            print(errno.errorcode[error.errno])
"""


def test_nobody_inside_makes_others_wait_for_a_file_that_they_open():
    """Of a user's own files, a lease is the owner's right, and other jobs may be that user's."""
    assert run_inside(TAKES_LEASES).stdout.split() == ["EPERM"] * 3 + ["done"] * 2


MAKES_NAMESPACES = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
flags = {"user": 0x10000000, "mount": 0x20000, "network": 0x40000000, "user and pid": 0x30000000}
print([name for name, flag in flags.items() if libc.unshare(flag) == 0])
clone = 56 if os.uname().machine == "x86_64" else 220
child = libc.syscall(clone, 0x10000000 | 17, 0, 0, 0, 0)
if child == 0:
    os._exit(0)
print(child)
libc.syscall(435, None, 0)
print(ctypes.get_errno())
"""


def test_nobody_inside_makes_a_user_namespace_not_even_where_root_started_the_sandbox():
    assert run_inside(MAKES_NAMESPACES).stdout.split("\n")[:3] == ["[]", "-1", str(errno.ENOSYS)]


def test_the_filter_reaches_every_child_and_cannot_be_taken_off():
    program = """
import subprocess, sys
line = "print([l for l in open('/proc/self/status') if l.startswith(('Seccomp:', 'NoNewPrivs:'))])"
print(subprocess.run([sys.executable, "-c", line], capture_output=True, text=True).stdout)
"""
    assert "Seccomp:\\t2" in run_inside(program).stdout


@pytest.mark.skipif(
    not os.path.exists("/usr/include/asm-generic/unistd.h") or platform.machine() != "x86_64",
    reason="needs the kernel's headers of an x86_64 machine",
)
def test_the_numbers_of_system_calls_are_those_of_the_kernels_headers():
    own = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    both = [
        numbers_in(own, "__NR_"),
        numbers_in(Path("/usr/include/asm-generic/unistd.h"), "__NR_(?:3264_)?"),
    ]
    wrong = {
        name: numbers
        for name, numbers in FORBIDDEN_CALLS.items()
        if any(number != header.get(name, number) for number, header in zip(numbers, both, strict=True))
    }
    assert not wrong
    assert len(set(both[0]) & set(FORBIDDEN_CALLS)) > 30


def numbers_in(header, prefix):
    found = re.finditer(rf"#define {prefix}(\w+) (\d+)", header.read_text())
    return {match[1]: int(match[2]) for match in found}


def test_a_machine_without_the_filter_starts_no_sandbox(monkeypatch):
    monkeypatch.setattr(bubblewrap, "python_path", lambda: Path("/bin/false"))
    with pytest.raises(SandboxMissingError, match="cannot make a sandbox on this machine"):
        bubblewrap.check_available()


@pytest.mark.skipif(os.getuid() != 0, reason="who is not root drops to nobody by a user namespace")
def test_root_becomes_an_unprivileged_user_that_the_machine_does_not_know():
    done = run_inside(
        "import os; print(os.getuid(), os.getgroups()); print(open('/proc/self/status').read())"
    )
    assert (
        done.stdout.splitlines()[0] == f"{bubblewrap.BUILD_UID} []"
        or str(bubblewrap.BUILD_UID) in done.stdout
    )
    assert "CapEff:\t0000000000000000" in done.stdout
    assert "NoNewPrivs:\t1" in done.stdout


def test_without_bubblewrap_the_refusal_says_how_to_install_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxMissingError, match="apt-get install bubblewrap"):
        bubblewrap.check_available()
