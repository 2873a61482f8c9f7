"""Orders between judge and runner: announce, start, wait, and take the results out of the candidate's reach.

The window of an order opens before its first value is readable and closes when all results are in the judge's own
memory. On a GPU the calls are queued behind a gate before, so that launches are not in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import torch

from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.clock.device_queue import (
    Dither,
    HeadStart,
    Stopwatch,
    flush_cache,
    pinned_like,
)
from eval_app.engine.judge.clock.order_draw import Draw, DrawnCall, copy_in_random_order
from eval_app.engine.judge.clock.result_layouts import gaps_ms, has_gaps, in_own_layouts, specs_of
from eval_app.engine.judge.clock.result_places import ResultPlaces
from eval_app.engine.judge.clock.turns import copies_of, weigh_copies
from eval_app.engine.judge.verdicts import RejectedError, UnreadableError
from eval_app.engine.shared.arena import ALIGN_BYTES, Arena, Slot, lay_out
from eval_app.engine.shared.order import in_layout_of
from eval_app.engine.shared.trees import TensorSpec

# Calls that are not queued by then wait for the device, or fill its queue: the gate is opened for them.
_QUEUED_WITHIN_S = 0.1
# Of the results of calls that come one by one, gaps included, which all pass through host memory.
_REACH_BYTES_MAX = 2**28


def nothing() -> None:
    """Do nothing: default action."""


@dataclass(frozen=True)
class Window:
    """What an order took, in milliseconds, the judge's own two copies included."""

    total_ms: float
    results: list[list[torch.Tensor]] = field(repr=False)
    # What the judge's copies of the results take again while the candidate is frozen (CPU).
    copies_ms: float = 0.0
    # What copying takes longer because the candidate left gaps in its results: no work of its own.
    gaps_ms: float = 0.0
    # The results' shapes and strides, where they may lie otherwise than dense ones.
    specs: list[TensorSpec] = field(default_factory=list)
    # Whether all calls were queued before the values came, and whether the host was too slow to queue the judge's own
    # part of that: then launches are in the time (GPU).
    queued: bool = True
    late: bool = False
    # The time of each call, that between its copies, and what these take again while the candidate is frozen, if calls
    # come one by one.
    each_ms: list[float] = field(default_factory=list)
    between_each_ms: list[float] = field(default_factory=list)
    copies_each_ms: list[float] = field(default_factory=list)
    # Why the judge cannot read the results of calls that were made, so that there are none and no time (GPU).
    unreadable: str = ""


