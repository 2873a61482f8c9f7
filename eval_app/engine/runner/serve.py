"""The runner's side of the private channel to the judge: it answers opaque orders."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from eval_app.engine.build.request import BuildNeeded
from eval_app.engine.runner import faults, heap, load, orders, results, trace
from eval_app.engine.runner.gradients import gradients_of
from eval_app.engine.runner.integrity import Seal
from eval_app.engine.sandbox.channel import Channel
from eval_app.engine.shared import cudart
from eval_app.engine.shared.arena import Arena, Slot
from eval_app.engine.shared.calls import Caller
from eval_app.engine.shared.gate import Gate
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import (
    besides_tensors,
    count_held,
    is_as_given,
    is_kept,
    lying,
    overlaps,
    unflatten,
)

# In how many calls of a model, from the first on, the heap is filled: the first one may take memory that it keeps for
# all others. Later ones may be timed; the memory of their results is poisoned before, which filling undoes.
_FILLED_CALLS = 2


def thread_count() -> int:
    """Return the number of threads of this process, native ones included."""
    return len(os.listdir("/proc/self/task"))


class Server:
    """Holds the candidate's model and makes the calls. An order does not reveal its purpose."""

    def __init__(
        self, module: ModuleType, device: torch.device, peer: Channel, threads: int, seal: Seal
    ) -> None:
        """Store the loaded candidate; `threads` and `seal` describe this process before it was loaded."""
        self._threads_at_first, self._seal = threads, seal
        self._module, self._device, self._peer = module, device, peer
        self._caller = Caller(device)
        self._model: Any = None
        # An earlier model that is kept, as a network has several layers of a kind.
        self._beside: Any = None
        # The modes of the model's modules while they are in another one.
        self._modes: list[tuple[torch.nn.Module, bool]] = []
        # Whether results of single calls come with the lists and dicts that these were given.
        self._gives_arguments = False
        self._arena: Arena | None = None
        self._gate: Gate | None = None
        self._orders = orders.Orders()
        # The last results, or gradients, held so that their memory is not reused: two, and more of small ones.
        self._held: list[list[torch.Tensor]] = []
        # Single calls of the model so far.
        self._calls = 0
        # The first result of the model, if it is small: memory that is given out in turns shows late.
        self._first: list[torch.Tensor] | None = None

    def serve(self) -> None:
        """Answer orders until the judge closes the channel."""
        answers: dict[str, Callable[..., dict[str, Any]]] = {
            "open": self._open, "init": self._init, "mode": self._mode, "weights": self._weights,
            "arguments": self._arguments,
            "read_weights": self._read_weights, "item": self._item,
            "recopy": self._recopy, "stage": self._stage, "make": self._make,
            "finish": self._finish,
            "backward": self._backward, "trace": self._trace, "write_into_results": self._write_into_results,
        }  # fmt: skip
        while True:
            order, descriptors = self._peer.receive_with()
            try:
                with torch.no_grad():
                    reply = answers[order["op"]](order, descriptors)
            except (Exception, BuildNeeded) as error:
                reply = self._fault(error)
            del order  # an announcement may hold long lists: to free them takes milliseconds, and what follows is timed
            self._peer.send(reply)

    def _fault(self, error: BaseException) -> dict[str, Any]:
        kind = "build_needed" if isinstance(error, BuildNeeded) else faults.kind_of(error, "runtime_error")
        code = error.code if isinstance(error, faults.StructureError) else kind
        return {"ok": False, "kind": kind, "code": code, "detail": faults.describe(error)}

    def _open(self, order: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        try:
            self._arena = Arena.open_shared(order["kind"], order["size"], descriptors, order["handle"])
            if order["gate"]:
                self._gate = Gate.open_shared(order["gate"])
            return {"ok": True}
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _init(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        tensors = [t.clone() for t in self._tensors(order["tensors"])]
        arguments = unflatten(order["args"], tensors)
        positional, keywords = ([], arguments) if isinstance(arguments, dict) else (arguments, {})
        # Delete the previous model first, unless it is to stay beside the new one: its destructor may restore settings
        # that the new one makes.
        self._beside = self._model if order["beside"] is True else None
        if self._beside is None:
            self._model = None
        self._first, self._held, self._calls = None, [], 0
        gc.collect()
        with heap.filled(is_on=self._device.type == "cpu"):
            model = load.build_model(self._module, list(positional), keywords, order["seed"])
        self._model = model.to(self._device) if isinstance(model, torch.nn.Module) else model
        return {"ok": True}

    def _mode(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        """Put the model, if it is a module, into a mode, or each of its modules back into the one that it had."""
        if isinstance(self._model, torch.nn.Module) and order["training"] is not None:
            self._modes = [(module, module.training) for module in self._model.modules()]
            self._model.train(order["training"] is True)
            return {"ok": True}
        for module, mode in self._modes:
            module.training = mode
        self._modes = []
        return {"ok": True}

    def _arguments(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        self._gives_arguments = order["given"] is True
        return {"ok": True}

    def _weights(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        tensors = self._tensors(order["tensors"])
        weights = dict(zip(order["names"], tensors, strict=True))
        return {"ok": True, **load.load_weights(self._model, weights, in_place=order["in_place"] is True)}

    def _read_weights(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        """Copy out the model's weights as they are now; return the numbers of those that it has no more."""
        own, absent = load.weights_of(self._model), []
        for number, (name, form) in enumerate(zip(order["names"], order["tensors"], strict=True)):
            slot = Slot.from_dict(form)
            if name in own and own[name].shape == slot.spec.shape:
                self._copy_out([own[name]], [slot])
            else:
                absent.append(number)
        return {"ok": True, "absent": absent}

    def _item(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        shared, sources = self._tensors(order["tensors"]), self._tensors(order["sources"])
        inputs = unflatten(order["inputs"], shared)
        slots = [Slot.from_dict(slot) for slot in order["outputs"]]
        threads = thread_count() - self._threads_at_first
        set_seed(order["rng"])
        self._caller.prepare([slot.spec for slot in slots])
        taken: list[tuple[list[torch.Tensor], list[Any]]] = []

        def take(result: Any) -> None:
            """Copy in stream order, directly after the call: what is written later, or elsewhere, does not count."""
            if order["early"] is True and self._device.type == "cuda":
                torch.cuda.synchronize()
            if self._gives_arguments:
                result = result, besides_tensors(inputs)
            taken.append(results.flatten_result(result, order["wanted"], self._device))
            results.copy_out(taken[0][0], [self._require_arena().tensor(slot) for slot in slots])

        before = lying(shared)
        late = self._caller.late(shared, sources, early=order["early"] is True)
        with heap.filled(is_on=self._calls < _FILLED_CALLS and self._device.type == "cpu"):
            timed = self._caller.call(self._model, list(inputs), late, take)
        self._calls += 1
        tensors, plain = taken[0]
        self._give_back(order["tensors"], shared)
        reply = {"ok": True, "ms": timed.ms, "tail_ms": timed.tail_ms, "plain": plain}
        reply["aliases_input"] = overlaps(tensors, shared)
        reply["keeps_arguments"] = is_as_given(inputs, order["inputs"], before)
        reply["threads"] = max(0, threads)
        reply["threads_after"] = max(0, thread_count() - self._threads_at_first)
        reply["intact"] = self._seal.intact()
        held = [*self._held, tensors]
        self._held = held[-count_held(held) :]
        if self._first is None:
            self._first = tensors if is_kept(tensors) else []
        return reply

    def _stage(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        if self._device.type == "cuda":
            cudart.reset_persisting_l2()
        return self._orders.stage(order, self._require_arena())

    def _make(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        return self._orders.make(self._model, order, self._require_arena(), self._gate)

    def _finish(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        """Wait until all queued work is done."""
        torch.cuda.synchronize()
        return {"ok": True}

    def _backward(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        """Copy out the outputs of a call and the gradients of inputs and weights under the given upstream gradients."""
        set_seed(order["rng"])
        self._held = self._held[-1:]  # gradients of a large model are a good part of the device
        given = [one for one in order["upstream"] if one]
        inputs, values = self._tensors(order["tensors"]), self._tensors([one["slot"] for one in given])
        outputs = [self._require_arena().tensor(Slot.from_dict(slot)) for slot in order["outputs"]]
        views = iter([value.expand(one["shape"]) for value, one in zip(values, given, strict=True)])
        wanted = {target["of"]: Slot.from_dict(target["slot"]) for target in order["gradients"]}
        gradients = gradients_of(
            self._model,
            order["inputs"],
            inputs,
            order["wanted"],
            [next(views) if one else None for one in order["upstream"]],
            list(wanted),
            self._device,
            lambda taken: results.copy_out(taken, outputs),
            between=order["between"] is True,
            frozen=order["frozen"] is True,
            accumulated=order["accumulated"] is True,
        )
        held = [self._own(gradient) for gradient in gradients]
        results.copy_out(held, [self._require_arena().tensor(slot) for slot in wanted.values()])
        self._held.append(held)
        self._give_back([*order["tensors"], *(one["slot"] for one in given)], [*inputs, *values])
        if self._device.type == "cuda":
            torch.cuda.synchronize()
        return {"ok": True}

    def _own(self, gradient: torch.Tensor | None) -> torch.Tensor:
        """Return a gradient to hold: zeros for none, and a copy of one that lies in the judge's buffers, as an upstream
        gradient does, since the judge writes there."""
        if gradient is None:
            return torch.zeros((), device=self._device)
        is_judges = self._require_arena().offset_of(gradient.data_ptr()) is not None
        return gradient.clone() if is_judges else gradient

    def _recopy(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        """Copy earlier results or gradients again (0 the last, 1 those before, -1 the first), so that later writes
        show."""
        back = int(order["back"])
        tensors = self._held[-1 - back] if back >= 0 else self._first or []
        self._copy_out(tensors, [Slot.from_dict(slot) for slot in order["outputs"]])
        return {"ok": True}

    def _write_into_results(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        """Write into all results that are held, as a caller may, and drop them; return the numbers of those that share
        memory in the last two. The results `kept` are left alone, as those in the judge's buffers and the first."""
        *earlier, last = self._held
        shared = [number for number, t in enumerate(last) if earlier and overlaps([t], earlier[-1])]
        for held in self._held:
            if held is not self._first:
                results.write_into(
                    [t for number, t in enumerate(held) if number not in order["kept"]], self._arena
                )
        self._held = []
        return {"ok": True, "shared": shared}

    def _trace(self, order: dict[str, Any], _: list[int]) -> dict[str, Any]:
        """Trace the kernels of one call by torch's profiler."""
        inputs = unflatten(order["inputs"], [tensor.clone() for tensor in self._tensors(order["tensors"])])
        set_seed(order["rng"])
        return {"ok": True, **trace.take(self._model, list(inputs), code=order["code"] is True)}

    def _copy_out(self, tensors: list[torch.Tensor], slots: list[Slot]) -> None:
        results.copy_out(tensors, [self._require_arena().tensor(slot) for slot in slots])
        if self._device.type == "cuda":
            torch.cuda.synchronize()

    def _tensors(self, slots: list[dict[str, Any]]) -> list[torch.Tensor]:
        """Return the shared tensors; over a memfd on a GPU lane, copies of them on the device."""
        arena = self._require_arena() if slots else None
        tensors = [arena.tensor(Slot.from_dict(slot)) for slot in slots] if arena else []
        return [tensor.to(self._device) for tensor in tensors]

    def _give_back(self, slots: list[dict[str, Any]], used: list[torch.Tensor]) -> None:
        """Copy tensors back that are copies on the device, so that the judge sees how the call left them."""
        if not used or self._require_arena().kind != "memfd" or self._device.type != "cuda":
            return
        for slot, tensor in zip(slots, used, strict=True):
            self._require_arena().tensor(Slot.from_dict(slot)).copy_(tensor)

    def _require_arena(self) -> Arena:
        if self._arena is None:
            raise RuntimeError("the judge has opened no buffers")
        return self._arena
