"""The judge's session with one runner: buffers, weights, calls, and the state of the buffers after a call."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.calls.call_message import CaseSlots, item_order
from eval_app.engine.judge.calls.runner_channel import Reply, RunnerChannel
from eval_app.engine.judge.task import buffer_sets
from eval_app.engine.judge.task.cases import Case
from eval_app.engine.judge.task.reference import Reference
from eval_app.engine.judge.values.output_digest import checksum
from eval_app.engine.judge.verdicts import ReferenceFaultError, RejectedError
from eval_app.engine.shared import cudart
from eval_app.engine.shared.arena import ALIGN_BYTES, GUARD_BYTES, POISON, Arena, Slot, lay_out, padded_end
from eval_app.engine.shared.gate import Gate
from eval_app.engine.shared.trees import TensorSpec, TreeError, flatten

ROOM_BYTES = 2**30
# Tasks with larger sets leave no device memory unused.
_LARGE_BYTES = 2 * 2**30
# Share of a role's host memory that buffers may take where they cannot be on the device.
_HOST_SHARE = 1 / 4
_WEIGHTS_DIFFER_BY = ("missing", "unexpected", "shapes")


@dataclass(frozen=True)
class CallResult:
    """Result of one call: the runner's reply, and the judge's own view of the buffers."""

    reply: Reply
    outputs: list[torch.Tensor]
    slots: list[Slot]
    inputs: list[torch.Tensor]
    guards_intact: bool


class Session:
    """One runner, from its first order to its last."""

    def __init__(
        self, channel: RunnerChannel, reference: Reference, profile: Profile, hold: Callable[[bool], bool],
        *, lane_shares: bool,
    ) -> None:  # fmt: skip
        """Store the channel to a runner that has loaded its candidate; `hold` freezes its processes.

        `lane_shares` is set where device memory was shared with a runner of the engine's own: a candidate's that cannot
        open it is at fault.
        """
        self._channel, self._reference, self._profile, self._hold = channel, reference, profile, hold
        self._lane_shares = lane_shares
        # Whether the candidate's processes stopped each time that they were to, and for as long.
        self.always_froze = True
        self._arena: Arena | None = None
        self._gate: Gate | None = None
        self._set_bytes = 0
        self.sets = 1
        self._set_count = 0
        self._calls = 0
        self.transport = "none"
        self.copied_because = ""
        # Whether the candidate gets the reference's weights by value, or only draws them from the same seed.
        self.by_value = True
        # The checksums of those that it was given last, by name.
        self.given: dict[str, tuple[int, ...]] = {}
        # On a GPU inputs arrive late: the runner copies them in stream order, just before the call.
        self._copies = 2 if reference.device.type == "cuda" else 1

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Freeze the candidate's processes during the block."""
        self.always_froze &= self._hold(True)
        try:
            yield
        finally:
            self.always_froze &= self._hold(False)

    def open(self, first: Case) -> None:
        """Allocate shared buffers for several cases like `first` side by side."""
        self._set_bytes = buffer_sets.size_bytes(self._needed(first), on_gpu=self._copies == 2)
        self.sets = buffer_sets.count(self._set_bytes)
        self._share(self._set_bytes * self.sets)

    def holds(self, case: Case) -> bool:
        """Return whether `case`, and the reference's present weights, fit the buffers."""
        return self._needed(case) <= self._set_bytes

    def fit(self, case: Case) -> None:
        """Enlarge the buffers if they do not hold `case`."""
        if not self.holds(case):
            self.open(case)

    def release_cache(self) -> None:
        """Give back the device memory that torch keeps for later, if the task is large: the candidate needs it."""
        if self._copies == 2 and self._set_bytes > _LARGE_BYTES:
            torch.cuda.empty_cache()

    def be_patient(self) -> None:
        """Give the next call the deadline of a first one: it may compile."""
        self._calls = 0

    def _needed(self, case: Case) -> int:
        """Return the bytes that a case takes, or what a model is built with, if that takes more."""
        specs = [TensorSpec.of(tensor) for tensor in case.tensors] * self._copies + case.specs
        loads = [*self._reference.weights().values()]
        flatten(self._reference.init_arguments, loads)
        loaded_bytes = lay_out([TensorSpec.of(tensor) for tensor in loads])[1]
        return max(buffer_sets.with_room(lay_out(specs)[1]), loaded_bytes)

    def _share(self, size: int) -> None:
        """Share buffers by CUDA IPC if the runner can open it, else by host memory that both sides copy through."""
        device = self._reference.device
        try:
            self._offer(Arena.create(size, device))
        except (RejectedError, cudart.CudaError) as error:
            if device.type == "cpu" or (self._lane_shares and isinstance(error, RejectedError)):
                raise
            if size > self._profile.memory_bytes * _HOST_SHARE:
                raise torch.OutOfMemoryError(f"{size / 2**30:.1f} GiB of shared buffers: {error}") from error
            self.copied_because = str(error)[:300]
            self._offer(Arena.create(size, device, copied=True))

    def _offer(self, arena: Arena) -> None:
        self._gate = Gate.create() if arena.kind == "cuda_ipc" else None
        order = {"op": "open", "kind": arena.kind, "size": arena.size, "handle": arena.handle}
        order["gate"] = self._gate.handle if self._gate else ""
        self._channel.order(
            order, self._profile.load_timeout_s, [arena.descriptor] if arena.descriptor >= 0 else []
        )
        self._arena, self.transport = arena, arena.kind

    def build(self, seed: int, *, beside: bool = False) -> str:
        """Have the candidate's model built, `beside` the present one or not, and its weights set; return how."""
        tensors: list[torch.Tensor] = []
        try:
            tree = flatten(self._reference.init_arguments, tensors)
        except TreeError as error:
            raise ReferenceFaultError(f"get_init_inputs(): {error}") from error
        order = {"op": "init", "args": tree, "tensors": self._put(tensors), "seed": seed, "beside": beside}
        self._channel.order(order, self._profile.load_timeout_s)
        self.be_patient()
        return self.give_weights()[0] if self.by_value else "seeded"

    def give_weights(self, *, in_place: bool = False) -> tuple[str, str]:
        """Copy the reference's present weights to the candidate; return the method, and the differences on failure.

        With `in_place` they are written as training writes them, so that no hook of a loading runs.
        """
        weights = self._reference.weights()
        order: dict[str, Any] = {"op": "weights", "names": list(weights), "in_place": in_place}
        order["tensors"] = self._put(list(weights.values()))
        answer, _ = self._channel.order(order, self._profile.load_timeout_s)
        self.given = {}
        if answer.get("fit") is not True:
            return "seeded", "; ".join(f"{name}: {answer.get(name)}"[:300] for name in _WEIGHTS_DIFFER_BY)
        self.given = {name: checksum([weight]) for name, weight in weights.items()}
        return ("state_dict" if weights else "none"), ""

    def _put(self, tensors: list[torch.Tensor]) -> list[dict[str, Any]]:
        slots, _ = lay_out([TensorSpec.of(tensor) for tensor in tensors], 0)
        for slot, tensor in zip(slots, tensors, strict=True):
            self._need_arena().tensor(slot).copy_(tensor)
        self.settle()
        return [slot.to_dict() for slot in slots]

    def run(self, case: Case, *, early: bool = False) -> CallResult:
        """Have the candidate called on the case's inputs in the next set of buffers, with poisoned outputs.

        With `early` the inputs are complete before the call is queued, and the device is idle before outputs
        are read, so that even an unsynchronised stream gives correct values.
        """
        slots = self._place(case, secrets.randbelow(buffer_sets.JITTER) * ALIGN_BYTES)
        self._set_count += 1
        inputs, sources, outputs = slots.inputs, slots.sources, slots.outputs
        arena = self._need_arena()
        for slot, tensor in zip(sources, case.tensors, strict=True):
            arena.tensor(slot).copy_(tensor)
        self.settle()
        reply = self._channel.item(item_order(case, slots) | {"early": early}, self._deadline_s())
        self._calls += 1
        return CallResult(
            reply, [arena.tensor(slot) for slot in outputs], outputs, [arena.tensor(slot) for slot in inputs],
            arena.guards_intact([*inputs, *outputs] + (sources if sources is not inputs else [])),
        )  # fmt: skip

    def put_inputs(self, case: Case) -> CaseSlots:
        """Write a case's inputs into the buffers, without an order to call anything; return its places."""
        slots = self._place(case, 0)
        for slot, tensor in zip(slots.sources, case.tensors, strict=True):
            self._need_arena().tensor(slot).copy_(tensor)
        self.settle()
        return slots

    def trace(self, case: Case, *, code: bool, timeout_s: float) -> dict[str, Any]:
        """Have a call traced by the runner's profiler; return the kernels that it ran."""
        slots = self.put_inputs(case)
        order = {"op": "trace", "inputs": case.tree, "tensors": [slot.to_dict() for slot in slots.sources]}
        return self._channel.order(order | {"rng": case.rng, "code": code}, timeout_s)[0]

    def order(self, message: dict[str, Any], more_s: float = 0.0) -> float:
        """Send another order; return the milliseconds until it was carried out. Raises RejectedError on failure."""
        wall_ms = self._channel.order(message, self._deadline_s() + more_s)[1]
        self._calls += 1
        return wall_ms

    def post(self, message: dict[str, Any]) -> None:
        """Send an order without waiting for its answer."""
        self._channel.post(message)
        self._calls += 1

    def answered(self, timeout_s: float) -> bool:
        """Return whether an answer begins to arrive within the time."""
        return self._channel.is_answered(timeout_s)

    def answer(self, more_s: float = 0.0) -> dict[str, Any]:
        """Return the answer to an order that was posted. Raises RejectedError on failure."""
        return self._channel.answer(self._deadline_s() + more_s)

    @property
    def gate(self) -> Gate:
        """Return the gate of the buffers that are shared on the device."""
        assert self._gate is not None, "the buffers are shared on the device"
        return self._gate

    @property
    def is_open(self) -> bool:
        """Return whether there are buffers, so that calls can be made."""
        return self._arena is not None

    @property
    def arena(self) -> Arena:
        """Return the shared buffers."""
        return self._need_arena()

    def make_room(self, size: int) -> None:
        """Enlarge the buffers to at least `size` bytes."""
        if size > self._need_arena().size:
            self._set_bytes, self.sets = -(-size // ALIGN_BYTES) * ALIGN_BYTES, 1
            self._share(self._set_bytes)

    def room_bytes(self) -> int:
        """Return how large the buffers of an order may be; several copies of its values are needed besides."""
        if self._reference.device.type == "cpu":
            return ROOM_BYTES
        total = torch.cuda.get_device_properties(self._reference.device).total_memory
        return min(2 * ROOM_BYTES, int(total) // 64)

    def layout(self, case: Case, start: int) -> tuple[CaseSlots, list[Slot], int]:
        """Return the places of a case's tensors from byte `start`: by role, all in order, and the byte after them."""
        specs = [TensorSpec.of(tensor) for tensor in case.tensors] * self._copies + case.specs
        slots, end = lay_out(specs, start)
        count = len(case.tensors)
        inputs = slots[:count]
        sources = slots[count : 2 * count] if self._copies == 2 else inputs
        return CaseSlots(inputs, sources, slots[count * self._copies :]), slots, end

    def _place(self, case: Case, offset: int) -> CaseSlots:
        """Return places in the present set of buffers, poisoned. It grows for outputs whose size depends on values."""
        start = self._set_count % self.sets * self._set_bytes
        placed, slots, end = self.layout(case, start + offset)
        if end > start + self._set_bytes:
            self.open(case)
            return self._place(case, offset)
        self.poison(slots)
        return placed

    def poison(self, slots: list[Slot]) -> None:
        """Poison outputs and guards, which may hold another case's values."""
        if slots:
            start, end = slots[0].offset - GUARD_BYTES, padded_end(slots[-1])
            self._need_arena().bytes_at(start, end - start).fill_(POISON)

    def recopy(self, slots: list[Slot], back: int) -> list[torch.Tensor]:
        """Have the last result (`back` 0), the one before (1) or the first (-1) copied again to `slots`."""
        arena = self._need_arena()
        for slot in slots:
            arena.poison(slot)
        self.settle()
        order = {"op": "recopy", "back": back, "outputs": [slot.to_dict() for slot in slots]}
        self._channel.order(order, self._deadline_s())
        return [arena.tensor(slot) for slot in slots]

    def _deadline_s(self) -> float:
        return self._profile.call_timeout_s if self._calls else self._profile.first_call_timeout_s

    def settle(self) -> None:
        """Wait until all writes have arrived."""
        if self._reference.device.type == "cuda":
            torch.cuda.synchronize()

    def _need_arena(self) -> Arena:
        assert self._arena is not None, "open() comes first"
        return self._arena
