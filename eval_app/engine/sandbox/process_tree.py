"""Resource use of a sandbox's processes, read from /proc: memory, processor time, counts. It cannot be forged
from inside."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat after the name, which ends with the last parenthesis (proc(5), counted from state =
# 0).
_PARENT, _USER, _SYSTEM, _CHILD_USER, _CHILD_SYSTEM, _RESIDENT = 1, 11, 12, 13, 14, 21
# More than the file's fields take together: 52 of at most 20 digits and a name.
_STAT_BYTES = 4096
# The processor clock of a process, by its id: (~id << 3) | CPUCLOCK_SCHED (Linux, posix-timers.h).
_CPU_CLOCK = 2
_BLOCK_BYTES = 512  # of st_blocks, whatever the file system
_SEARCH_S = 0.5
FREEZE_S = 5.0
_LOOK_S = 0.0001
# A thread counts as stopped some microseconds before it has left its processor.
_LEAVING_S = 0.0005
# Stopped by a signal, ended and not yet collected, and gone.
_STOPPED = ("T", "Z", "X")


def _stat(pid: str) -> list[str] | None:
    """Return the fields after the name, None for a process that is gone.

    Hundreds are read ten times per second: without a file object each takes half the time.
    """
    descriptor = -1
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        return os.read(descriptor, _STAT_BYTES).rpartition(b")")[2].decode().split()
    except OSError:
        return None
    finally:
        if descriptor >= 0:
            os.close(descriptor)


class Processes:
    """The stat fields of all processes, cached briefly and shared by all callers: reading them costs milliseconds."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._stats: dict[int, list[str]] = {}

    def stats(self, max_age_s: float) -> dict[int, list[str]]:
        """Return the fields by process id, at most `max_age_s` old."""
        with self._lock:
            if time.monotonic() - self._read_at > max_age_s:
                names = (name for name in os.listdir("/proc") if name.isdigit())
                self._stats = {int(name): stat for name in names if (stat := _stat(name))}
                self._read_at = time.monotonic()
            return self._stats


_processes = Processes()


def descendants(root: int, max_age_s: float = 0.0) -> dict[int, list[str]]:
    """Return the stat fields of `root` and all its descendants."""
    stats = _processes.stats(max_age_s)
    children: dict[int, list[int]] = {}
    for pid, fields in stats.items():
        children.setdefault(int(fields[_PARENT]), []).append(pid)
    tree, waiting = {}, [root]
    while waiting:
        pid = waiting.pop()
        if pid in stats and pid not in tree:
            tree[pid] = stats[pid]
            waiting += children.get(pid, [])
    return tree


def held_bytes(root: int, limit_bytes: int, max_age_s: float = 0.0) -> int:
    """Return the memory that is resident in `root` and its descendants.

    Forked processes share most of their pages, which count once for each up to `limit_bytes`. Above it every process
    is asked for its share, which takes milliseconds; one that cannot be asked in time counts in full.
    """
    tree = descendants(root, max_age_s)
    resident = {pid: int(stat[_RESIDENT]) * _PAGE_BYTES for pid, stat in tree.items()}
    if sum(resident.values()) <= limit_bytes:
        return sum(resident.values())
    deadline = time.monotonic() + _SEARCH_S
    return sum(_share_bytes(pid, whole, deadline) for pid, whole in resident.items())


