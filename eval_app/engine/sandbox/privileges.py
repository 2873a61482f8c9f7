"""Dropping the privileges of a process before it runs untrusted code. Standard library only.

Runs inside a sandbox: as a program (`python privileges.py OPTIONS -- COMMAND`) for compilers, as functions in
the zygote.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import os
import platform
import resource
import struct
from collections.abc import Sequence
from dataclasses import dataclass

_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_PDEATHSIG = 1
_CAPABILITIES = 64
_SCHED_ATTR_BYTES = 56  # struct sched_attr
_IO_PRIORITY_OF_PROCESS = 1
# sched_getattr and ioprio_get, by machine.
_SETTINGS_CALLS = {"x86_64": (315, 252), "aarch64": (275, 31)}
_SIGKILL = 9


@dataclass(frozen=True)
class Limits:
    """Resource limits of a process tree; None leaves a limit unchanged."""

    # Processes and threads of the tree's user.
    processes: int | None = None
    # Bytes per file; shared memory counts as a file.
    file_bytes: int | None = None
    # Virtual memory per process. Not for CUDA, which reserves huge ranges.
    address_bytes: int | None = None
    open_files: int | None = 1024

    def apply(self) -> None:
        """Set the limits for this process and its children, hard and soft."""
        pairs = (
            (resource.RLIMIT_NPROC, self.processes),
            (resource.RLIMIT_FSIZE, self.file_bytes),
            (resource.RLIMIT_AS, self.address_bytes),
            (resource.RLIMIT_NOFILE, self.open_files),
            (resource.RLIMIT_CORE, 0),
        )
        for limit, value in pairs:
            if value is not None:
                _lower(limit, value)


def _lower(limit: int, value: int) -> None:
    hard = resource.getrlimit(limit)[1]
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (allowed, allowed))


def raise_open_files(value: int) -> None:
    """Let this process, and those that it starts, open up to `value` files, as far as they may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL)


def inherited_settings() -> tuple[object, ...]:
    """Return what a child may change of this process and its successors inherit: limits and scheduling, if it has the
    same user, and in any case the niceness of their session."""
    limits = [resource.getrlimit(number) for name, number in vars(resource).items() if name[:7] == "RLIMIT_"]
    get_attributes, get_io_priority = _SETTINGS_CALLS.get(platform.machine(), (-1, -1))
    attributes = ctypes.create_string_buffer(_SCHED_ATTR_BYTES)  # policy, niceness, priority, clamps
    libc = ctypes.CDLL(None)
    libc.syscall(get_attributes, 0, attributes, _SCHED_ATTR_BYTES, 0)
    io_priority = libc.syscall(get_io_priority, _IO_PRIORITY_OF_PROCESS, 0)
    return *limits, os.sched_getaffinity(0), attributes.raw, io_priority, _session_niceness()


def _session_niceness() -> str:
    """Return the niceness of this process's session, which the kernel schedules as one; empty where it does not."""
    try:
        with open("/proc/self/autogroup", encoding="ascii") as file:
            return file.read()
    except OSError:
        return ""


def hide_memory() -> None:
    """Prevent other processes of the same user from reading or writing this one's memory."""
    _prctl(_PR_SET_DUMPABLE, 0)


def show_memory() -> None:
    """Undo `hide_memory`, so that this process may read its own /proc entries again."""
    _prctl(_PR_SET_DUMPABLE, 1)


def become(uid: int) -> None:
    """Switch permanently to user and group `uid`, without capabilities. Only root switches; others keep their user.

    RLIMIT_NPROC does not bind root, and a process of another user can be neither traced nor killed. From here
    on the system calls in FORBIDDEN_CALLS are refused. Raises OSError if the kernel has no such filter.
    """
    if os.getuid() == 0:
        for capability in range(_CAPABILITIES):
            _prctl(_PR_CAPBSET_DROP, capability)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _forbid_calls()


# --- System calls that no computation needs, by their numbers on x86_64 and on aarch64 ---

