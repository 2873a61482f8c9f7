"""The calls of an order: drawn into the judge's own memory, and what the reference answers to them.

The values reach the shared buffers in one copy, when the order starts. The reference's answers are never there.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from eval_app.engine.judge.clock.device_queue import HEAD_STARTS, HeadStart, Stopwatch, flush_cache, pinned
from eval_app.engine.judge.clock.result_layouts import has_gaps, specs_of
from eval_app.engine.judge.task.cases import CaseMaker
from eval_app.engine.judge.task.reference import failure, flatten_output
from eval_app.engine.judge.values import families
from eval_app.engine.judge.verdicts import ReferenceFaultError
from eval_app.engine.shared.arena import ALIGN_BYTES, Arena, Slot, lay_out
from eval_app.engine.shared.order import OrderedCall, call_all, copy_results
from eval_app.engine.shared.trees import TensorSpec, flatten, leaves, unflatten

# One call in eight has values of a family instead of the task's own, at a random place: a candidate that is only
# correct on what is timed is wrong there.
FAMILY_EVERY = 8
# Longer than it takes to queue an order: about 6 ms at 2 GHz, on a GPU.
_QUEUE_CYCLES = 12_000_000
# After a copy engine's work, so that what is timed next begins when the multiprocessors take their turn.
_TURN_CYCLES = 1_000
QUEUED_WITHIN_MS = 4.0
# Of tensors in host memory that are copied in parts.
PART_BYTES, _PARTS_MAX = 2**17, 64
_device_sleep = torch.cuda._sleep
_random = secrets.SystemRandom()


@dataclass
class DrawnCall:
    """One call of an order: the offsets of its inputs from the order's first byte, and the truth."""

    family: str
    tree: Any
    slots: list[Slot]
    seed: int | None
    truth: list[torch.Tensor] = field(default_factory=list)
    wanted: list[tuple[str, Any]] = field(default_factory=list)
    # Where its inputs lie in the order's values.
    place: slice = field(default_factory=lambda: slice(0, 0))


@dataclass
class Draw:
    """The calls of an order. `values` holds all inputs, shape [bytes], uint8, laid out as in the buffers."""

    values: torch.Tensor
    calls: list[DrawnCall]
    # Whether the values of a call come only once the results of the call before are in the judge's memory (GPU).
    one_by_one: bool = False
    # What the reference took for all of them, and what of a CPU's time; and what the copies take: on a CPU those of the
    # results to the buffers.
    reference_ms: float = 0.0
    processor_ms: float = math.inf
    copying_ms: float = 0.0
    # The strides of the reference's results that have gaps, and what these add to copying: the candidate's may have
    # none.
    gaps: list[TensorSpec] = field(default_factory=list)
    gaps_ms: float = 0.0
    # What it took to queue the reference's calls (GPU). They are queued if that was before the first of them began;
    # else their launches are in its time.
    queueing_ms: float = 0.0
    # If calls come one by one, the values where copy engines take them from, and the reference's time of each call.
    on_host: torch.Tensor = field(default_factory=lambda: torch.empty(0, dtype=torch.uint8))
    reference_each_ms: list[float] = field(default_factory=list)

    @property
    def queued(self) -> bool:
        """Return whether the reference's time has no launches in it."""
        return self.queueing_ms < QUEUED_WITHIN_MS

    def views(self, call: DrawnCall, values: torch.Tensor | None = None) -> list[torch.Tensor]:
        """Return the call's inputs as tensors over `values`."""
        return [view(self.values if values is None else values, slot) for slot in call.slots]


def view(values: torch.Tensor, slot: Slot) -> torch.Tensor:
    """Return the tensor at `slot` of `values`, shape [bytes], uint8."""
    flat = values[slot.offset : slot.offset + slot.spec.size_bytes].view(slot.spec.torch_dtype)
    return flat.as_strided(slot.spec.shape, slot.spec.stride) if flat.numel() else flat.view(slot.spec.shape)