def _share_bytes(pid: int, resident_bytes: int, deadline: float) -> int:
    """Return a process's proportional set size (proc(5): a page of n processes counts 1/n), or all that is resident."""
    if time.monotonic() > deadline:
        return resident_bytes
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8", errors="replace") as file:
            shares = [int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:")]
    except OSError:
        return resident_bytes
    return sum(shares) if shares else resident_bytes


def busy_s(root: int) -> float:
    """Return the processor seconds of `root` and its descendants, ended threads and reaped children included."""
    return sum(_busy_s(pid, stat) for pid, stat in descendants(root).items())


def _busy_s(pid: int, stat: list[str]) -> float:
    """Return the processor seconds of one process, to the nanosecond, and of its reaped children, in ticks."""
    ticks = int(stat[_CHILD_USER]) + int(stat[_CHILD_SYSTEM])
    own_s = _own_s(pid)
    if own_s is None:
        own_s = (int(stat[_USER]) + int(stat[_SYSTEM])) / _TICKS_PER_S
    return own_s + ticks / _TICKS_PER_S


def unmapped_bytes(root: int) -> int:
    """Return the shared memory that the descendants of `root` hold by descriptors, beyond what is resident in them.

    A memfd that is written and not mapped is resident in no process. Looking at many descriptors takes long:
    what is not seen in time is not counted.
    """
    deadline = time.monotonic() + _SEARCH_S
    files: dict[tuple[int, int], int] = {}
    mapped = 0
    for pid in descendants(root, _SEARCH_S):
        mapped += _status_bytes(pid, "RssShmem:")
        for path in _descriptors(pid):
            if time.monotonic() > deadline:
                break
            with contextlib.suppress(OSError):
                status = os.stat(path)
                if status.st_nlink == 0 and stat.S_ISREG(status.st_mode):
                    files[status.st_dev, status.st_ino] = status.st_blocks * _BLOCK_BYTES
    return max(0, sum(files.values()) - mapped)


def page_table_bytes(root: int) -> int:
    """Return the memory of the page tables of `root` and its descendants, which is resident in no process.

    A page for each 2 MiB of addresses that are read is enough to fill them, and holds nothing.
    """
    return sum(_status_bytes(pid, "VmPTE:") for pid in descendants(root, _SEARCH_S))


def _descriptors(pid: int) -> list[str]:
    folder = f"/proc/{pid}/fd"
    try:
        return [f"{folder}/{name}" for name in os.listdir(folder)]
    except OSError:
        return []


def _status_bytes(pid: int, name: str) -> int:
    """Return an amount of memory that /proc/PID/status has under `name`."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(name))
    except OSError:
        return 0


def freeze(root: int, *, frozen: bool, within_s: float = FREEZE_S) -> bool:
    """Stop all descendants of `root`, or let them go on; return whether that was done.

    A process in a long system call stops when the call ends, one that is being forked is not yet seen, and another
    may have itself continued. It is therefore done when the same processes are seen twice and all their threads have
    stopped. It gives up on processes that work on, or keep being replaced, for longer than `within_s`.
    """
    deadline = time.monotonic() + within_s
    done: set[int] = set()
    before: set[int] | None = None
    while True:
        now = set(_offspring(root))
        for pid in now - done:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP if frozen else signal.SIGCONT)
        done = set(filter(_has_stopped, now)) if frozen else done | now
        if now == before and now <= done:
            return True
        if time.monotonic() > deadline:
            return False
        before = now
        time.sleep(_LOOK_S)


def clocks(root: int) -> dict[int, float]:
    """Return the processor seconds of each descendant of `root` by its id; one that has ended has no clock."""
    times = ((pid, _own_s(pid)) for pid in _offspring(root))
    return {pid: own_s for pid, own_s in times if own_s is not None}


def has_run(since: dict[int, float]) -> bool:
    """Return whether processes have run since their `clocks` were read, or ended.

    A stop signal does not last: a timer of its own, or a descriptor that sends a signal, continues a process.
    """
    now = [(_own_s(pid), before_s) for pid, before_s in since.items()]
    return any(s is None for s, _ in now) or sum(s - before_s for s, before_s in now if s) > _LEAVING_S


def _own_s(pid: int) -> float | None:
    try:
        return time.clock_gettime(~pid << 3 | _CPU_CLOCK)
    except OSError:
        return None


def _has_stopped(pid: int) -> bool:
    """Return whether no thread of a process can run: a process that has ended, or all of whose threads have stopped."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return True
    fields = [_stat(f"{pid}/task/{thread}") for thread in threads]
    return all(field is None or field[0] in _STOPPED for field in fields)


def _offspring(root: int) -> Iterator[int]:
    """Yield the descendants of `root`, from the kernel's own lists of children: quicker than reading all processes.

    One file at a time is open, however long a chain of processes is: of those beyond a limit none would be seen.
    """
    waiting = [root]
    while waiting:
        children = _children(waiting.pop())
        yield from children
        waiting += children


def _children(pid: int) -> list[int]:
    """Return the children of a process, none if it has ended."""
    children: list[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with (
                contextlib.suppress(FileNotFoundError, ProcessLookupError),
                open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file,
            ):
                children += map(int, file.read().split())
    return children


@dataclass(frozen=True)
class Memory:
    """The machine's memory in bytes."""

    total: int
    available: int
    # Of all processes: memory that is shared, or in files in memory; and that of their page tables.
    shared: int
    page_tables: int = 0


def memory() -> Memory:
    """Return the machine's memory at this moment."""
    fields = {}
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            name, _, rest = line.partition(":")
            fields[name] = int(rest.split()[0]) * 1024
    available = fields.get("MemAvailable", fields["MemFree"])
    return Memory(fields["MemTotal"], available, fields.get("Shmem", 0), fields.get("PageTables", 0))