FORBIDDEN_CALLS = {
    # Memory and descriptors of other processes.
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438), "kcmp": (312, 272),
    # Objects that outlive a process or escape its limits.
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semop": (65, 193),
    "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "msgctl": (71, 187), "mq_open": (240, 180), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "memfd_secret": (447, 447),
    # What the kernel says of all that runs on the host.
    "syslog": (103, 116),
    # Namespaces and mounts.
    "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "open_by_handle_at": (304, 265),
    # Large kernel subsystems with a history of exploits.
    "bpf": (321, 280), "perf_event_open": (298, 241), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "userfaultfd": (323, 282),
}  # fmt: skip

_SECCOMP_MODE_FILTER = 2
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24  # offsets in struct seccomp_data
# By machine: column above, audit architecture, and the numbers of clone, unshare, clone3 and fcntl.
_MACHINES = {"x86_64": (0, 0xC000003E, 56, 272, 435, 72), "aarch64": (1, 0xC00000B7, 220, 97, 435, 25)}
_X32_CALLS = 0x40000000  # x86_64's second table, which the numbers above do not cover
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
# Whoever opens a file under a lease waits up to 45 s for its holder. Where the worker is not root, a candidate is the
# owner of what other jobs read, such as built modules.
_SET_LEASE, _SET_DELEGATION = 1024, 1040


def call_filter(machine: str) -> bytes:
    """Return the seccomp program (an array of struct sock_filter) for `machine`, as platform.machine() names it.

    Refused calls fail with EPERM. clone3 fails with ENOSYS: its flags are in memory that a filter cannot
    read, and the C library then falls back to clone, whose flags it can.
    """
    column, architecture, clone, unshare, clone3, fcntl = _MACHINES[machine]
    lines = [(_LOAD, 0, 0, _ARCHITECTURE), (_IF_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL)]
    lines += [
        (_LOAD, 0, 0, _NUMBER),
        (_IF_AT_LEAST, 0, 1, _X32_CALLS),
        (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),
    ]
    lines += [(_IF_EQUAL, 0, 1, clone3), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    for numbers in FORBIDDEN_CALLS.values():
        lines += [(_IF_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _REFUSE | errno.EPERM)]
    lines += [(_IF_EQUAL, 0, 5, fcntl), (_LOAD, 0, 0, _SECOND_ARGUMENT), (_IF_EQUAL, 1, 0, _SET_LEASE)]
    lines += [(_IF_EQUAL, 0, 1, _SET_DELEGATION), (_RETURN, 0, 0, _REFUSE | errno.EPERM)]
    lines += [(_RETURN, 0, 0, _ALLOW)]
    lines += [(_IF_EQUAL, 1, 0, clone), (_IF_EQUAL, 0, 3, unshare), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    lines += [
        (_IF_ANY_BIT, 0, 1, _NEW_NAMESPACES),
        (_RETURN, 0, 0, _REFUSE | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


def _forbid_calls() -> None:
    machine = platform.machine()
    if machine not in _MACHINES:
        raise OSError(errno.ENOSYS, f"the sandbox has no system call filter for {machine!r} processors")
    lines = call_filter(machine)
    program = _Program(len(lines) // 8, lines)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "this kernel does not accept system call filters (seccomp)")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run a command with fewer privileges.")
    parser.add_argument(
        "--uid", type=int, default=None, help="switch to this user; without it, no privileges are dropped"
    )
    for name in ("processes", "file-bytes", "address-bytes"):
        parser.add_argument(f"--{name}", type=int, default=None)
    parser.add_argument("command", nargs="+")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Lower the limits, switch to the user and replace this process with the command."""
    options = _parse(arguments)
    Limits(options.processes, options.file_bytes, options.address_bytes).apply()
    if options.uid is not None:
        become(options.uid)
    os.execvp(options.command[0], options.command)  # noqa: S606


if __name__ == "__main__":
    main()
