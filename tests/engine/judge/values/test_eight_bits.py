"""Tests of eight-bit numbers: which other rounding is excused, and how their values and last bits are changed."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.last_bits.neighbours import neighbours  # noqa: E402
from eval_app.engine.judge.task.cases import Case  # noqa: E402
from eval_app.engine.judge.values import eight_bits, families  # noqa: E402
from eval_app.engine.shared.trees import flatten  # noqa: E402

FORMATS = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]


def excused(got, truth):
    places = torch.arange(truth.numel())
    return eight_bits.rounded_otherwise(got, truth, places)


@pytest.mark.parametrize("dtype", FORMATS)
def test_a_step_of_a_few_numbers_is_another_rounding_and_one_of_many_is_not(dtype):
    truth = torch.linspace(-2, -1, 64).to(dtype)
    few, many = truth.clone(), (truth.view(torch.uint8) + 1).view(dtype)
    few[7:15] = many[7:15]
    assert excused(few, truth)[7:15].all()
    assert not excused(many, truth).any()


@pytest.mark.parametrize(
    ("got", "truth"), [(2.0, 1.0), (-1.0, 1.0), (float("nan"), 57344.0), (float("inf"), 57344.0)]
)
def test_what_is_no_neighbour_is_no_other_rounding(got, truth):
    pair = torch.tensor([got, truth]).to(torch.float8_e5m2)
    assert not excused(pair[:1], pair[1:]).any()


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("name", families.FAMILIES)
def test_families_change_eight_bit_numbers_and_stay_in_their_range(name, dtype):
    x = (torch.randn(64, 64) * 8).to(dtype)
    (changed,) = families.change(name, [x], 1)
    assert (changed.shape, changed.dtype) == (x.shape, dtype)
    assert changed.float().isfinite().all()
    assert not torch.equal(changed.view(torch.uint8), x.view(torch.uint8))


def test_exponents_alone_stay_as_they_are():
    x = torch.rand(64, 64).to(torch.float8_e8m0fnu)
    with pytest.raises(families.NotApplicableError):
        families.change("scaled_up", [x], 1)


class Reference(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


@pytest.mark.parametrize("compute", [torch.Tensor.float, torch.Tensor.bfloat16])
def test_a_reference_moves_with_last_bits_of_a_wider_form_in_which_it_computes(compute):
    def function(x):
        return compute(x).exp()

    tensors = []
    tree = flatten([torch.randn(64, 64).to(torch.float8_e4m3fn)], tensors, "inputs")
    truth = function(tensors[0])
    case = Case("natural", tree, tensors, tensors, [], [truth], 1, 1.0, 0.0)
    near = neighbours(Reference(function), case)
    next(near)  # in a wider precision
    assert not torch.equal(next(near).tensors[0], truth)