class OrderLine:
    """Carries out orders through one session."""

    def __init__(self, session: Session, shares_input: Callable[[int], bool]) -> None:
        """Store the session, whose buffers are open; `shares_input` as in `ResultPlaces`."""
        self._session, self._places = session, ResultPlaces(shares_input)
        # Seconds that an order may take beyond the time limit of a call.
        self.patience_s = 1.0
        self._head_start = HeadStart()
        # The gate's first and last number of the present order: calls that come one by one have a number each.
        self._first, self._number = 1, 0

    def run(self, drawn: Draw, *, ahead: bool = True, staged: Callable[[], None] = nothing) -> Window:
        """Have the candidate make the order. With `ahead` its calls are queued before the values come (GPU). `staged`
        is called once the candidate has read what to call, before the values come.

        Raises RejectedError for what the candidate does, UnreadableError where no calls can be made. Where they are
        made and cannot be read in place, the window says so: what they do to their inputs shows all the same.
        """
        arena, size = self._session.arena, drawn.values.numel()
        if drawn.values.is_cuda and arena.kind != "cuda_ipc":
            raise UnreadableError("the buffers go through the host")
        if not any(call.truth for call in drawn.calls):
            raise UnreadableError("the task returns no tensor")
        targets, end = _targets(drawn, size)
        if arena.kind != "cuda_ipc":  # sizes may depend on values, and exceed those of the first draw
            self._session.make_room(end)
            arena = self._session.arena
        numbers = len(drawn.calls) if drawn.one_by_one else 1
        self._first, self._number = self._number + 1, self._number + numbers
        calls = _announced(drawn, targets)
        self._session.order({"op": "stage", "calls": calls}, more_s=self.patience_s)
        staged()
        if arena.kind == "cuda_ipc":
            self._places.buffers = arena.bytes_at(0, arena.size)
            try:
                return self._run_on_gpu(drawn, arena.bytes_at(0, size), ahead=ahead)
            except UnreadableError as error:
                self._finish()
                return Window(0.0, [], unreadable=str(error))
        return self._run_on_cpu(drawn, arena, targets)

    def _making(self, drawn: Draw) -> dict[str, Any]:
        seeds = [call.seed for call in drawn.calls]
        return {"op": "make", "number": self._first, "one_by_one": drawn.one_by_one, "seeds": seeds}

    def _run_on_cpu(self, drawn: Draw, arena: Arena, targets: list[list[Slot]]) -> Window:
        """The values are written, and the order to call is sent, while the candidate's processes are frozen: between
        both, a thread of the candidate's could begin, in a time that the lane's cost of an order hides.

        The results are copied to memory that has its pages, so that only copying is timed.
        """
        sources = [arena.tensor(slot) for slots in targets for slot in slots]
        copies = [source.clone() for source in sources]
        with self._session.frozen():
            self._session.post(self._making(drawn))
            arena.bytes_at(0, drawn.values.numel()).copy_(drawn.values)
            started = time.perf_counter()
        answer = self._session.answer(more_s=self.patience_s)
        copy_in_random_order(copies, sources)
        total_ms = (time.perf_counter() - started) * 1e3
        results, specs = in_own_layouts(_by_call(copies, drawn.calls), answer)
        with self._session.frozen():
            others = [source.clone() for source in sources]  # maps pages that the candidate may have dropped
            started = time.perf_counter()
            copy_in_random_order(others, sources)
            copies_ms = (time.perf_counter() - started) * 1e3
        return Window(total_ms, results, copies_ms, self._gaps_ms(specs, drawn.values.device), specs)

    def _gaps_ms(self, specs: list[TensorSpec], device: torch.device) -> float:
        if not any(map(has_gaps, specs)):
            return 0.0
        with self._session.frozen():
            return gaps_ms(specs, device)

    def _run_on_gpu(self, drawn: Draw, place: torch.Tensor, *, ahead: bool) -> Window:
        session, order = self._session, self._making(drawn)
        copies = [torch.empty_like(truth) for call in drawn.calls for truth in call.truth]
        if ahead:
            session.post(order)
            if session.answered(_QUEUED_WITHIN_S):
                views = self._views_or_open(drawn, place)
                if drawn.one_by_one:
                    return self._run_one_by_one(drawn, place, views)
                return self._run_queued(drawn, place, _in_layouts_of(views, copies), views)
        started = time.perf_counter()
        place.copy_(drawn.values)
        flush_cache()
        session.gate.open(self._number)
        if not ahead:
            session.post(order)
        views = self._places.read(session.answer(more_s=self.patience_s), drawn.calls)
        copies = _in_layouts_of(views, copies)
        session.post({"op": "finish"})
        session.answer(more_s=self.patience_s)
        copy_in_random_order(copies, views)
        torch.cuda.synchronize()
        total_ms = (time.perf_counter() - started) * 1e3
        specs = specs_of(views)
        lengthened_ms = self._gaps_ms(specs, place.device)
        return Window(total_ms, _by_call(copies, drawn.calls), 0.0, lengthened_ms, specs, queued=False)

    def _run_queued(
        self, drawn: Draw, place: torch.Tensor, copies: list[torch.Tensor], views: list[torch.Tensor]
    ) -> Window:
        """Time the order by the device alone: values in, gate open, calls, results out. All of it is queued before.

        A runner that says too early that it is done has its results read too early, the last ones perhaps first.
        """
        session = self._session
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self._head_start.give_for_copies(len(copies))
        begin.record()
        place.copy_(drawn.values)
        flush_cache()
        session.gate.open(self._number)
        session.gate.wait_done(self._number)
        copy_in_random_order(copies, views)
        end.record()
        late = not self._head_start.was_enough()
        self._finish()
        end.synchronize()
        specs = specs_of(views)
        lengthened_ms = self._gaps_ms(specs, place.device)
        total_ms, results = begin.elapsed_time(end), _by_call(copies, drawn.calls)
        return Window(total_ms, results, 0.0, lengthened_ms, specs, late=late)

    def _run_one_by_one(self, drawn: Draw, place: torch.Tensor, views: list[torch.Tensor]) -> Window:
        """Time each call: values in, gate open, the call, results out, and the next. All of it is queued before.

        The device's copy engines do the judge's part, so that the multiprocessors stay with the candidate: two contexts
        that take turns on them would lose a quarter of a millisecond a call, and what the candidate's left in caches.
        """
        session, head, window, between = self._session, self._head_start, Stopwatch(), Stopwatch()
        wholes = _by_call([_whole(view) for view in views], drawn.calls)
        try:
            targets = _targets_on_host(wholes)
        except UnreadableError:
            self._give_all(drawn, place)
            raise
        turns, dither = list(zip(drawn.calls, targets, wholes, strict=True)), Dither()
        head.give_for_copies(copies_of(turns))
        for number, (call, into, results) in enumerate(turns, self._first):
            dither()
            with window:
                copy_in_random_order([place[call.place]], [drawn.on_host[call.place]])
                with between:
                    session.gate.open(number)
                    session.gate.wait_done(number)
                copy_in_random_order(into, results)
        late = not head.was_enough()
        self._finish()
        each_ms = window.times_ms()
        taken = [target.to(view.device) for target, view in zip(chain(*targets), views, strict=True)]
        with session.frozen():
            copies_each_ms, in_time = weigh_copies(turns, place, drawn.on_host, head, dither)
        results = [w.as_strided(v.shape, v.stride()) for w, v in zip(taken, views, strict=True)]
        return Window(
            sum(each_ms), _by_call(results, drawn.calls), late=late or not in_time,
            each_ms=each_ms, between_each_ms=between.times_ms(), copies_each_ms=copies_each_ms,
        )  # fmt: skip

    def _finish(self) -> None:
        """Wait for the runner's device; whatever becomes of it, the judge's own stream goes on."""
        try:
            self._session.order({"op": "finish"}, more_s=self.patience_s)
        finally:
            with torch.cuda.stream(torch.cuda.Stream()):
                self._session.gate.say_done(self._number)

    def _views_or_open(self, drawn: Draw, place: torch.Tensor) -> list[torch.Tensor]:
        """Return the results' places; if there are none, open the gate: the candidate's stream would wait forever."""
        try:
            return self._places.read(self._session.answer(), drawn.calls)
        except (UnreadableError, RejectedError):
            self._give_all(drawn, place)
            raise

    def _give_all(self, drawn: Draw, place: torch.Tensor) -> None:
        """Have all calls made on their values, without a time."""
        place.copy_(drawn.values)
        self._session.gate.open(self._number)


