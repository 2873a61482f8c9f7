"""The scouts of an engine: CPU lanes that find out which extensions candidates need while the GPU does other work."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from typing import TypeVar

from eval_app.engine.hardware.device import Device
from eval_app.engine.orchestrator.lane import Lane, ScoutLane
from eval_app.engine.sandbox.zygote_host import HostLostError

_MAX_SCOUTS = 4
_CORES_EACH = 4
T = TypeVar("T")


class Scouts:
    """A few scout lanes, handed out first come, first served. Empty for a CPU, whose lanes cost nothing to hold."""

    def __init__(self, target: Device, sandbox_kind: str, readable: tuple[str, ...], cores: int) -> None:
        """Prepare scouts for candidates that will run on `target`."""
        count = min(_MAX_SCOUTS, max(1, cores // _CORES_EACH)) if target.kind == "cuda" else 0
        self.lanes: list[Lane] = [ScoutLane(target, sandbox_kind, readable, n + 1) for n in range(count)]
        self._free: queue.Queue[Lane] = queue.Queue()

    def start(self) -> None:
        """Launch the lanes; they become ready in the background."""
        for lane in self.lanes:
            lane.start()
            self._free.put(lane)

    def stop(self) -> None:
        """End the lanes."""
        for lane in self.lanes:
            lane.stop()

    def ask(self, attempt: Callable[[Lane], T]) -> tuple[T | None, float]:
        """Run `attempt` on a free scout; return its result and the seconds waited for the scout.

        The result is None if the scout was lost: such a candidate is left to the device's lane, where a loss
        counts.
        """
        queued = time.monotonic()
        lane = self._free.get()
        waited_s = time.monotonic() - queued
        try:
            return attempt(lane), waited_s
        except HostLostError:
            lane.start()  # restarts in the background; the next caller waits for it
            return None, waited_s
        finally:
            self._free.put(lane)
