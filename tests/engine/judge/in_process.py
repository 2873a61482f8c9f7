"""A session whose candidate is a module of this process: the runner's own code answers, on the judge's buffers."""

from types import ModuleType

import torch

from eval_app.engine.judge.task.cases import Case
from eval_app.engine.judge.verdicts import RejectedError
from eval_app.engine.runner.serve import Server
from eval_app.engine.shared.arena import POISON, Arena
from eval_app.engine.shared.trees import TensorSpec

CPU = torch.device("cpu")


class InProcess:
    """Stands in for `session.Session`; backward passes only."""

    def __init__(self, model, reference=None):
        self._server = Server(ModuleType("candidate"), CPU, None, 1, None)
        self._server._model = model
        self._reference, self.passes = reference, 0

    def make_room(self, size):
        self.arena = self._server._arena = Arena.create(size, CPU)

    def poison(self, slots):
        self.arena.bytes_at(0, self.arena.size).fill_(POISON)

    def settle(self):
        pass

    be_patient = settle

    def give_weights(self, *, in_place):
        with torch.no_grad():
            self._server._model.load_state_dict(self._reference.state_dict())

    def order(self, message):
        self.passes += 1
        try:
            with torch.no_grad():
                self._server._backward(message, [])
        except Exception as error:
            raise RejectedError("runtime_error", str(error)) from error

    def recopy(self, slots, back):
        with torch.no_grad():
            self._server._recopy({"back": back, "outputs": [slot.to_dict() for slot in slots]}, [])
        return [self.arena.tensor(slot) for slot in slots]


def case_of(model, *tensors, name="natural"):
    """Return the case of one call of a model with one output, or a tuple of them."""
    with torch.no_grad():
        result = model(*[tensor.clone() for tensor in tensors])
    truth = [*result] if isinstance(result, tuple) else [result]
    tree = {"list": [{"tensor": number} for number in range(len(tensors))]}
    places = [f"output[{n}]" for n in range(len(truth))] if isinstance(result, tuple) else ["output"]
    wanted = [(place, {"tensor": number}) for number, place in enumerate(places)]
    specs = [TensorSpec.of(tensor) for tensor in truth]
    return Case(name, tree, list(tensors), list(tensors), wanted, truth, 1, 1.0, 0.0, specs)