def _targets(drawn: Draw, start: int) -> tuple[list[list[Slot]], int]:
    """Return where results are copied to on a CPU, after the inputs, and the byte after them."""
    targets, end = [], start
    for call in drawn.calls:
        slots, end = lay_out([TensorSpec.of(tensor) for tensor in call.truth], end)
        end = -(-end // ALIGN_BYTES) * ALIGN_BYTES
        targets.append(slots)
    return targets, end


def _announced(drawn: Draw, targets: list[list[Slot]]) -> list[dict[str, Any]]:
    return [
        {
            "inputs": call.tree,
            "tensors": [slot.to_dict() for slot in call.slots],
            "outputs": [slot.to_dict() for slot in slots],
        }
        for call, slots in zip(drawn.calls, targets, strict=True)
    ]


def _in_layouts_of(views: list[torch.Tensor], copies: list[torch.Tensor]) -> list[torch.Tensor]:
    return [in_layout_of(view, copy) for view, copy in zip(views, copies, strict=True)]


def _whole(view: torch.Tensor) -> torch.Tensor:
    """Return all elements from the first of `view` to its last, shape [elements]: one piece to a copy engine."""
    reach = sum((n - 1) * step for n, step in zip(view.shape, view.stride(), strict=True)) + 1
    return view.as_strided((reach if view.numel() else 0,), (1,))


def _targets_on_host(wholes: list[list[torch.Tensor]]) -> list[list[torch.Tensor]]:
    """Return host memory for the results, call by call. Raises UnreadableError if they need more than there is."""
    if sum(whole.nbytes for tensors in wholes for whole in tensors) > _REACH_BYTES_MAX:
        raise UnreadableError("they lie too far apart in memory")
    return [list(map(pinned_like, tensors)) for tensors in wholes]


def _by_call(flat: list[torch.Tensor], calls: list[DrawnCall]) -> list[list[torch.Tensor]]:
    rest = iter(flat)
    return [[next(rest) for _ in call.truth] for call in calls]
