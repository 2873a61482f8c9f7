"""One call, made and timed in the same way for the reference and for the candidate."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from eval_app.engine.shared import cudart
from eval_app.engine.shared.trees import TensorSpec

_FALLBACK_L2_BYTES = 64 * 2**20
# Before a call on a CPU both sides yield their core and overwrite more than its caches hold: otherwise the
# judge, which was working, and the runner, which was waiting, would find different caches.
_CPU_FLUSH_BYTES = 4 * 2**20
_CPU_PAUSE_S = 0.0005
# The address of a small output changes the time of a 4 us kernel by up to 8 % on an H200: a random number of
# spacer blocks is held during each call, so that outputs up to this size are spread over the memory.
_SCATTERED_BYTES = 4 * 2**20
_SPACER_BYTES = 2**19
_SPACERS = 16
# The device waits before a call until the whole of it is queued, so that launches are not timed and an unsynchronised
# stream still finds its inputs poisoned: four times as long as either of the last two calls took to queue, but from
# 0.25 ms to 1 ms at 2 GHz.
_CYCLES_A_MS = 2_000_000
_SHADOW_FACTOR, _SHADOW_LEAST_MS, _SHADOW_MOST_MS = 4.0, 0.25, 1.0


# Bound before a candidate is loaded, and native: replacing a clock in Python's modules does not affect them.
_clock_ns = time.perf_counter_ns
_pause = time.sleep
_below = secrets.randbelow
_device_sleep = torch.cuda._sleep
_current_stream = torch.cuda.current_stream
# Missing in builds of torch without CUDA.
_Event: Any = getattr(torch._C, "_CudaEventBase", None)

Action = Callable[[], None]
Take = Callable[[Any], None]


def _nothing() -> None:
    """Do nothing: default action."""


def _leave(result: Any) -> None:
    """Ignore the result: default action."""


@dataclass(frozen=True)
class TimedCall:
    """One call: its result, its own time, and how long the device was still busy afterwards."""

    result: Any
    ms: float
    tail_ms: float


class Caller:
    """Makes calls on one device; owns the buffer that flushes its cache."""

    def __init__(self, device: torch.device) -> None:
        """Store the device of the inputs."""
        self._device = device
        self._flush: torch.Tensor | None = None
        self._spacers: list[torch.Tensor] = []
        # Milliseconds that the last two calls took to queue.
        self._queueing_ms = (_SHADOW_MOST_MS, _SHADOW_MOST_MS)

    def prepare(self, outputs: list[TensorSpec]) -> None:
        """Poison the memory that an allocation of an output's size would get, and reset pinned cache lines."""
        if self._device.type == "cuda":
            self._scatter(sum(spec.size_bytes for spec in outputs))
        blocks = [torch.empty(spec.size_bytes, dtype=torch.uint8, device=self._device) for spec in outputs]
        for block in blocks:
            block.fill_(0xFF)
        del blocks
        if self._device.type == "cuda":
            cudart.reset_persisting_l2()
            torch.cuda.synchronize()
        else:
            _pause(_CPU_PAUSE_S)
            self._flush_buffer().zero_()

    def _scatter(self, size_bytes: int) -> None:
        """Hold different memory than in the last call, so that small outputs vary in address."""
        self._spacers = []
        if size_bytes <= _SCATTERED_BYTES:
            spacer_bytes = max(size_bytes, _SPACER_BYTES)
            self._spacers = [
                torch.empty(spacer_bytes, dtype=torch.uint8, device=self._device).fill_(0xFF)
                for _ in range(_below(_SPACERS))
            ]

    def late(self, inputs: list[torch.Tensor], sources: list[torch.Tensor], *, early: bool) -> Action:
        """Return an action that copies `sources` to `inputs` in stream order: an unsynchronised stream reads poison.

        With `early` the action waits until the copies are complete. Both lists have the same shapes and
        dtypes.
        """

        def fill() -> None:
            for target, source in zip(inputs, sources, strict=True):
                target.copy_(source)
            if early:
                torch.cuda.synchronize()

        return fill if self._device.type == "cuda" else _nothing

    def call(
        self, function: Callable[..., Any], inputs: list[Any], before: Action = _nothing, take: Take = _leave
    ) -> TimedCall:
        """Call `function(*inputs)` between `before()` and `take(result)`; time only the call, in milliseconds."""
        if self._device.type == "cuda":
            return self._call_on_gpu(function, inputs, before, take)
        started = _clock_ns()
        result = function(*inputs)
        ended = _clock_ns()
        take(result)
        return TimedCall(result, (ended - started) / 1e6, 0.0)

    def _call_on_gpu(
        self, function: Callable[..., Any], inputs: list[Any], before: Action, take: Take
    ) -> TimedCall:
        """Queue everything in one stream: a wait that hides launches, the inputs, a flush of the L2 cache,
        the call between two events, the copy of the outputs. Then wait for the device."""
        begin, end = (_Event(enable_timing=True) for _ in range(2))
        stream = _current_stream()
        _device_sleep(self._shadow_cycles())  # type: ignore[no-untyped-call]
        queued_from = _clock_ns()
        before()
        self._flush_buffer().zero_()
        begin.record(stream)
        result = function(*inputs)
        end.record(stream)
        take(result)
        self._queueing_ms = self._queueing_ms[1], (_clock_ns() - queued_from) / 1e6
        end.synchronize()
        stream.synchronize()
        window_closed = _clock_ns()
        cudart.synchronize_code()
        return TimedCall(result, begin.elapsed_time(end), (_clock_ns() - window_closed) / 1e6)

    def _shadow_cycles(self) -> int:
        """Return the cycles that the device waits before the next call."""
        wanted_ms = _SHADOW_FACTOR * max(self._queueing_ms)
        return int(_CYCLES_A_MS * min(_SHADOW_MOST_MS, max(_SHADOW_LEAST_MS, wanted_ms)))

    def _flush_buffer(self) -> torch.Tensor:
        """Return a uint8 buffer of twice a GPU's L2 cache, or larger than the caches of a CPU core."""
        if self._flush is None:
            self._flush = torch.empty(self._flush_bytes(), dtype=torch.uint8, device=self._device)
        return self._flush

    def _flush_bytes(self) -> int:
        if self._device.type == "cpu":
            return _CPU_FLUSH_BYTES
        properties = torch.cuda.get_device_properties(self._device)
        return 2 * (getattr(properties, "L2_cache_size", 0) or _FALLBACK_L2_BYTES)


def use_ieee() -> None:
    """Use full fp32 everywhere: no TF32, no reduced-precision accumulation, no autotuning by earlier shapes."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cudnn.benchmark = False
