"""The calls of an order: inputs where they will lie, the reference's answers, and families among them."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.clock import order_draw  # noqa: E402
from eval_app.engine.judge.clock.order_draw import answer, call_bytes, copy_in_random_order, draw  # noqa: E402
from eval_app.engine.judge.task.cases import CaseMaker  # noqa: E402
from eval_app.engine.judge.task.reference import Reference  # noqa: E402

PROGRAM = """
import torch
class Model(torch.nn.Module):
    def forward(self, x, rows):
        x.add_(1)
        return torch.relu(x), x[rows] + torch.rand(1)
def get_inputs():
    return [torch.randn(8, 5), torch.tensor([1, 3])]
"""


@pytest.fixture
def maker(tmp_path):
    return CaseMaker(Reference(PROGRAM, tmp_path, torch.device("cpu"), 1))


def test_each_call_has_its_own_values_and_the_truth_for_them(maker):
    drawn = draw(maker, 3, 2**20, [], seeded=True)
    answer(drawn, maker)
    assert len({tuple(drawn.views(call)[0].flatten().tolist()) for call in drawn.calls}) == 3
    for call in drawn.calls:
        x, rows = drawn.views(call)
        torch.manual_seed(call.seed)
        assert torch.equal(call.truth[0], torch.relu(x + 1)), "the reference changes a copy of the inputs"
        assert torch.equal(call.truth[1], (x + 1)[rows] + torch.rand(1))
    assert drawn.reference_ms > 0


WAITING = """
import time, torch
class Model(torch.nn.Module):
    def forward(self, x):
        time.sleep(0.05)
        return torch.relu(x)
def get_inputs():
    return [torch.randn(8, 5)]
"""


@pytest.mark.parametrize("beside_others", [False, True])
def test_beside_other_lanes_time_without_a_processor_is_not_the_references(tmp_path, beside_others):
    """A candidate in another lane may take the processors whenever the one here is frozen."""
    maker = CaseMaker(Reference(WAITING, tmp_path, torch.device("cpu"), 1))
    drawn = draw(maker, 2, 2**20, [], seeded=False)
    answer(drawn, maker, beside_others=beside_others)
    assert (0 < drawn.reference_ms < 50) is beside_others


GAPPY = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)[:, ::16], x + 1
def get_inputs():
    return [torch.randn(512, 4096)]
"""


def test_copying_is_weighed_for_dense_results_and_what_the_references_gaps_add_beside_it(tmp_path):
    maker = CaseMaker(Reference(GAPPY, tmp_path, torch.device("cpu"), 1))
    drawn = draw(maker, 2, 2**26, [], seeded=False)
    answer(drawn, maker)
    assert [spec.shape for spec in drawn.gaps] == [(512, 256)] * 2
    assert drawn.copying_ms > 0
    assert drawn.gaps_ms >= 0


def test_there_are_as_many_calls_as_fit(maker):
    each = call_bytes(maker.make().tensors)
    assert len(draw(maker, 10, each * 4, [], seeded=False).calls) == 4


def test_families_are_among_the_calls_now_and_then_and_the_tasks_own_values_mostly(maker):
    families = [call.family for call in draw(maker, 200, 2**24, ["uniform"], seeded=False).calls]
    assert 1 < families.count("uniform") < 80
    assert set(families) == {"natural", "uniform"}


@pytest.mark.parametrize("dims", [(0, 1), (1, 0)], ids=["rows", "columns"])
def test_a_large_result_is_copied_in_parts_of_which_the_last_may_be_first(dims, monkeypatch):
    source = torch.randn(1024, 1024).permute(dims)
    target, starts = torch.zeros_like(source), []
    shuffle = lambda pairs: starts.extend(part.data_ptr() for _, part in pairs)  # noqa: E731
    monkeypatch.setattr(order_draw._random, "shuffle", shuffle)
    copy_in_random_order([target], [source])
    assert torch.equal(target, source)
    assert len(starts) == 32


def test_a_result_with_gaps_is_copied_whole():
    source = torch.randn(1024, 2048)[:, ::2]
    target = torch.zeros(1024, 1024)
    copy_in_random_order([target], [source])
    assert torch.equal(target, source)
