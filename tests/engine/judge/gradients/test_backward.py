"""Tests of the reference's gradients and of what is near them."""

from itertools import islice

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.comparison.compare import Tolerance, compare  # noqa: E402
from eval_app.engine.judge.gradients.reference_gradients import Differentiator, NotDifferentiableError  # noqa: E402
from eval_app.engine.judge.last_bits.honest_error import HonestError  # noqa: E402
from eval_app.engine.judge.task.cases import Case  # noqa: E402

GRADIENTS = Tolerance(1e-3, 3e-2, 1e-6, least_size=1e-3, fixed_hidden=1e-3)


class Step(torch.nn.Module):
    """A product and a step: its gradient jumps where the product is zero."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([3.0, 1.0]))

    def forward(self, x):
        return torch.relu((x * self.weight).sum(-1))


def case_of(x):
    return Case("natural", {"list": [{"tensor": 0}]}, [x], [x], [], [], 1, 1.0, 0.0)


def reviewed(x, change):
    """Return the difference of the changed gradient of `x` after the review."""
    differentiator, case = Differentiator(Step(), weights=True), case_of(x)
    truth = differentiator.gradients(case)
    graded = truth.as_results(case)
    outputs = [
        (place, change(wanted.clone()) if place.endswith("input 0") else wanted, wanted)
        for (place, _), wanted in zip(graded.wanted, graded.truth, strict=True)
    ]
    found = [(*output, compare(*output[1:], GRADIENTS)) for output in outputs]
    review = HonestError(lambda case, keeping: differentiator.neighbours(case, truth, keeping))
    return review.review(graded, found, GRADIENTS)[0][3]


def test_gradients_have_their_names_and_the_same_upstream_ones_near_them():
    differentiator, case = Differentiator(Step(), weights=True), case_of(torch.rand(64, 2))
    truth = differentiator.gradients(case)
    assert [name for name, _, _ in truth.named] == ["input 0", "weight weight"]
    for near in islice(differentiator.neighbours(truth.as_results(case), truth, 0), 5):
        for gradient, wanted in zip(near.tensors, truth.tensors, strict=True):
            torch.testing.assert_close(gradient, wanted, rtol=1e-4, atol=1e-4)


def test_the_other_side_of_a_step_is_right_where_last_bits_decide():
    x = torch.rand(64, 2)
    x[5] = torch.tensor([1.0, -2.9999998])

    def other_side(gradient):
        gradient[5] = 0
        return gradient

    assert reviewed(x, other_side).wrong == 0


def test_no_gradient_where_it_is_small_is_wrong_beside_large_ones():
    x = torch.rand(4096, 2)

    def tail_dropped(gradient):
        gradient[:4000] = 0
        return gradient

    model = Step()
    large = torch.cat([torch.full((4000, 1), 1e-3), torch.full((96, 1), 1e4)])
    model.forward = lambda x: (x * large).sum(-1)
    differentiator, case = Differentiator(model, weights=False), case_of(x)
    truth = differentiator.gradients(case)
    graded = truth.as_results(case)
    [wanted] = graded.truth
    got = tail_dropped(wanted.clone())
    found = [("gradient", got, wanted, compare(got, wanted, GRADIENTS))]
    review = HonestError(lambda case, keeping: differentiator.neighbours(case, truth, keeping))
    assert review.review(graded, found, GRADIENTS)[0][3].wrong > 1000


def test_what_has_no_gradient_says_so():
    model = Step()
    model.forward = lambda x: x.detach() * 2
    with pytest.raises(NotDifferentiableError, match="no output of the reference depends"):
        Differentiator(model, weights=False).gradients(case_of(torch.rand(4, 2)))
