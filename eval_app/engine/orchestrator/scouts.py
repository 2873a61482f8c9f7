"""An engine's scouts: lanes on the CPU that find out what candidates want compiled while the GPU does other work."""

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
    """A few scout lanes; whoever asks gets the next free one. Empty for a CPU, whose lanes cost nothing to hold."""

    def __init__(self, target: Device, sandbox_kind: str, readable: tuple[str, ...], cores: int) -> None:
        """Scouts for candidates that are to run on `target`."""
        count = min(_MAX_SCOUTS, max(1, cores // _CORES_EACH)) if target.kind == "cuda" else 0
        self.lanes: list[Lane] = [ScoutLane(target, sandbox_kind, readable, n + 1) for n in range(count)]
        self._free: queue.Queue[Lane] = queue.Queue()

    def start(self) -> None:
        """Launch them; they get ready in the background."""
        for lane in self.lanes:
            lane.start()
            self._free.put(lane)

    def stop(self) -> None:
        """End them."""
        for lane in self.lanes:
            lane.stop()

    def ask(self, attempt: Callable[[Lane], T]) -> tuple[T | None, float]:
        """What `attempt` finds on a free scout, and the seconds waited for one.

        None where the scout was lost: a candidate that ends it is left to the device's lane, whose loss counts.
        """
        queued = time.monotonic()
        lane = self._free.get()
        waited_s = time.monotonic() - queued
        try:
            return attempt(lane), waited_s
        except HostLostError:
            lane.start()  # ready again in the background: the next one to ask waits for it
            return None, waited_s
        finally:
            self._free.put(lane)
