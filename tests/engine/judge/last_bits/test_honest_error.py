"""Tests of the reference's own error: what it excuses, and what it does not."""

from functools import partial

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.comparison.compare import Tolerance, compare  # noqa: E402
from eval_app.engine.judge.last_bits.honest_error import HonestError  # noqa: E402
from eval_app.engine.judge.last_bits.neighbours import Neighbour, neighbours  # noqa: E402
from eval_app.engine.judge.task.cases import Case  # noqa: E402
from eval_app.engine.judge.verdicts import UnreviewedError  # noqa: E402
from eval_app.engine.shared.trees import flatten  # noqa: E402

KERNELBENCH = Tolerance(fp32=1e-4, half=1e-2, fp64=1e-6)


class Reference(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


def honest_error(model):
    return HonestError(partial(neighbours, model))


def reviewed(function, inputs, change, name="natural"):
    """Return the difference of a changed truth after the review with a reference that computes `function`."""
    tensors = []
    tree = flatten(inputs, tensors, "inputs")
    truth = function(*inputs)
    case = Case(name, tree, tensors, tensors, [], [truth], 1, 1.0, 0.0)
    got = change(truth.clone())
    found = [("output", got, truth, compare(got, truth, KERNELBENCH))]
    return honest_error(Reference(function)).review(case, found, KERNELBENCH)[0][3]


def rounded(x):
    return torch.round(torch.sigmoid(x) * 255)


def test_the_other_side_of_a_rounding_is_right_where_last_bits_decide():
    x = torch.randn(64, 64)
    x[3, 5] = torch.logit(torch.tensor(100.5 / 255, dtype=torch.float64)).float()

    def step(truth):
        truth[3, 5] = 201 - truth[3, 5]
        return truth

    difference = reviewed(rounded, [x], step)
    assert (difference.wrong, difference.forgiven, difference.mismatches) == (0, 1, [])


def test_the_other_side_of_a_rounding_of_integers_is_right_where_their_last_bits_as_numbers_decide():
    x = torch.zeros(64, 64, dtype=torch.uint8)
    x[3, 5] = 201
    assert reviewed(lambda x: (x * 0.5).round().byte(), [x], lambda truth: truth + (truth > 0)).wrong == 0
    assert reviewed(lambda x: (x * 0.501).round().byte(), [x], lambda truth: truth + (truth > 0)).wrong == 1


def test_another_step_where_no_last_bit_decides_is_wrong():
    x = torch.zeros(64, 64) + torch.logit(torch.tensor(100.2 / 255))

    def step(truth):
        truth[3, 5] += 1
        return truth

    difference = reviewed(rounded, [x], step)
    assert (difference.wrong, difference.forgiven) == (1, 0)
    assert difference.mismatches[0]["index"] == [3, 5]


def test_of_equal_values_another_place_is_right_and_one_of_a_smaller_value_is_not():
    x = torch.randn(8, 32).round(decimals=1)
    x[2, 4] = x[2, 9] = 50.0

    def place(index):
        def change(truth):
            truth[2] = index
            return truth

        return change

    assert reviewed(lambda x: x.argmax(1), [x], place(9)).wrong == 0
    assert reviewed(lambda x: x.argmax(1), [x], place(3)).wrong == 1


@pytest.mark.parametrize(("function", "wrong"), [(torch.cummax, 0), (torch.topk, 1)])
def test_a_place_comes_twice_only_where_the_reference_gives_one_twice_on_other_last_bits(function, wrong):
    x = torch.arange(64.0).expand(8, 64).clone().add(0.5)
    x[2, 9] = x[2, 8]
    values, places = function(x, 64 if function is torch.topk else 1)
    got = places.clone()
    got[2][places[2] == 9] = 8
    case = Case(
        "sorted", flatten([x], tensors := [], "inputs"), tensors, tensors, [], [values, places], 1, 1.0, 0.0
    )
    found = [
        (name, a, b, compare(a, b, KERNELBENCH))
        for name, a, b in (("output[0]", values, values), ("output[1]", got, places))
    ]
    model = Reference(lambda x: tuple(function(x, 64 if function is torch.topk else 1)))
    review = honest_error(model).review(case, found, KERNELBENCH)
    assert [difference.wrong for *_, difference in review] == [0, wrong]


def test_a_comparison_of_equal_sums_may_go_either_way():
    a = torch.full((16,), 0.1)
    assert reviewed(lambda a: (a * 3 + 0.2) > (a * 5), [a], lambda truth: ~truth).wrong == 0
    assert reviewed(lambda a: (a * 3 + 0.3) > (a * 5), [a], lambda truth: ~truth).wrong == 16


def test_half_precision_may_round_between_steps_and_eight_bits_may_not():
    q, k = (torch.randn(64, 64, generator=torch.Generator().manual_seed(s)).bfloat16() for s in (1, 2))

    def product(q, k):
        return torch.exp((q @ k.t()) / 8)

    once = torch.exp((q.float() @ k.float().t()) / 8).bfloat16()
    eight = torch.exp(
        (q.to(torch.float8_e4m3fn).float() @ k.to(torch.float8_e4m3fn).float().t()) / 8
    ).bfloat16()
    assert reviewed(product, [q, k], lambda truth: once).wrong == 0
    assert reviewed(product, [q, k], lambda truth: eight).wrong > 0


def test_small_values_beside_large_ones_are_known_as_well_as_the_reference_knows_them():
    x = torch.randn(48, 64, generator=torch.Generator().manual_seed(3))
    x[::6, 5] *= 1e6
    turn = torch.linalg.qr(torch.randn(64, 64, generator=torch.Generator().manual_seed(4)))[0]

    def there_and_back(x, turn):
        return (x @ turn) @ turn.t()

    parts = (x[:, :32] @ turn[:32] + x[:, 32:] @ turn[32:]) @ turn.t()
    assert reviewed(there_and_back, [x, turn], lambda truth: parts).wrong == 0
    assert (
        reviewed(there_and_back, [x, turn], lambda truth: torch.where(truth.abs() < 5, 0.0, truth)).wrong
        > 500
    )


def test_a_reference_that_runs_in_no_other_way_excuses_nothing():
    class Once(torch.nn.Module):
        def forward(self, x):
            raise RuntimeError("not again")

    x = torch.randn(8)
    case = Case("natural", {"list": []}, [], [], [], [x], 1, 1.0, 0.0)
    got = x + 1
    found = [("output", got, x, compare(got, x, KERNELBENCH))]
    model = Once()
    assert honest_error(model).review(case, found, KERNELBENCH)[0][3].wrong == 8


def test_a_number_is_no_honest_error_where_every_precision_gives_infinity():
    x = torch.randn(8, 8)
    masked = reviewed(lambda x: x.masked_fill(x < 0, float("-inf")), [x], lambda truth: x.clone())
    assert masked.wrong == int((x < 0).sum())


def test_where_half_precision_overflows_between_steps_the_number_that_single_precision_gives_is_right():
    x = torch.full((4, 64), 300.0, dtype=torch.float16)
    x[2:] = 200.0

    def square_mean(x):
        return (x * x).mean(-1) / 4

    exact = square_mean(x.float()).half()
    assert reviewed(square_mean, [x], lambda truth: exact.clone()).wrong == 0
    assert reviewed(square_mean, [x], lambda truth: exact * 1.2).wrong == 4


def test_large_integers_that_differ_in_their_last_bit_are_wrong():
    x = torch.randint(2**60, 2**61, (64,)) * 2
    assert reviewed(lambda x: x * 1, [x], lambda truth: truth + 1).wrong == 64


def test_results_that_the_reference_leaves_in_its_input_are_reviewed_as_well():
    x = torch.randn(64, 64)
    truth = rounded(x)
    got = truth.clone()
    got[3, 5] += 1
    case = Case("natural", {"list": [{"tensor": 0}]}, [x], [truth], [], [], 1, 1.0, 0.0)
    model = Reference(lambda x: x.copy_(rounded(x)) and None)
    found = [("input 0", got, truth, compare(got, truth, KERNELBENCH))]
    assert honest_error(model).review(case, found, KERNELBENCH)[0][3].wrong == 1
    large = torch.exp(6 * torch.randn(64, 256))
    small = large < 1e-4 * large.square().mean().sqrt()
    case = Case("natural", {"list": [{"tensor": 0}]}, [large.log()], [large], [], [], 1, 1.0, 0.0)
    model = Reference(lambda x: x.exp_() is None)
    without = torch.where(small, 0.0, large)
    found = [("input 0", without, large, compare(without, large, KERNELBENCH))]
    assert not found[0][3].wrong
    assert honest_error(model).review(case, found, KERNELBENCH)[0][3].wrong > 1000


def test_a_label_taken_for_the_one_below_is_wrong():
    table, labels = torch.randn(10, 4), torch.randint(1, 10, (256,)).float()
    difference = reviewed(lambda x: table[x.long()], [labels], lambda truth: table[labels.long() - 1])
    assert difference.wrong > 900


def test_something_in_place_of_nothing_is_wrong():
    x = torch.relu(torch.randn(64, 64))
    difference = reviewed(lambda x: (x != 0).float() * 2, [x], lambda truth: torch.full_like(truth, 2))
    assert difference.wrong == int((x == 0).sum())


def test_the_other_side_of_a_rounding_of_complex_values_is_right():
    x = torch.randn(64, 64, dtype=torch.complex64)
    x[3, 5] = torch.logit(torch.tensor(100.5 / 255, dtype=torch.float64)).float()

    def step(truth):
        truth[3, 5] = 201 - truth[3, 5]
        return truth

    assert reviewed(lambda x: rounded(x.real), [x], step).wrong == 0


def test_a_complex_value_that_no_last_bit_explains_is_wrong():
    def other(truth):
        truth[3, 5] += 1
        return truth

    assert reviewed(lambda x: x * x, [torch.randn(8, 8, dtype=torch.complex64)], other).wrong == 1


def test_a_review_that_would_outlast_the_job_says_so_and_calls_nothing_wrong():
    x = torch.randn(64, 64)
    truth = rounded(x)
    case = Case("natural", {"list": [{"tensor": 0}]}, [x], [x], [], [truth], 1, 1.0, 0.0)
    got = truth + 1
    found = [("output", got, truth, compare(got, truth, KERNELBENCH))]
    review = honest_error(Reference(rounded))
    review.allow(0)
    with pytest.raises(UnreviewedError, match="longer than the 0 s") as raised:
        review.review(case, found, KERNELBENCH)
    assert raised.value.outcome == "timeout"
    review.allow(60)
    assert review.review(case, found, KERNELBENCH)[0][3].wrong > 4000
    assert review.review(case, [("output", truth, truth, compare(truth, truth, KERNELBENCH))], KERNELBENCH)


def test_the_reference_is_called_no_more_once_everything_is_explained():
    calls = []

    def near(case, keeping):
        for _ in range(5):
            calls.append(keeping)
            yield Neighbour([truth + 0.5], [])

    truth = torch.full((8,), 1000.0)
    case = Case("natural", {"list": []}, [], [], [], [truth], 1, 1.0, 0.0)
    found = [("output", truth + 0.5, truth, compare(truth + 0.5, truth, KERNELBENCH))]
    assert HonestError(near).review(case, found, KERNELBENCH)[0][3].wrong == 0
    assert len(calls) == 1


@pytest.mark.parametrize("name", ["integers", "one_hot"])
def test_what_is_wrong_at_zeros_alone_is_wrong_where_a_family_makes_them(name):
    x = torch.randint(-1, 2, (64, 64)).float()
    assert reviewed(torch.sign, [x], lambda truth: truth.where(truth != 0, -1.0), name).wrong > 1000
    assert reviewed(torch.sign, [x], lambda truth: -truth, name).wrong > 1000


def test_small_values_beside_large_ones_are_excused_by_their_own_last_bits_alone():
    x = torch.randn(64, 64) * torch.logspace(-6, 6, 64)
    units = torch.logspace(-6, 6, 64)
    left_out = reviewed(lambda x: x / units, [x], lambda truth: truth * (units > 1e-3))
    assert left_out.wrong > 900
