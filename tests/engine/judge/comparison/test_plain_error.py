"""Tests of the reference's own error in plain values: what last bits decide is right, and no more."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.last_bits.honest_error import HonestError  # noqa: E402
from eval_app.engine.judge.last_bits.neighbours import Neighbour  # noqa: E402
from eval_app.engine.judge.task.cases import Case  # noqa: E402
from eval_app.engine.shared.trees import flatten  # noqa: E402
from tests.engine.judge.last_bits.test_honest_error import Reference, honest_error  # noqa: E402


def test_a_plain_number_that_the_first_runs_do_not_reach_is_looked_at_in_as_many_more():
    """Of 64 jobs whose counts last bits decide in every other call, one review refused four."""
    case = Case("natural", [], [], [], [("output", {"int": "7"})], [], 1, 1.0, 0.0)
    reviews = []

    def near(case, keeping):
        reviews.append(keeping)
        plain = [{"int": "7" if len(reviews) == 1 else "8"}]
        return iter([Neighbour([], plain)] * 60)

    assert HonestError(near).explained(case, {0: {"int": "8"}}) == [0]
    assert len(reviews) == 2
    assert HonestError(near).explained(case, {0: {"int": "40"}}) == []


def explained(function, x, got):
    """Return whether the plain value `got` is explained where the reference returns the plain value `function(x)`."""
    tensors = []
    tree = flatten([x], tensors, "inputs")
    case = Case("natural", tree, tensors, tensors, [("output", flatten(function(x), []))], [], 1, 1.0, 0.0)
    model = Reference(function)
    return honest_error(model).explained(case, {0: got}) == [0]


def beyond(x):
    return int((torch.sigmoid(x) > 0.6).sum())


def test_a_count_may_differ_by_what_last_bits_decide_and_by_no_more():
    limit = torch.logit(torch.tensor(0.6, dtype=torch.float64)).float()
    x = torch.cat([torch.zeros(100), torch.ones(100), limit.expand(4)])
    count = beyond(x)
    assert any(explained(beyond, x, {"int": str(count + step)}) for step in (-1, 1))
    assert not explained(beyond, x, {"int": str(count + 50)})
    assert not explained(beyond, torch.ones(100), {"int": "99"})


def test_a_sum_that_cancels_may_differ_by_its_own_error_and_by_no_more():
    x = torch.cat([torch.full((1000,), 1000.1), torch.full((1000,), -1000.1)])[torch.randperm(2000)]

    def total(x):
        return float(x.sum())

    assert explained(total, x, {"float": (total(x) + 1e-3).hex()})
    assert not explained(total, x, {"float": (total(x) + 10.0).hex()})


@pytest.mark.parametrize(
    "got",
    [
        {"float": "0x1p60"},
        {"int": str(2**60 + 1)},
        {"int": "x"},
        {"int": [1]},
        {"plain": True},
        [],
        None,
        5,
        "int",
    ],
)
def test_another_number_or_kind_or_a_forged_form_is_explained_by_nothing(got):
    assert not explained(lambda x: 2**60, torch.randn(4), got)
