"""Tests that conversions to integers which do not hold a number are seen."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.last_bits.conversions import ConversionsWatched  # noqa: E402


def overflows(convert, values):
    with ConversionsWatched() as watched:
        convert(torch.tensor(values))
    return watched.overflows


@pytest.mark.parametrize(
    ("dtype", "held", "beyond"),
    [
        (torch.uint8, [0.0, 255.9], [256.0]), (torch.uint8, [-0.5], [-1.0]), (torch.int8, [-128.0, 127.0], [-129.0]),
        (torch.int32, [2.0**31 - 128], [2.0**31]), (torch.int64, [-(2.0**63)], [2.0**63]),
        (torch.int16, [5.0], [float("nan")]), (torch.int16, [5.0], [float("inf")]),
    ],
)  # fmt: skip
def test_a_number_that_an_integer_does_not_hold_is_seen(dtype, held, beyond):
    assert not overflows(lambda x: x.to(dtype), held)
    assert overflows(lambda x: x.to(dtype), beyond)
    assert overflows(lambda x: torch.empty(x.shape, dtype=dtype).copy_(x), beyond)


@pytest.mark.parametrize("dtype", [torch.bool, torch.float16, torch.complex64])
def test_other_conversions_are_left_alone(dtype):
    assert not overflows(lambda x: x.to(dtype), [1e6])


def test_whole_numbers_wrap_by_rule():
    with ConversionsWatched() as watched:
        torch.tensor([300]).to(torch.uint8)
    assert not watched.overflows
