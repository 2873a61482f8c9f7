"""Tests of output digests: samples from all of an output, enough to recognise it; empty if it is constant."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.output_digest import checksums_of, digest_of, varied  # noqa: E402


def test_a_digest_does_not_fall_into_one_column():
    rows = torch.zeros(512, 150)
    rows[:, 1:] = torch.randn(512, 149)
    assert (digest_of(rows) != 0).float().mean() > 0.9


def test_tensors_of_a_size_are_looked_at_in_the_same_places():
    tensor = torch.randn(70, 70)
    assert torch.equal(digest_of(tensor), digest_of(tensor.clone()))


@pytest.mark.parametrize("tensor", [torch.tensor(1.5), torch.zeros(5000), torch.tensor([2.0, 2.0])])
def test_one_value_throughout_is_recognised_by_nothing(tensor):
    assert not varied(digest_of(tensor))


@pytest.mark.parametrize(
    "tensor", [torch.tensor([True, False]), torch.tensor([3, 1, 2]), torch.arange(5000) % 8]
)
def test_whole_numbers_that_are_equal_by_chance_are_recognised_by_nothing(tensor):
    assert not varied(digest_of(tensor))


def test_values_that_differ_are_recognised():
    assert varied(digest_of(torch.arange(100.0)))


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.bfloat16, torch.bool, torch.complex128]
)
def test_a_checksum_shows_one_element_that_changed_and_two_that_changed_places(dtype):
    weight = torch.zeros(3, 5, dtype=dtype)
    weight[1, 2] = 1
    changed, exchanged = weight.clone(), weight.clone()
    changed[2, 4] = 1
    exchanged[1] = weight[1].flip(0).roll(1)
    assert checksums_of([weight]) == checksums_of([weight.t().contiguous().t()])
    assert len({*checksums_of([weight, changed, exchanged])}) == 3


def test_a_checksum_counts_all_of_a_large_tensor():
    weight = torch.zeros(2**22 + 3)
    sums = set()
    for place in (0, 2**22 - 1, 2**22, 2**22 + 2):
        weight.zero_()[place] = 1
        sums.update(checksums_of([weight]))
    assert len(sums) == 4
    assert checksums_of([torch.empty(0), torch.tensor(0.0)])[0] == 0
