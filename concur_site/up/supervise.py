"""Supervises processes: their output in one readable log, restarts, one clean stop."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from concur_site.up.environment import environment_for
from concur_site.up.logs import LogFile, lines_of
from concur_site.up.processes import Program

STOP_WITHIN_SECONDS = 15.0
START_AGAIN_SECONDS = 5.0  # after a start that the machine refused
# In the log files alone, since it would hide the address and the warnings: what happens to single jobs, and that
# Valkey 9, as it starts, finds its CONFIG removed, as the run has it; an empty line follows.
FOR_THE_LOG = re.compile(
    r" INFO +\S+: .*\[([^\[\]]* )?job=[^\[\]]*\]$|# <lua> Unable to determine .* unknown command 'CONFIG'|^$"
)
TIED = str(Path(__file__).with_name("tied.py"))
Say = Callable[[str], None]


def tied_to_us(program: Program) -> list[str]:
    """Return the program's command, signalled by the kernel if this process dies. Start it from the main thread."""
    return [
        sys.executable,
        "-I",
        "-S",
        TIED,
        str(int(program.orphan_signal)),
        str(os.getpid()),
        *program.command,
    ]


class Supervised:
    """One program: its current process, its log, and its recent restarts."""

    def __init__(self, program: Program, log_folder: Path, say: Say) -> None:
        self.program = program
        self.say = say
        self.log = LogFile(log_folder / f"{program.name}.log")
        self.started_at = 0.0
        self.quick_ends = 0
        self.restart_at = 0.0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603  (our own commands)
            tied_to_us(self.program),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={
                **environment_for(self.program.name, os.environ),
                "PYTHONUNBUFFERED": "1",
                **self.program.environment,
            },
            pass_fds=self.program.descriptors,
            start_new_session=True,  # Ctrl-C reaches the supervisor only, which stops them in order
        )
        self.started_at = time.monotonic()
        threading.Thread(target=self.drain, args=(self.process.stdout,), daemon=True).start()

    def drain(self, stream: IO[bytes]) -> None:
        """Pass every line on to the program's log file and the terminal until the program ends.

        Neither may block this thread: what they do not accept is dropped, since a full pipe would block the program.
        """
        for line in lines_of(stream):
            self.log.write(line)
            if not FOR_THE_LOG.search(line):
                self.say(f"{self.program.name:<8}| {line}")

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def keep_running(self) -> None:
        """Restart the program when it has ended: at once at first, then after growing pauses."""
        if self.is_running:
            return
        now = time.monotonic()
        if not self.restart_at:
            self.quick_ends = self.quick_ends + 1 if now - self.started_at < 30 else 1
            delay = min(30.0, 2.0 ** (self.quick_ends - 1) - 1)
            self.restart_at = now + delay
            status = self.process.returncode if self.process else None
            self.say(f"{self.program.name} ended with status {status}; starting it again in {delay:.0f} s")
            self.kill_group()
        if now >= self.restart_at:
            self.start_again(now)

    def start_again(self, now: float) -> None:
        """Start the program; a machine that has no room for a process now is asked again, since the others go on."""
        try:
            self.start()
        except OSError as error:
            self.restart_at = now + START_AGAIN_SECONDS
            self.say(f"{self.program.name} could not be started ({error.strerror}); it is tried again")
        else:
            self.restart_at = 0.0

    def signal(self, number: int) -> None:
        if self.is_running and self.process is not None:
            os.killpg(self.process.pid, number)

    def kill_group(self) -> None:
        """Kill the remaining processes of the program's process group."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def stop(self) -> None:
        """Terminate the program; after a grace period, kill it."""
        self.signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_WITHIN_SECONDS
        while self.is_running and time.monotonic() < deadline:
            time.sleep(0.05)
        if self.is_running:
            self.say(f"{self.program.name} did not stop within {STOP_WITHIN_SECONDS:.0f} s and is killed")
        self.kill_group()
