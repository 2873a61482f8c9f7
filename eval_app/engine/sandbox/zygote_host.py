"""The orchestrator's side of a zygote: start it in its sandbox, have it fork and clean up, replace it."""

from __future__ import annotations

import itertools
import os
import random
import secrets
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from eval_app.engine.sandbox import process_tree, scratch
from eval_app.engine.sandbox.bubblewrap import Sandbox, python_path
from eval_app.engine.sandbox.channel import (
    Channel,
    ChannelClosedError,
    ChannelTimeoutError,
    MalformedMessageError,
)
from eval_app.engine.sandbox.privileges import Limits

START_TIMEOUT_S = 180.0
REAP_TIMEOUT_S = 15.0
READY_TIMEOUT_S = 60.0
LOG_BYTES = 16_384
# Of all messages of a child: build requests with all of their sources, or a few messages for each of ten thousand timed
# calls. To read so much takes some three seconds.
JOB_BYTES = 32 * 2**20
# Memory limits are checked ten times per second; lanes that check at the same moment share one reading.
_USAGE_AGE_S = 0.05
# One host user per job, so that process counts and leftovers are separate.
_uids = itertools.cycle(range(random.randrange(100_000, 150_000), 1_000_000_000))  # noqa: S311


_launcher = ThreadPoolExecutor(1, thread_name_prefix="launcher")


def new_uid() -> int:
    """Return a host user that no other job uses."""
    return next(_uids)


class HostLostError(RuntimeError):
    """A zygote is gone or does not answer: the lane needs new ones."""


class Log:
    """The last bytes that a job wrote to stdout and stderr; always drained, so that the job never blocks on it."""

    def __init__(self) -> None:
        """Open the pipe and start reading."""
        self._read_end, self.write_end = os.pipe()
        self._tail = bytearray()
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        while data := os.read(self._read_end, 65_536):
            self._tail = (self._tail + data)[-LOG_BYTES:]
        os.close(self._read_end)

    def text(self) -> str:
        """Return the retained text, once the writers are gone."""
        self._thread.join(timeout=2.0)
        return bytes(self._tail).decode("utf-8", "replace").replace("\x00", "?")


@dataclass(frozen=True)
class Child:
    """One forked role: its control channel and its log."""

    control: Channel
    log: Log

    def wait_ready(self) -> None:
        """Block until it waits for its order, with a context of its own on a GPU. Raises HostLostError with
        its log."""
        try:
            self.control.receive(READY_TIMEOUT_S)
        except (ChannelClosedError, ChannelTimeoutError, MalformedMessageError) as error:
            self.control.close()
            raise HostLostError(
                f"a child process did not start ({error}): {self.log.text()[-1500:].strip()}"
            ) from None


