"""The child processes of one process: started ahead of use, at most MOST, killed at a deadline and replaced."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from datasets_app.bounded import messages

MOST = 2  # a hostile text can occupy one; the other serves everybody else
STRETCH = 3  # times its seconds that a call may take while other programs have the processors
FULL_SHARE = 0.8  # a call that got less of its time, after waiting for a child, may succeed when repeated
ENOUGH_SHARE = 0.5  # of its time on a processor: whoever had it is not waited for any longer
STARVED_SHARE = 0.25  # of its time on a processor
START_SECONDS = 20.0  # for the first child, to import the analysis on a busy machine
ROOT = Path(__file__).resolve().parent.parent.parent
PASSED_ON = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONHASHSEED", "TZ")
ENVIRONMENT = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # the default reserves a gigabyte, which the memory limit counts
    "OMP_NUM_THREADS": "1",
}


class BusyError(Exception):
    """Every child was busy until the deadline."""


class StarvedError(TimeoutError):
    """The child reached its deadline almost without a processor: the machine was busy, and the text may be harmless."""


class StartError(Exception):
    """No child could be started."""


class Child:
    """One process and the socket to it. It ends when the socket closes."""

    def __init__(self) -> None:
        self.connection, theirs = socket.socketpair()
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "datasets_app.bounded.child"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                cwd=ROOT,
                env=environment | ENVIRONMENT,
            )
        self.is_ready = False

    def wait_until_ready(self, deadline: float) -> None:
        """Wait for the first frame. Raises TimeoutError at the deadline, ConnectionError if it does not start."""
        if not self.is_ready:
            if messages.receive(self.connection, deadline=deadline) != messages.READY:
                raise ConnectionError("an analysis process ended while it started")
            self.is_ready = True

    def ask(self, request: bytes, seconds: float) -> bytes:
        """Return the answer. Raises TimeoutError if it takes longer, ConnectionError if the process ended.

        A process that had less than ENOUGH_SHARE of `seconds` on a processor may take STRETCH times as long: other
        programs have the machine.
        """
        asked, used_before = time.monotonic(), self.processor_seconds()
        self.connection.settimeout(max(0.001, seconds))
        messages.send(self.connection, request)
        last = asked + STRETCH * seconds
        wait_until = asked + seconds
        while not self.has_written(wait_until):
            used = self.processor_seconds() - used_before
            if used >= ENOUGH_SHARE * seconds or time.monotonic() >= last:
                raise StarvedError if used < STARVED_SHARE * seconds else TimeoutError
            wait_until = min(last, time.monotonic() + ENOUGH_SHARE * seconds - used)
        answer = messages.receive(self.connection, deadline=last + seconds)
        if not answer:
            raise ConnectionError("an analysis process ended")
        return answer

    def has_written(self, deadline: float) -> bool:
        """Wait for an answer's first byte, or the end of the process; return whether one came by the deadline."""
        poll = select.poll()
        poll.register(self.connection, select.POLLIN)
        return bool(poll.poll(max(0.0, deadline - time.monotonic()) * 1_000))

    def processor_seconds(self) -> float:
        """Return the processor time that the process has used so far; 0 if it ended."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """Kill the process."""
        self.connection.close()
        self.process.kill()
        self.process.wait()


class Pool:
    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.count = 0
        self.idle: list[Child] = []
        self.changed = threading.Condition()
        self.has_answered = False

    def ask(self, request: bytes, seconds: float, patience: float = 0.0) -> bytes:
        """Return the answer. Waiting for a child takes up to `patience` seconds, or counts toward `seconds`
        if that is 0; the
        start of the very first child counts toward neither.

        Raises BusyError, StartError, TimeoutError, ConnectionError, AnswerTooLargeError.
        """
        deadline = time.monotonic() + (patience or seconds)
        child = self.ready(deadline)
        has_all = patience or not self.has_answered
        left = seconds if has_all else max(0.0, deadline - time.monotonic())
        try:
            answer = child.ask(request, left)
        except TimeoutError as error:
            self.replace(child)
            if left < FULL_SHARE * seconds:
                raise BusyError from error
            raise
        except BaseException:
            self.replace(child)
            raise
        self.has_answered = True
        if answer.startswith(messages.LEAVES):
            self.replace(child)
        else:
            self.give_back(child)
        return answer[1:]

    def ready(self, deadline: float) -> Child:
        """Return a child that has started. Raises BusyError, StartError."""
        child = self.taken(deadline)
        try:
            child.wait_until_ready(deadline + (0 if self.has_answered else START_SECONDS))
        except TimeoutError as error:
            self.give_back(child)  # it continues to start
            raise BusyError from error
        except OSError as error:
            self.replace(child)
            raise StartError from error
        except BaseException:
            self.replace(child)
            raise
        return child

    def taken(self, deadline: float) -> Child:
        with self.changed:
            while not self.idle:
                if self.count < self.most:
                    self.count += 1
                    break
                if not self.changed.wait(deadline - time.monotonic()):
                    raise BusyError
            else:
                return self.idle.pop()
        return self.started()

    def started(self) -> Child:
        try:
            return Child()
        except OSError as error:
            with self.changed:
                self.count -= 1
                self.changed.notify()
            raise StartError from error

    def give_back(self, child: Child) -> None:
        """Return a child to the pool. Ready ones are used first, the most recently used before the others."""
        with self.changed:
            self.idle.insert(len(self.idle) if child.is_ready else 0, child)
            self.changed.notify()

    def replace(self, child: Child) -> None:
        """Start another child at once, to be used after those that have started already."""
        child.stop()
        try:
            fresh = Child()
        except OSError:
            with self.changed:
                self.count -= 1
                self.changed.notify()
            return
        self.give_back(fresh)

    def start(self) -> None:
        """Start one child before the first call."""
        with self.changed:
            if self.count:
                return
            self.count += 1
        self.give_back(self.started())

    def stop(self) -> None:
        """End the idle children."""
        with self.changed:
            idle, self.idle = self.idle, []
            self.count -= len(idle)
        for child in idle:
            child.stop()
