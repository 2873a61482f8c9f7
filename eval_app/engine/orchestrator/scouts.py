"""The scouts of an engine: CPU lanes that find out which extensions candidates need while the GPU does other work."""

from __future__ import annotations

import contextlib
import queue
import threading
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
        self._stopping = threading.Event()
        self._launcher: threading.Thread | None = None

    def start(self) -> None:
        """Launch the lanes; they become ready in the background."""
        self._launcher = threading.Thread(target=self._launch, name="scouts", daemon=True)
        self._launcher.start()

    def _launch(self) -> None:
        """Launch the first lane, and the others once it is ready: a dozen processes that import torch at once keep all
        candidates waiting for as long as they take together."""
        for lanes in (self.lanes[:1], self.lanes[1:]):
            if not self._stopping.is_set():
                for lane in lanes:
                    lane.start()
            for lane in lanes:
                with contextlib.suppress(HostLostError):  # whoever asks next notices
                    if not self._stopping.is_set():
                        lane.wait_ready()
                self._free.put(lane)

    def stop(self) -> None:
        """End the lanes."""
        self._stopping.set()
        for lane in self.lanes:
            lane.stop()
        if self._launcher:
            self._launcher.join()

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
