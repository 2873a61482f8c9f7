"""Keep a few processes running: their output in one readable log, restarts, one clean stop."""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from concur_site.up.processes import Program

STOP_WITHIN_SECONDS = 15.0
LOG_LIMIT_BYTES = 20 * 2**20
Say = Callable[[str], None]


def tied_to_us(command: list[str]) -> list[str]:
    """The command under setpriv where there is one (Linux): it is told to stop if the supervisor itself is killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM", "--", *command] if setpriv else command


class Supervised:
    """One program: its process now, its log, and how often it was started lately."""

    def __init__(self, program: Program, log_folder: Path, say: Say) -> None:
        self.program = program
        self.say = say
        self.log_path = log_folder / f"{program.name}.log"
        self.started_at = 0.0
        self.quick_ends = 0
        self.restart_at = 0.0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603  (our own commands)
            tied_to_us(self.program.command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **self.program.environment},
            start_new_session=True,  # Ctrl-C reaches the supervisor alone, which stops them in order
        )
        self.started_at = time.monotonic()
        threading.Thread(target=self.drain, args=(self.process.stdout,), daemon=True).start()

    def drain(self, stream: IO[bytes]) -> None:
        """Every line to the program's log file, and to the terminal with its name in front."""
        with self.log_path.open("ab") as log:
            for line in stream:
                log.write(line)
                log.flush()
                self.say(f"{self.program.name:<8}| {line.decode(errors='replace').rstrip()}")

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def keep_running(self) -> None:
        """Start it again if it ended, at once at first and ever later if it keeps ending."""
        if self.is_running:
            return
        now = time.monotonic()
        if not self.restart_at:
            self.quick_ends = self.quick_ends + 1 if now - self.started_at < 30 else 1
            delay = min(30.0, 2.0 ** (self.quick_ends - 1) - 1)
            self.restart_at = now + delay
            status = self.process.returncode if self.process else None
            self.say(f"{self.program.name} ended with status {status}; starting it again in {delay:.0f} s")
        if now >= self.restart_at:
            self.restart_at = 0.0
            self.start()

    def signal(self, number: int) -> None:
        if self.is_running and self.process is not None:
            os.killpg(self.process.pid, number)

    def stop(self) -> None:
        """Ask; after a while, insist."""
        self.signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_WITHIN_SECONDS
        while self.is_running and time.monotonic() < deadline:
            time.sleep(0.05)
        if self.is_running:
            self.say(f"{self.program.name} did not stop within {STOP_WITHIN_SECONDS:.0f} s and is killed")
            self.signal(signal.SIGKILL)


def fresh_log_folder(folder: Path) -> Path:
    """The logs of this run; those of the one before are kept beside them as *.old, unless they grew too large."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.log"):
        if path.stat().st_size > LOG_LIMIT_BYTES:
            path.unlink()
        else:
            path.replace(path.with_suffix(".log.old"))
    return folder
