"""An engine's lanes: a job takes any that is free and well; one that was shaken proves itself before the next."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from eval_app.engine.orchestrator.lane import Lane
from eval_app.engine.sandbox.zygote_host import HostLostError

_POLL_S = 0.2
# A lane that fails its proof is tried again after this long.
RETRY_S = 30.0
# What a lane is doing: free, holding a job, being replaced and proved, or failing its proof.
FREE, BUSY, PROVING, BROKEN = "free", "busy", "proving", "broken"


class CancelledWaitError(Exception):
    """The job is no longer wanted; it held no lane yet."""


@dataclass
class Health:
    """How one lane is, for people."""

    state: str = FREE
    detail: str = ""
    restarts: int = 0


class Lanes:
    """Hands lanes to jobs. Thread-safe."""

    def __init__(self, lanes: list[Lane], retest: Callable[[Lane], str]) -> None:
        """`retest(lane)` holds the lane's self-test: "" if it passed, else what failed. HostLostError is a failure."""
        self.all = lanes
        self.health = {lane.name: Health() for lane in lanes}
        self._retest = retest
        self._free = deque(lanes)
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._repair_threads: list[threading.Thread] = []

    def start(self) -> None:
        """Launch all of them; they get ready side by side."""
        for lane in self.all:
            lane.start()

    def stop(self) -> None:
        """End all of them, those under repair as well."""
        self._stopping.set()
        for lane in self.all:
            lane.stop()
        for thread in self._repair_threads:
            thread.join(timeout=10)
        for lane in self.all:  # a thread may have launched one meanwhile
            lane.stop()

    def take(self, cancelled: Callable[[], bool], only: Lane | None = None) -> Lane:
        """Wait for a lane, `only` that one where given. HostLostError where all are broken."""
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
        """Hand a lane back. `fault` says why it may not be trusted: then it is replaced and proved first."""
        if fault and not self._stopping.is_set():
            self._note(lane, PROVING, fault)
            thread = threading.Thread(target=self._repair, args=[lane], name=f"mend {lane.name}", daemon=True)
            self._repair_threads = [*(m for m in self._repair_threads if m.is_alive()), thread]
            thread.start()
            return
        with self._changed:
            self.health[lane.name].state = FREE
            self._free.append(lane)
            self._changed.notify_all()

    @contextmanager
    def hold(self, lane: Lane) -> Iterator[None]:
        """Have this very lane for the block."""
        self.take(lambda: False, lane)
        try:
            yield
        finally:
            self.give(lane)

    def _repair(self, lane: Lane) -> None:
        """New zygotes, then the proof; again after a while until it passes or the engine ends."""
        while not self._stopping.is_set():
            fault = self._fault_of(lane) and self._fault_of(lane)  # a second chance at once
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
        except (HostLostError, OSError) as error:
            return str(error)

    def _note(self, lane: Lane, state: str, detail: str) -> None:
        with self._changed:
            self.health[lane.name].state = state
            self.health[lane.name].detail = f"{lane.name}: {detail}"[:500]
            self._changed.notify_all()
