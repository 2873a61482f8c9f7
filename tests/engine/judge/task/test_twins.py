"""Tests of the memory in which the reference gets its inputs; what it does to times, `timing_repeatability` shows."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.task import buffer_sets  # noqa: E402
from eval_app.engine.judge.task.twins import Twins  # noqa: E402
from eval_app.engine.shared.arena import ALIGN_BYTES, GUARD_BYTES, Arena  # noqa: E402

CALLS = 200


@pytest.fixture
def on_gpu(monkeypatch):
    """Return twins that place tensors as on a GPU, in memory of the CPU."""
    private = Arena.private
    monkeypatch.setattr(Arena, "private", lambda size, _: private(size, torch.device("cpu")))
    return Twins(torch.device("cuda"))


def test_on_a_cpu_twins_have_the_values_in_memory_of_their_own():
    inputs = [torch.rand(3, 5), torch.arange(7), torch.rand(4, 6).t(), torch.empty(0, 2)]
    twins = Twins(torch.device("cpu")).of(inputs)
    assert all(torch.equal(twin, tensor) for twin, tensor in zip(twins, inputs, strict=True))
    assert [twin.stride() for twin in twins] == [tensor.stride() for tensor in inputs]
    twins[0].zero_()
    assert inputs[0].count_nonzero()


def test_on_a_gpu_they_lie_as_the_candidates_inputs_do_at_another_place_in_each_call(on_gpu):
    inputs = [torch.rand(64, 64), torch.rand(8).bfloat16(), torch.empty(0, 3), torch.rand(4, 6).t()]
    starts = set()
    for _ in range(CALLS):
        twins = on_gpu.of(inputs)
        forms = [(twin.shape, twin.dtype, twin.stride()) for twin in twins]
        assert forms == [(tensor.shape, tensor.dtype, tensor.stride()) for tensor in inputs]
        first, second = twins[0].data_ptr(), twins[1].data_ptr()
        assert second - first == inputs[0].nbytes + GUARD_BYTES
        starts.add(first)
    lowest = min(starts)
    assert {(start - lowest) % ALIGN_BYTES for start in starts} == {0}
    assert len(starts) > buffer_sets.JITTER  # several sets, several places in each


def test_twins_share_no_memory_with_each_other(on_gpu):
    left, right = on_gpu.of([torch.rand(64, 64), torch.rand(64, 64)])
    left.fill_(1.0)
    right.fill_(2.0)
    assert left.unique().tolist() == [1.0]


def test_memory_of_large_inputs_is_given_back_between_calls(on_gpu, monkeypatch):
    on_gpu.of([torch.rand(64, 64)])
    assert on_gpu._arena is not None
    monkeypatch.setattr(buffer_sets, "_TOTAL_BYTES", 2**20)
    on_gpu.of([torch.rand(64, 64)])
    assert on_gpu._arena is None