class ZygoteHost:
    """One zygote in its sandbox, restarted when it breaks. Not thread-safe: its lane serialises access."""

    def __init__(self, role: str, device: str, sandbox: Sandbox, limits: Limits) -> None:
        """Store the settings; `device` is "cpu" or "cuda". `start` launches the process."""
        self.role, self.device, self._sandbox, self._limits = role, device, sandbox, limits
        # Held while the process is launched or killed: `stop` may come from another thread.
        self._changing = threading.Lock()
        self._stopped = False
        self._process: subprocess.Popen[bytes] | None = None
        self._control: Channel | None = None
        self._stderr = Log()
        self._ready = False
        self._sequence = 0  # of the last message sent; each answer repeats the number that it answers
        self.versions: dict[str, str] = {}
        self.starts = 0
        # Where the present job's files are, inside the sandbox: a name that no earlier job could know.
        self.folder = ""
        # What its processes had spent when they were last frozen.
        self._frozen: dict[int, float] = {}
        # Whether the present job's processes did not all stop once: nobody waits for them again.
        self._is_restless = False

    def start(self) -> None:
        """Launch the process in place of the present one; `wait_ready` returns once torch is imported.

        After `stop` nothing is launched, and `wait_ready` raises.
        """
        with self._changing:
            self._kill()
            if not self._stopped:
                self._launch()

    def _launch(self) -> None:
        self._stderr = Log()
        mine, theirs = Channel.pair()
        argv = [str(python_path()), "-P", "-m", "eval_app.engine.sandbox.zygote", self.role, self.device]
        command = self._sandbox.command([*argv, str(theirs.fileno()), self._sandbox.kind])
        self._process = _start_process(
            command, env=self._sandbox.variables(), pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
            stdout=self._stderr.write_end, stderr=self._stderr.write_end, start_new_session=True, cwd="/",
        )  # fmt: skip
        theirs.close()
        os.close(self._stderr.write_end)
        self._control, self._ready, self._sequence = mine, False, 0
        self.starts += 1

    def wait_ready(self) -> None:
        """Block until it can fork, launched again if it was lost. Raises HostLostError with its log if it cannot."""
        if self._process is None:
            self.start()
        if not self._ready:
            self.versions = {k: str(v) for k, v in self._ask_ready().get("versions", {}).items()}
            self._ready = True

    def _ask_ready(self) -> dict[str, Any]:
        return self._receive(START_TIMEOUT_S)

    @property
    def pid(self) -> int:
        """Return the id of the process at the root of the sandbox."""
        return self._process.pid if self._process else 0

    def spawn(self, peer: Channel, uid: int) -> Child:
        """Fork a child that runs as `uid` and holds `peer`; the caller closes its own copy."""
        self.wait_ready()
        log, self._is_restless = Log(), False
        mine, theirs = Channel.pair()
        mine.allow(JOB_BYTES)
        self.folder = f"/tmp/job-{secrets.token_hex(8)}"  # noqa: S108
        message = {"op": "spawn", "uid": uid, "folder": self.folder, "limits": asdict(self._limits)}
        descriptors = [theirs.fileno(), peer.fileno(), log.write_end]
        try:
            self._send(message, descriptors)
            self._receive(REAP_TIMEOUT_S)
        finally:
            theirs.close()
            os.close(log.write_end)
        return Child(mine, log)

    def reap(self, linger_s: float = 0.0) -> None:
        """Start killing what remains of the job, whose main process has `linger_s` to end by itself.

        `reaped` waits for the result, so that two hosts can work in parallel. Raises HostLostError if the
        zygote is gone.
        """
        self._send({"op": "reap", "linger_s": linger_s})

    def reaped(self) -> dict[str, Any]:
        """Return how the job's main process ended, once nothing remains of it. Raises HostLostError on failure.

        If the zygote could not clear away all that the job left, it is replaced: the job keeps its result, and
        the next one gets a new sandbox.
        """
        ended = self._receive(REAP_TIMEOUT_S)
        if ended.get("stuck"):
            self.kill()
            raise HostLostError(f"a process of the {self.role} survived SIGKILL")
        if ended.get("left"):
            self.start()
        return ended

    def held_bytes(self, limit_bytes: int) -> int:
        """Return the memory resident in the sandbox's processes, exact above `limit_bytes`, read a moment ago."""
        return process_tree.held_bytes(self.pid, limit_bytes, _USAGE_AGE_S)

    def unmapped_bytes(self) -> int:
        """Return the shared memory that the sandbox holds beyond what is resident in its processes."""
        return process_tree.unmapped_bytes(self.pid)

    def page_table_bytes(self) -> int:
        """Return the memory of the page tables of the sandbox's processes."""
        return process_tree.page_table_bytes(self.pid)

    def busy_s(self) -> float:
        """Return the processor seconds of the sandbox's processes."""
        return process_tree.busy_s(self.pid)

    def freeze(self, *, frozen: bool) -> bool:
        """Stop the sandbox's processes, or let them go on; return whether all of them did, and none ran meanwhile."""
        stayed = frozen or not process_tree.has_run(self._frozen)
        waits_s = 0.0 if frozen and self._is_restless else process_tree.FREEZE_S
        done = process_tree.freeze(self.pid, frozen=frozen, within_s=waits_s)
        self._is_restless |= not done
        self._frozen = process_tree.clocks(self.pid) if frozen else {}
        return done and stayed

    def stop(self) -> None:
        """End the sandbox and everything in it for good."""
        self._stopped = True
        self.kill()

    def kill(self) -> None:
        """End the sandbox and everything in it; it can be started again."""
        with self._changing:
            self._kill()

    def _kill(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            _kill_tree(self._process)
            if self._sandbox.kind == "none":  # otherwise it was in the sandbox's own memory
                scratch.delete(self.folder)
            self._process = None

    def _send(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        self._sequence += 1
        try:
            self._line().send(message | {"sequence": self._sequence}, list(descriptors))
        except ChannelClosedError as error:
            raise self._lost(error) from error

    def _receive(self, timeout_s: float) -> dict[str, Any]:
        try:
            answer = self._line().receive(timeout_s)
        except (ChannelClosedError, ChannelTimeoutError, MalformedMessageError) as error:
            raise self._lost(error) from error
        if answer.get("sequence", 0) != self._sequence:
            raise self._lost(RuntimeError(f"answer {answer.get('sequence')} to message {self._sequence}"))
        return answer

    def _line(self) -> Channel:
        """Return the channel to the zygote. Raises HostLostError if it was stopped meanwhile, as at the
        engine's end."""
        if self._control is None:
            raise HostLostError(f"the {self.role} was stopped")
        return self._control

    def _lost(self, error: Exception) -> HostLostError:
        self.kill()
        return HostLostError(
            f"the {self.role}'s zygote was lost ({error}): {self._stderr.text()[-1500:].strip()}"
        )


def _start_process(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a process as Popen does, from a thread that lives as long as this process.

    The kernel ends a sandbox with the thread that created it, so a short-lived thread must not be its parent.
    """

    def launch() -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, **options)  # noqa: S603

    return _launcher.submit(launch).result()


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL the sandbox's root, which ends its PID namespace; without one, kill its children one by one."""
    for pid in sorted(process_tree.descendants(process.pid), reverse=True):
        try:
            os.kill(pid, 9)
        except ProcessLookupError:
            continue
    process.kill()
    process.wait()
