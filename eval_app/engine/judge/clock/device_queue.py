"""What the judge queues on a GPU around calls: times, waits, an empty cache, and memory for copy engines."""

from __future__ import annotations

import secrets

import torch

from eval_app.engine.judge.verdicts import UnreadableError

# Longer than it takes to queue copies on an idle host: about 1 ms, and 10 us for each.
_COPYING_CYCLES, _COPYING_CYCLES_EACH = 2_000_000, 20_000
# How many times as long a head start may become, and how often what outlasted one is queued anew.
_LONGEST, HEAD_STARTS = 16, 3
_FALLBACK_L2_BYTES = 64 * 2**20
# A copy engine needs some 40 to 80 us for them.
_DITHER_BYTES = 2**21
_device_sleep = torch.cuda._sleep


class Stopwatch:
    """Times pieces of the current stream's work by events of the device."""

    def __init__(self) -> None:
        """Start without pieces."""
        self._pieces: list[tuple[torch.cuda.Event, torch.cuda.Event]] = []

    def __enter__(self) -> None:
        """Begin a piece."""
        self._pieces.append((torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)))
        self._pieces[-1][0].record()

    def __exit__(self, *error: object) -> None:
        """End the piece."""
        self._pieces[-1][1].record()

    def times_ms(self) -> list[float]:
        """Return the time of each piece, once the device has done them."""
        for _, end in self._pieces:
            end.synchronize()
        return [begin.elapsed_time(end) for begin, end in self._pieces]


class HeadStart:
    """Keeps the current stream busy while the host queues what is timed there, so that nothing waits for its launch.

    A busy host takes several times as long as an idle one: where a head start is not enough, the next is longer.
    """

    def __init__(self) -> None:
        """Begin with the shortest."""
        self._times = 1
        self._end: torch.cuda.Event | None = None

    def give(self, cycles: int) -> None:
        """Keep the stream busy for as many cycles of an idle host."""
        _device_sleep(self._times * cycles)  # type: ignore[no-untyped-call]
        self._end = torch.cuda.Event()
        self._end.record()

    def give_for_copies(self, copies: int) -> None:
        """Keep the stream busy while `copies` copies are queued."""
        self.give(_COPYING_CYCLES + copies * _COPYING_CYCLES_EACH)

    def was_enough(self) -> bool:
        """Return whether the stream is still kept busy, now that all is queued."""
        enough = self._end is not None and not self._end.query()
        if not enough:
            self._times = min(2 * self._times, _LONGEST)
        return enough


def flush_cache() -> None:
    """Overwrite twice the GPU's L2 cache, as before single calls: it would still hold values written just before."""
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    size = 2 * (getattr(properties, "L2_cache_size", 0) or _FALLBACK_L2_BYTES)
    torch.empty(size, dtype=torch.uint8, device="cuda").zero_()


class Dither:
    """Delays a copy engine at random, by up to several of the periods of some 8 us in which a device looks whether what
    it waits for is there: else times would be multiples of that, and a little more work would take 8 us or nothing.
    """

    def __init__(self) -> None:
        """Allocate what is copied."""
        self._there = torch.empty(_DITHER_BYTES, dtype=torch.uint8, device="cuda")
        self._here = pinned_like(self._there)

    def __call__(self) -> None:
        """Queue a delay of a random length."""
        size = secrets.randbelow(_DITHER_BYTES)
        self._there[:size].copy_(self._here[:size], non_blocking=True)


def pinned_like(tensor: torch.Tensor) -> torch.Tensor:
    """Return host memory of the same form that the device's copy engines reach. Raises UnreadableError if there is
    none."""
    try:
        return torch.empty_like(tensor, device="cpu", pin_memory=True)
    except RuntimeError as error:
        raise UnreadableError(f"the host has no memory for them that copy engines reach: {error}") from error


def pinned(tensor: torch.Tensor) -> torch.Tensor:
    """Return a copy in such memory."""
    return pinned_like(tensor).copy_(tensor)
