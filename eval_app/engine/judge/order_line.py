"""Orders between judge and runner: announce, start, wait, and take the results out of the candidate's reach.

The window of an order opens before its first value is readable and closes when all results are in the judge's own
memory. On a GPU the calls are queued behind a gate before, so that launches are not in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from eval_app.engine.judge.order_draw import Draw, DrawnCall, copy_in_random_order, flush_cache, keep_busy
from eval_app.engine.judge.result_layouts import gaps_ms, has_gaps, in_own_layouts, specs_of
from eval_app.engine.judge.session import Session
from eval_app.engine.judge.verdicts import RejectedError
from eval_app.engine.shared import cudart
from eval_app.engine.shared.arena import ALIGN_BYTES, Arena, Slot, lay_out
from eval_app.engine.shared.order import in_layout_of
from eval_app.engine.shared.trees import TensorSpec

# Calls that are not queued by then wait for the device, or fill its queue: the gate is opened for them.
_QUEUED_WITHIN_S = 0.1


def nothing() -> None:
    """Do nothing: default action."""


class UnreadableError(Exception):
    """The judge cannot read the results in place; the message says why."""


@dataclass(frozen=True)
class Window:
    """What an order took, in milliseconds, the judge's own two copies included."""

    total_ms: float
    results: list[list[torch.Tensor]] = field(repr=False)
    # What the judge's copies of the results take again while the candidate is frozen (CPU).
    copies_ms: float = 0.0
    # What copying takes longer because the candidate left gaps in its results: no work of its own.
    gaps_ms: float = 0.0
    # Whether all calls were queued before the values came.
    queued: bool = True