def call_bytes(tensors: Sequence[torch.Tensor]) -> int:
    """Return the bytes that one call's tensors take in the buffers."""
    end = lay_out([TensorSpec.of(tensor) for tensor in tensors])[1]
    return -(-end // ALIGN_BYTES) * ALIGN_BYTES


def draw(
    maker: CaseMaker, count: int, size: int, mixed: Sequence[str], *,
    seeded: bool, every: int = FAMILY_EVERY, one_by_one: bool = False,
) -> Draw:  # fmt: skip
    """Return up to `count` calls whose inputs fit `size` bytes; one of `every` has values of the families `mixed`."""
    device = maker.reference.device
    result = Draw(torch.empty(size, dtype=torch.uint8, device=device), [], one_by_one)
    start = 0
    for _ in range(count):
        family = secrets.choice(mixed) if mixed and not secrets.randbelow(every) else "natural"
        tensors: list[torch.Tensor] = []
        tree = flatten(_inputs(maker, family), tensors, "inputs")
        slots, end = lay_out([TensorSpec.of(tensor) for tensor in tensors], start)
        if end > size:
            break
        call = DrawnCall(family, tree, slots, secrets.randbits(31) if seeded else None)
        for target, tensor in zip(result.views(call), tensors, strict=True):
            target.copy_(tensor)
        result.calls.append(call)
        first, start = start, -(-end // ALIGN_BYTES) * ALIGN_BYTES
        call.place = slice(first, start)
    result.values = result.values[:start]
    if one_by_one:
        result.on_host = pinned(result.values)
    return result


def _inputs(maker: CaseMaker, family: str) -> Any:
    try:
        return maker.draw(family)
    except families.NotApplicableError:  # this draw holds no free values
        return maker.draw("natural")


def answer(drawn: Draw, maker: CaseMaker, *, beside_others: bool = False) -> None:
    """Have the reference make the order; store its time, that of the copies, and its answers, which are the truth.

    All of it is measured on the judge's own memory while the candidate is frozen, so that it shapes no part of it. With
    `beside_others` the reference has no more time than a CPU gave it: a program in another lane that knows this one's
    may take the processors in the reference's turn alone. Raises ReferenceFaultError if the reference fails.
    """
    run = _answer_on_gpu if maker.reference.device.type == "cuda" else _answer_on_cpu
    if drawn.one_by_one:
        run = _answer_one_by_one
    try:
        results = run(drawn, maker)
    except (ReferenceFaultError, torch.OutOfMemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise failure("the reference", error) from error
    if beside_others:
        drawn.reference_ms = min(drawn.reference_ms, drawn.processor_ms)
    for call, result in zip(drawn.calls, results, strict=True):
        form, tensors = flatten_output(result)
        call.wanted, call.truth = leaves(form), [tensor.clone() for tensor in tensors]


def _calls(drawn: Draw, values: torch.Tensor) -> list[OrderedCall]:
    return [OrderedCall(unflatten(call.tree, drawn.views(call, values)), call.seed) for call in drawn.calls]


def _answer_on_gpu(drawn: Draw, maker: CaseMaker) -> list[Any]:
    """Time the calls, then the copies, by events of this process: they are queued while the device waits."""
    calls = _calls(drawn, drawn.values.clone())
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    _device_sleep(_QUEUE_CYCLES)  # type: ignore[no-untyped-call]
    flush_cache()
    begin.record()
    started = time.perf_counter()
    results = call_all(maker.reference.model, calls)
    drawn.queueing_ms = (time.perf_counter() - started) * 1e3
    end.record()
    end.synchronize()
    drawn.reference_ms = begin.elapsed_time(end)
    _weigh_copies(drawn, results, _copying_on_gpu_ms)
    return results


def _copying_on_gpu_ms(values: torch.Tensor, results: list[torch.Tensor]) -> float:
    targets = [torch.empty_like(result) for result in results]
    place, head = torch.empty_like(values), HeadStart()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(HEAD_STARTS):
        head.give_for_copies(len(targets))
        begin.record()
        place.copy_(values)
        flush_cache()
        copy_in_random_order(targets, results)
        end.record()
        if head.was_enough():
            break
    end.synchronize()
    return float(begin.elapsed_time(end))


def _weigh_copies(
    drawn: Draw, results: list[Any], copying_ms: Callable[[torch.Tensor, list[torch.Tensor]], float]
) -> None:
    """Store what copying takes of dense results, and what the gaps of the reference's add to that."""
    tensors = [tensor for result in results for tensor in flatten_output(result)[1]]
    specs = specs_of(tensors)
    dense = [t.clone() if has_gaps(spec) else t for t, spec in zip(tensors, specs, strict=True)]
    drawn.copying_ms, drawn.gaps = copying_ms(drawn.values, dense), list(filter(has_gaps, specs))
    if drawn.gaps:
        drawn.gaps_ms = max(0.0, copying_ms(drawn.values, tensors) - drawn.copying_ms)


def _answer_one_by_one(drawn: Draw, maker: CaseMaker) -> list[Any]:
    """Time each call on values that a copy engine has just written, as the candidate gets them."""
    twin = torch.empty_like(drawn.values)
    results, watch = [], Stopwatch()
    torch.cuda.synchronize()
    _device_sleep(_QUEUE_CYCLES)  # type: ignore[no-untyped-call]
    started = time.perf_counter()
    for call, ordered in zip(drawn.calls, _calls(drawn, twin), strict=True):
        twin[call.place].copy_(drawn.on_host[call.place], non_blocking=True)
        _device_sleep(_TURN_CYCLES)  # type: ignore[no-untyped-call]
        with watch:
            results += call_all(maker.reference.model, [ordered])
    drawn.queueing_ms = (time.perf_counter() - started) * 1e3
    drawn.reference_each_ms = watch.times_ms()
    drawn.reference_ms = sum(drawn.reference_each_ms)
    return results


def copy_in_random_order(targets: Sequence[torch.Tensor], sources: Sequence[torch.Tensor]) -> None:
    """Copy each source to its target, of the same shape, in an order that the candidate cannot foresee.

    Large ones from or to host memory are copied in parts: one copy from the first byte to the last could run after a
    candidate that has answered and goes on writing, or before one that begins with the first of its values.
    """
    wholes = zip(targets, sources, strict=True)
    pairs = [part for target, source in wholes for part in _in_parts(target, source)]
    _random.shuffle(pairs)
    for target, source in pairs:
        target.copy_(source, non_blocking=True)


def _in_parts(target: torch.Tensor, source: torch.Tensor) -> list[tuple[torch.Tensor, torch.Tensor]]:
    count = min(_PARTS_MAX, source.numel() * source.element_size() // PART_BYTES)
    on_device = source.is_cuda and target.is_cuda
    if on_device or count < 2 or source.stride() != TensorSpec.of(source).stride:
        return [(target, source)]
    flat = (tensor.as_strided((source.numel(),), (1,)) for tensor in (target, source))
    return list(zip(*(tensor.tensor_split(count) for tensor in flat), strict=True))


def _answer_on_cpu(drawn: Draw, maker: CaseMaker) -> list[Any]:
    """Time the calls, and copying their results, in shared memory, whose small pages the candidate has as well."""
    arena = Arena.create(max(1, drawn.values.numel()), maker.reference.device)
    twin = arena.bytes_at(0, drawn.values.numel())
    twin.copy_(drawn.values)
    calls = _calls(drawn, twin)
    started, began_s = time.perf_counter(), time.process_time()
    results = call_all(maker.reference.model, calls)
    spent_s, answered = time.process_time() - began_s, time.perf_counter()
    drawn.reference_ms, drawn.processor_ms = (answered - started) * 1e3, spent_s * 1e3
    _weigh_copies(drawn, results, _copying_on_cpu_ms)
    return results


def _copying_on_cpu_ms(values: torch.Tensor, results: list[torch.Tensor]) -> float:
    targets = [result.clone() for result in results]
    started = time.perf_counter()
    copy_results([results], [targets])
    return (time.perf_counter() - started) * 1e3
