"""Running one compiler: in a process group of its own, with a deadline and a capped log."""

import contextlib
import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

HEAD_BYTES, TAIL_BYTES = 12_000, 6_000  # of a log: the first error matters most, then the end
_POLL_S = 0.1

# Set inside the sandbox by a shell that then becomes the compiler: no race with the compiler's own children.
_LAUNCH = (
    'cd "$1" && export TMPDIR="$1" && ulimit -c 0 && ulimit -v "$2" && ulimit -f "$3" && shift 3 && exec "$@"'
)
# Messages of a compiler that ran out of resources: its driver then exits with status 1 or 2, as for an error.
# A program may print them itself; it is then only compiled again.
_SHORTAGES = re.compile(
    r"Killed signal|virtual memory exhausted|out of memory|Cannot allocate memory|std::bad_alloc|memory exhausted"
    r"|No space left on device|Disk quota exceeded|Resource temporarily unavailable|Too many open files"
    r"|internal compiler error|Input/output error|Text file busy"
    # Of nvcc, of ptxas and nvlink, and of g++ about its linker.
    r"|died due to signal|Memory allocation failure|terminated with signal",
    re.IGNORECASE,
)
MAX_ADDRESS_KB = 8 * 1024 * 1024
MAX_FILE_BLOCKS = 2 * 1024 * 1024  # of 512 bytes: 1 GB


@dataclass(frozen=True)
class Finished:
    """Result of a command."""

    returncode: int | None  # None: killed by the engine
    reason: str  # "exited", "timeout" or "cancelled"
    log: str
    seconds: float

    @property
    def ok(self) -> bool:
        """Return whether the command exited by itself with status 0."""
        return self.reason == "exited" and self.returncode == 0

    @property
    def short_of(self) -> str:
        """Return the compiler's message if it ran out of memory, disk or processes; otherwise empty."""
        match = None if self.ok else _SHORTAGES.search(self.log)
        return match[0] if match else ""


def limited(argv: Sequence[str], folder: str) -> list[str]:
    """Return the command to run in `folder` with limits on memory and file size."""
    return ["/bin/sh", "-c", _LAUNCH, "sh", folder, str(MAX_ADDRESS_KB), str(MAX_FILE_BLOCKS), *argv]


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    timeout_s: float,
    cancelled: Callable[[], bool] = lambda: False,
) -> Finished:
    """Run a command and wait for it.

    Its process group is killed at the deadline, on cancellation, and at the end.
    """
    started = time.monotonic()
    process = subprocess.Popen(  # noqa: S603 - built by plan, wrapped by the sandbox
        argv, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip
    log = _CappedLog()
    try:
        reason = _drain(process, log, started + timeout_s, cancelled)
    finally:
        _kill_group(process)
    returncode = process.returncode if reason == "exited" else None
    return Finished(returncode, reason, log.text(), time.monotonic() - started)


def _drain(
    process: subprocess.Popen[bytes], log: "_CappedLog", deadline: float, cancelled: Callable[[], bool]
) -> str:
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    os.set_blocking(descriptor, False)
    with selectors.PollSelector() as selector:  # not epoll: see Attempt
        selector.register(descriptor, selectors.EVENT_READ)
        while True:
            if cancelled():
                return "cancelled"
            if time.monotonic() > deadline:
                return "timeout"
            if selector.select(_POLL_S) and log.read(descriptor) == 0:
                return _ended(process, deadline)
            if process.poll() is not None:
                log.read(descriptor)
                return "exited"


def _ended(process: subprocess.Popen[bytes], deadline: float) -> str:
    """Wait until the deadline for the command to exit after closing its output."""
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return "timeout"
    return "exited"


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


class _CappedLog:
    """Beginning and end of a stream; the middle is counted and dropped."""

    def __init__(self) -> None:
        self._head, self._tail, self._dropped = bytearray(), bytearray(), 0

    def read(self, descriptor: int) -> int:
        """Read what is available; return 0 at the end of the stream."""
        try:
            chunk = os.read(descriptor, 65536)
        except BlockingIOError:
            return -1
        room = HEAD_BYTES - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[max(room, 0) :]
        surplus = len(self._tail) - TAIL_BYTES
        if surplus > 0:
            del self._tail[:surplus]
            self._dropped += surplus
        return len(chunk)

    def text(self) -> str:
        """Return the retained text."""
        gap = f"\n[... {self._dropped:,} bytes left out ...]\n".encode() if self._dropped else b""
        return bytes(self._head + gap + self._tail).decode("utf-8", "replace").replace("\0", "")
