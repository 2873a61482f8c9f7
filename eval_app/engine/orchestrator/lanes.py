"""The lanes of an engine: a job takes any free healthy one; after a fault a lane is restarted and retested first."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from eval_app.engine.orchestrator.lane import Lane
from eval_app.engine.sandbox.zygote_host import HostLostError

_POLL_S = 0.2
# Delay before a lane that failed its self-test is tried again.
RETRY_S = 30.0
# States of a lane: free, running a job, being restarted and retested, or failing its self-test.
FREE, BUSY, TESTING, BROKEN = "free", "busy", "testing", "broken"


class CancelledWaitError(Exception):
    """The job was cancelled before it held a lane."""


@dataclass
class LaneHealth:
    """State of one lane, for people."""

    state: str = FREE
    detail: str = ""
    restarts: int = 0


class Lanes:
    """Hands lanes to jobs. Thread-safe."""

    def __init__(self, lanes: list[Lane], retest: Callable[[Lane], str]) -> None:
        """Store the lanes; `retest(lane)` returns what failed in the lane's self-test, empty if it passed.
        HostLostError is a failure."""
        self.all = lanes
        self.health = {lane.name: LaneHealth() for lane in lanes}
        self._retest = retest
        self._free = deque(lanes)
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._repair_threads: list[threading.Thread] = []

    def start(self) -> None:
        """Launch all lanes; they become ready in parallel."""
        for lane in self.all:
            lane.start()

    def stop(self) -> None:
        """End all lanes, those under repair included."""
        self._stopping.set()
        for lane in self.all:
            lane.stop()
        for thread in self._repair_threads:
            thread.join(timeout=10)

    def take(self, cancelled: Callable[[], bool], only: Lane | None = None) -> Lane:
        """Wait for a free lane, for `only` if given. Raises HostLostError if all are broken."""
        with self._changed:
            while (lane := self._pick(only)) is None:
                if cancelled():
                    raise CancelledWaitError
                self._refuse_if_broken(only)
                self._changed.wait(_POLL_S)
            self._free.remove(lane)
            self.health[lane.name].state = BUSY
            return lane

    def _pick(self, only: Lane | None) -> Lane | None:
        if only is not None:
            return only if only in self._free else None
        return self._free[0] if self._free else None

    def _refuse_if_broken(self, only: Lane | None) -> None:
        candidates = [self.health[lane.name] for lane in ([only] if only else self.all)]
        if all(health.state == BROKEN for health in candidates):
            raise HostLostError("no lane works: " + "; ".join(health.detail for health in candidates))

    def give(self, lane: Lane, fault: str = "") -> None:
        """Return a lane. If `fault` says why it may be unreliable, it is first restarted and retested."""
        if fault and not self._stopping.is_set():
            self._note(lane, TESTING, fault)
            thread = threading.Thread(
                target=self._repair, args=[lane], name=f"repair {lane.name}", daemon=True
            )
            self._repair_threads = [*(m for m in self._repair_threads if m.is_alive()), thread]
            thread.start()
            return
        with self._changed:
            self.health[lane.name].state = FREE
            self._free.append(lane)
            self._changed.notify_all()

    @contextmanager
    def hold(self, lane: Lane) -> Iterator[None]:
        """Hold a particular lane for the block."""
        self.take(lambda: False, lane)
        try:
            yield
        finally:
            self.give(lane)

    def _repair(self, lane: Lane) -> None:
        """Restart and retest a lane, repeatedly with a delay, until it passes or the engine ends."""
        while not self._stopping.is_set():
            fault = self._fault_of(lane) and self._fault_of(lane)  # with one immediate retry
            if not fault:
                self.health[lane.name].detail = ""
                self.give(lane)
                return
            self._note(lane, BROKEN, fault)
            self._stopping.wait(RETRY_S)

    def _fault_of(self, lane: Lane) -> str:
        try:
            lane.restart()
            self.health[lane.name].restarts += 1
            return self._retest(lane)
        except Exception as error:  # whatever it is, the lane must be tried again, not forgotten
            return f"{type(error).__name__}: {error}"

    def _note(self, lane: Lane, state: str, detail: str) -> None:
        with self._changed:
            self.health[lane.name].state = state
            self.health[lane.name].detail = f"{lane.name}: {detail}"[:500]
            self._changed.notify_all()
