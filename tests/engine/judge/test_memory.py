"""Tests of what the judge holds on the device: KernelBench has tasks whose inputs fill a twentieth of a GPU."""

import sys
import weakref
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_leaves  # noqa: E402

from eval_app.engine import PROFILES  # noqa: E402
from eval_app.engine.judge.admission import Admission  # noqa: E402
from eval_app.engine.judge.calls import session  # noqa: E402
from eval_app.engine.judge.comparison.compare import Tolerance  # noqa: E402
from eval_app.engine.judge.last_bits import calibrate  # noqa: E402
from eval_app.engine.judge.task.cases import CaseMaker  # noqa: E402
from eval_app.engine.judge.task.reference import Reference  # noqa: E402
from eval_app.engine.judge.values import families  # noqa: E402
from eval_app.engine.judge.values.reductions import count_different, mean  # noqa: E402

SIDE = 2048
USUAL_SIDE = 4096  # of a task for which the judge's chunks are made
SIZE_BYTES = SIDE * SIDE * 4
RELU = f"""
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.rand({SIDE}, {SIDE})]

def get_init_inputs():
    return []
"""


class Allocated(TorchDispatchMode):
    """Counts the bytes of the tensors that are made within the block and still alive: `peak` is the most at once."""

    def __init__(self):
        super().__init__()
        self.older, self.alive, self.peak = set(), {}, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.older |= storages((args, kwargs)).keys() - self.alive.keys()
        result = func(*args, **(kwargs or {}))
        for key, storage in storages(result).items():
            if key not in self.older and key not in self.alive:
                self.alive[key] = storage.nbytes()
                weakref.finalize(storage, self.alive.pop, key, None)
        self.peak = max(self.peak, sum(self.alive.values()))
        return result


def storages(tree):
    tensors = [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]
    found = [tensor.untyped_storage() for tensor in tensors if tensor.device.type != "meta"]
    return {storage._cdata: storage for storage in found}


def largest(action):
    """Return the most that an action holds at once, in sizes of the task's input."""
    with torch.no_grad(), Allocated() as allocated:
        action()
    return allocated.peak / SIZE_BYTES


@pytest.fixture(autouse=True)
def chunks_of_the_same_share(monkeypatch):
    """Divide the judge's chunks as the task is: a task of the usual side would take seconds per test."""
    for name, module in list(sys.modules.items()):
        if name.startswith("eval_app.engine.judge.") and hasattr(module, "CHUNK_ELEMENTS"):
            monkeypatch.setattr(module, "CHUNK_ELEMENTS", module.CHUNK_ELEMENTS * SIDE**2 // USUAL_SIDE**2)


@pytest.fixture
def maker(tmp_path):
    yield CaseMaker(Reference(RELU, tmp_path, torch.device("cpu"), 1))
    sys.modules.pop("reference", None)


def test_a_case_is_made_with_one_copy_of_its_input_and_two_of_its_output(maker):
    assert largest(maker.make) <= 3.3


@pytest.mark.parametrize("name", PROFILES["standard"].families)
def test_a_family_is_drawn_without_a_wider_form_of_the_input(maker, name):
    assert largest(lambda: maker.draw(name)) <= 3.3


def test_a_task_is_calibrated_beside_one_case_in_a_wider_form(maker):
    first = maker.make()
    usual = Tolerance(1e-4, 1e-2, 1e-6)
    answers = {}
    assert largest(lambda: answers.update(calibrate.calibrate(maker, [first], usual))) <= 5.0
    assert "honest_error" in answers


def test_a_task_without_room_for_wider_forms_keeps_the_usual_tolerance(maker, monkeypatch):
    def full(*arguments):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(calibrate, "run", full)
    answers = calibrate.calibrate(maker, [maker.make()], Tolerance(1e-4, 1e-2, 1e-6))
    assert answers == {"calibration_skipped": "there is no device memory for wider forms of its values"}


def test_nudged_values_need_no_wider_form_of_the_input():
    x = torch.rand(SIDE, SIDE)
    assert largest(lambda: families.nudge(x)) <= 2.3
    assert largest(lambda: families.nudge_absolutely(x)) <= 2.3


def test_a_mean_is_taken_in_chunks():
    x = torch.rand(SIDE * SIDE)
    assert largest(lambda: mean(x)) <= 1.1
    assert mean(x) == pytest.approx(float(x.double().mean()), rel=1e-9)


def test_differences_are_counted_in_chunks():
    left = torch.zeros(SIDE * SIDE)
    right = left.clone()
    right[[0, SIDE, -1]] = torch.tensor([1.0, 2.0, float("nan")])
    assert largest(lambda: count_different(left, right)) <= 0.3
    assert int(count_different(left, right)) == 3


def test_a_task_is_examined_beside_two_cases_and_the_making_of_one_more(maker):
    first = maker.make()
    examine = Admission(maker, Tolerance(1e-4, 1e-2, 1e-6)).examine
    assert largest(lambda: examine(first)) <= 6.0


@pytest.mark.parametrize(
    ("gigabytes", "sets", "times"),
    [(0.01, 16, 1.5), (0.3, 4, 1.5), (4, 2, 1.25), (10, 1, 1.1), (24, 1, 1.05)],
)
def test_the_buffers_of_a_large_task_are_one_set_without_room_to_spare(monkeypatch, gigabytes, sets, times):
    sizes = []

    class Unallocated(SimpleNamespace):
        """Stands in for shared memory, of which this machine has less than a GPU."""

        @staticmethod
        def create(size, device):
            sizes.append(size)
            return SimpleNamespace(kind="memfd", size=size, handle="", descriptor=-1)

    monkeypatch.setattr(session, "Arena", Unallocated)
    channel = SimpleNamespace(order=lambda *order: None)
    reference = SimpleNamespace(device=torch.device("cpu"), weights=dict, init_arguments=[])
    opened = session.Session(channel, reference, PROFILES["quick"], lambda frozen: None, lane_shares=False)
    values = torch.empty(int(gigabytes * 2**30) // 4, device="meta")
    opened.open(SimpleNamespace(tensors=[values], specs=[]))
    assert opened.sets == sets
    assert sizes[0] <= opened.sets * times * values.nbytes + 2**21