class OrderLine:
    """Carries out orders through one session."""

    def __init__(self, session: Session) -> None:
        """Store the session, whose buffers are open."""
        self._session = session
        # Seconds that an order may take beyond the time limit of a call.
        self.patience_s = 1.0
        self._opened: dict[str, torch.Tensor] = {}
        self._number = 0
        self._buffers = torch.empty(0, dtype=torch.uint8)

    def run(self, drawn: Draw, *, ahead: bool = True, staged: Callable[[], None] = nothing) -> Window:
        """Have the candidate make the order. With `ahead` its calls are queued before the values come (GPU). `staged`
        is called once the candidate has read what to call, before the values come.

        Raises RejectedError for what the candidate does, UnreadableError where results cannot be read in place.
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
        self._number += 1
        calls = _announced(drawn, targets)
        self._session.order({"op": "stage", "calls": calls}, more_s=self.patience_s)
        staged()
        if arena.kind == "cuda_ipc":
            self._buffers = arena.bytes_at(0, arena.size)
            return self._run_on_gpu(drawn, arena.bytes_at(0, size), ahead=ahead)
        return self._run_on_cpu(drawn, arena, targets)

    def _making(self, drawn: Draw) -> dict[str, Any]:
        return {"op": "make", "number": self._number, "seeds": [call.seed for call in drawn.calls]}

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
        return Window(total_ms, results, copies_ms, self._gaps_ms(specs, drawn.values.device))

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
                views = self._views_or_open(drawn.calls)
                return self._run_queued(drawn, place, _in_layouts_of(views, copies), views)
        started = time.perf_counter()
        place.copy_(drawn.values)
        flush_cache()
        session.gate.open(self._number)
        if not ahead:
            session.post(order)
        views = self._views(session.answer(more_s=self.patience_s), drawn.calls)
        copies = _in_layouts_of(views, copies)
        session.post({"op": "finish"})
        session.answer(more_s=self.patience_s)
        copy_in_random_order(copies, views)
        torch.cuda.synchronize()
        total_ms = (time.perf_counter() - started) * 1e3
        lengthened_ms = self._gaps_ms(specs_of(views), place.device)
        return Window(total_ms, _by_call(copies, drawn.calls), gaps_ms=lengthened_ms, queued=False)

    def _run_queued(
        self, drawn: Draw, place: torch.Tensor, copies: list[torch.Tensor], views: list[torch.Tensor]
    ) -> Window:
        """Time the order by the device alone: values in, gate open, calls, results out. All of it is queued before.

        A runner that says too early that it is done has its results read too early, the last ones perhaps first.
        """
        session = self._session
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        keep_busy(len(copies))
        begin.record()
        place.copy_(drawn.values)
        flush_cache()
        session.gate.open(self._number)
        session.gate.wait_done(self._number)
        copy_in_random_order(copies, views)
        end.record()
        try:
            session.order({"op": "finish"}, more_s=self.patience_s)
        finally:
            with torch.cuda.stream(torch.cuda.Stream()):
                session.gate.say_done(self._number)  # even if the runner has failed
        end.synchronize()
        lengthened_ms = self._gaps_ms(specs_of(views), place.device)
        return Window(begin.elapsed_time(end), _by_call(copies, drawn.calls), gaps_ms=lengthened_ms)

    def _views_or_open(self, calls: list[DrawnCall]) -> list[torch.Tensor]:
        """Return the results' places; if there are none, open the gate: the candidate's stream would wait forever."""
        try:
            return self._views(self._session.answer(), calls)
        except (UnreadableError, RejectedError):
            self._session.gate.open(self._number)
            raise

    def _views(self, answer: dict[str, Any], calls: list[DrawnCall]) -> list[torch.Tensor]:
        """Return the results as tensors over the memory in which the runner's process has them."""
        if "unreadable" in answer:
            raise UnreadableError(str(answer["unreadable"])[:200])
        blocks, outputs = answer.get("blocks"), answer.get("outputs")
        if not isinstance(blocks, list) or not isinstance(outputs, list) or len(outputs) != len(calls):
            raise _odd("an answer without the places of its results")
        opened = [self._open(handle) for handle in blocks]
        views = []
        for call, places in zip(calls, outputs, strict=True):
            if not isinstance(places, list) or len(places) != len(call.truth):
                raise RejectedError("wrong_structure", "a call of an order returns another number of tensors")
            views += [
                self._view(place, truth, opened) for place, truth in zip(places, call.truth, strict=True)
            ]
        return views

    def _open(self, handle: Any) -> torch.Tensor:
        """Return a block of the runner's, shape [bytes], uint8; it stays open for later orders."""
        if not isinstance(handle, str) or len(handle) != 128:
            raise _odd("a malformed handle")
        if handle not in self._opened:
            try:
                address = cudart.open_handle(bytes.fromhex(handle))
                base, size = cudart.address_range(address)
                self._opened[handle] = cudart.as_tensor(address, base + size - address)
            except (cudart.CudaError, ValueError) as error:
                raise UnreadableError(str(error)) from error
        return self._opened[handle]

    def _view(self, place: Any, truth: torch.Tensor, opened: list[torch.Tensor]) -> torch.Tensor:
        number, offset, shape, stride = _read_place(place, len(opened))
        if shape != list(truth.shape):
            expected = f"the reference gives {list(truth.shape)}"
            raise RejectedError("wrong_structure", f"a call of an order returns {shape}; {expected}")
        if not truth.numel():
            return torch.empty_like(truth)
        reach = sum((n - 1) * step for n, step in zip(truth.shape, stride, strict=True)) + 1
        end = offset + reach * truth.element_size()
        block = opened[number] if number >= 0 else self._buffers
        if end > block.numel() or offset % truth.element_size():
            raise _odd("a place outside its block, or between two elements")
        return block[offset:end].view(truth.dtype).as_strided(truth.shape, stride)


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


def _by_call(flat: list[torch.Tensor], calls: list[DrawnCall]) -> list[list[torch.Tensor]]:
    rest = iter(flat)
    return [[next(rest) for _ in call.truth] for call in calls]


def _read_place(place: Any, blocks: int) -> tuple[int, int, list[int], list[int]]:
    """Return a place's block, offset in it, shape and stride."""
    form = place if isinstance(place, dict) else {}
    block, offset, shape, stride = (form.get(name) for name in ("block", "offset", "shape", "stride"))
    if not isinstance(shape, list) or not isinstance(stride, list) or len(shape) != len(stride):
        raise _odd("a malformed place")
    numbers = [block, offset, *shape, *stride]
    if any(isinstance(n, bool) or not isinstance(n, int) or not -1 <= n < 2**48 for n in numbers):
        raise _odd("a malformed place")
    if numbers[0] >= blocks or min(numbers[1:]) < 0:
        raise _odd("a malformed place")
    return numbers[0], numbers[1], shape, stride


def _odd(what: str) -> RejectedError:
    text = f"the runner's process sent {what}: the candidate tampered with its channel to the judge"
    return RejectedError("cheated", text, [("forged_message", text)])
