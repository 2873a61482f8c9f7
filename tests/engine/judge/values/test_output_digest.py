"""Tests of output digests: samples from all of an output, enough to recognise it; empty if it is constant."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.values.output_digest import checksum, digest_of, varied  # noqa: E402


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
    "dtype", [torch.float32, torch.bool, torch.int16, torch.float8_e4m3fn, torch.complex64]
)
@pytest.mark.parametrize("size", [1, 7, 5000, 2**23 + 3])
def test_a_checksum_is_that_of_all_bytes(dtype, size):
    tensor = torch.ones(size + 1, dtype=dtype)[1:]
    other = tensor.clone()
    assert checksum([tensor]) == checksum([other])
    other[size // 2] = 0
    assert checksum([tensor]) != checksum([other])


def test_tensors_in_another_order_have_another_checksum():
    left, right = torch.randn(8), torch.randn(8)
    assert checksum([left, right]) != checksum([right, left])
    assert checksum([]) == ()
