"""Device state during a timing, read many times per second by the orchestrator, never by the timed process."""

from __future__ import annotations

import bisect
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from eval_app.engine.hardware.device import Device

# A host's load is a one-minute average; a GPU's clocks change within milliseconds.
_INTERVAL_S = {"cuda": 0.02, "cpu": 0.5}
_MAX_SAMPLES = 20_000
# Clocks below this share of the run's median count as low.
_LOW_SHARE = 0.75


def _ignore_stage(stage: str, message: str) -> None:
    """Ignore the stage: default callback."""


@dataclass(frozen=True)
class Sample:
    """One reading: its time (time.monotonic, seconds) and the state."""

    at_s: float
    state: dict[str, Any]


class Sampler:
    """Calls `read` periodically in a thread between `start` and `stop`; a context manager."""

    def __init__(
        self,
        read: Callable[[], dict[str, Any]],
        interval_s: float,
        on_stage: Callable[[str, str], None] = _ignore_stage,
    ) -> None:
        """Prepare the thread; `on_stage` receives the stages that this object is told."""
        self._read, self._interval_s, self._forward_stage = read, interval_s, on_stage
        self._done = threading.Event()
        self._thread: threading.Thread | None = None
        self.samples: list[Sample] = []

    @classmethod
    def of(cls, device: Device, on_stage: Callable[[str, str], None]) -> Self:
        """Return a sampler that reads `device` as often as its state can change."""
        return cls(device.state, _INTERVAL_S[device.kind], on_stage)

    def on_stage(self, stage: str, message: str) -> None:
        """Start reading with the timing stage, and forward every stage."""
        if stage == "timing":
            self.start()
        self._forward_stage(stage, message)

    def __enter__(self) -> Self:
        """Return the sampler, not yet started: a job may end before it is timed."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop reading."""
        self.stop()

    def start(self) -> None:
        """Start reading; a second call has no effect."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop reading and wait for the thread."""
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._done.is_set() and len(self.samples) < _MAX_SAMPLES:
            try:
                self.samples.append(Sample(time.monotonic(), self._read()))
            except OSError:
                return
            self._done.wait(self._interval_s)


def summary(samples: list[Sample], begin_s: float, end_s: float) -> dict[str, Any]:
    """Return numbers as {"min", "median", "max"} and words as their union, from `begin_s` to `end_s`."""
    inside = [s for s in samples if begin_s <= s.at_s <= end_s] or samples
    if not inside:
        return {}
    names = dict.fromkeys(name for sample in inside for name in sample.state)
    ranges: dict[str, Any] = {
        name: _of_all([s.state[name] for s in inside if name in s.state]) for name in names
    }
    return {**ranges, "samples": len(inside)}


def _of_all(values: list[Any]) -> Any:
    if isinstance(values[0], list):
        return sorted({word for words in values for word in words})
    low, high = min(values), max(values)
    if low == high:
        return low
    return {"min": float(low), "median": float(statistics.median(values)), "max": float(high)}


def low_clock(samples: list[Sample], moments_s: list[float]) -> list[bool]:
    """Return for each moment whether the SM clock at the nearest reading was below three quarters of the median."""
    readings = [s for s in samples if isinstance(s.state.get("sm_mhz"), int | float)]
    if not readings:
        return [False] * len(moments_s)
    times = [sample.at_s for sample in readings]
    begin, end = min(moments_s, default=0.0), max(moments_s, default=0.0)
    inside = [s.state["sm_mhz"] for s in readings if begin <= s.at_s <= end] or [
        s.state["sm_mhz"] for s in readings
    ]
    least = _LOW_SHARE * statistics.median(inside)
    return [readings[_nearest(times, moment)].state["sm_mhz"] < least for moment in moments_s]


def _nearest(times: list[float], moment: float) -> int:
    after = bisect.bisect_left(times, moment)
    near = [place for place in (after - 1, after) if 0 <= place < len(times)]
    return min(near, key=lambda place: abs(times[place] - moment))
