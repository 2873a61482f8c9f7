"""Tests of the trials of backward passes: layouts of the upstream gradient, what is overwritten, and what training asks
for besides the gradients of all inputs and weights."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.contract.profiles import PROFILES  # noqa: E402
from eval_app.engine.judge.backward import BackwardTrials  # noqa: E402
from eval_app.engine.judge.compare import Tolerance, compare  # noqa: E402
from eval_app.engine.judge.explained import joined  # noqa: E402
from eval_app.engine.judge.record import Record  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError  # noqa: E402
from tests.engine.judge.in_process import InProcess, case_of  # noqa: E402


class Doubled(torch.nn.Module):
    """The double of its input, with a backward pass by hand."""

    def __init__(self, backward):
        super().__init__()
        given = self.given = []

        class Function(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return 2 * x

            @staticmethod
            def backward(ctx, upstream):
                given.append(upstream.stride())
                return backward(upstream)

        self.function = Function

    def forward(self, x):
        return self.function.apply(x)


def right(upstream):
    return 2 * upstream


def reviewed(case, outputs):
    """Compare outputs with the truth, as the trials do."""
    pairs = zip(outputs, case.truth, strict=True)
    return SimpleNamespace(
        total=joined([compare(got, wanted, Tolerance(1e-4, 1e-2, 1e-6), "output") for got, wanted in pairs])
    )


def run(candidate, reference=None, draw=lambda: torch.rand(8, 4), trials=3, weights="none", reweigh=None):
    """Run the trials of a profile; return the session."""
    reference, session = reference or Doubled(right), InProcess(candidate)
    maker = SimpleNamespace(
        make=lambda: case_of(reference, draw()), reference=SimpleNamespace(model=reference)
    )
    noted = []
    others = SimpleNamespace(
        weights=weights,
        families=[],
        record=Record(),
        note=lambda *finding: noted.append(finding),
        reviewed=reviewed,
        unsteady=lambda case, total: "",
    )
    profile = SimpleNamespace(**vars(PROFILES["quick"]) | {"backward_trials": trials})
    BackwardTrials(session, maker, others, profile, reweigh and reweigh(reference, candidate)).run()
    assert others.record.backward["detail"] == ""
    return session


def refused(*arguments, **named):
    with pytest.raises(RejectedError) as caught:
        run(*arguments, **named)
    return caught.value


def read_as_rows(upstream):
    """Read memory in order, as a kernel does that is given the address alone."""
    size = upstream.untyped_storage().nbytes() // 4
    rows = upstream.as_strided((min(size, 32),), (1,))
    return 2 * torch.cat([rows, torch.zeros(32 - len(rows))]).view(8, 4)


def test_one_upstream_gradient_is_transposed_one_is_a_single_value_and_the_others_are_dense():
    candidate = Doubled(right)
    assert run(candidate).passes == 4
    assert candidate.given == [(1, 8), (0, 0), (4, 1), (4, 1)]


def test_a_backward_pass_that_ignores_strides_is_wrong_and_is_told_to_call_contiguous():
    error = refused(Doubled(read_as_rows))
    assert error.outcome == "wrong_value"
    assert "call .contiguous() on it first; backward pass: " in error.detail


@pytest.mark.parametrize(
    "is_taken", [lambda upstream: upstream.is_contiguous(), lambda upstream: 0 not in upstream.stride()]
)
def test_a_backward_pass_that_raises_for_views_alone_says_so(is_taken):
    def strict(upstream):
        if not is_taken(upstream):
            raise ValueError("an odd layout")
        return 2 * upstream

    error = refused(Doubled(strict))
    assert error.outcome == "runtime_error"
    assert error.detail.endswith("call .contiguous() on it first; an odd layout")


def test_a_backward_pass_that_is_wrong_in_any_layout_is_not_told_of_layouts():
    error = refused(Doubled(lambda upstream: 3 * upstream))
    assert error.outcome == "wrong_value"
    assert error.detail.startswith("backward pass: ")


def test_layouts_that_the_reference_does_not_take_are_left_out():
    def strict(upstream):
        if not upstream.is_contiguous():
            raise ValueError("an odd layout")
        return 2 * upstream

    candidate = Doubled(right)
    run(candidate, Doubled(strict))
    assert candidate.given == [(4, 1)] * 4


def test_gradients_that_vanish_under_ones_are_asked_for_with_one_row_of_values():
    class Softmax(torch.nn.Module):
        def forward(self, x):
            return torch.softmax(x, -1) + Doubled.forward(self.last, 0 * x)

    reference, candidate = Softmax(), Softmax()
    reference.last, candidate.last = Doubled(right), Doubled(right)
    run(candidate, reference)
    assert candidate.last.given == [(1, 8), (0, 1), (4, 1), (4, 1)]


@pytest.mark.parametrize("trials", [1, 2, 3])
def test_an_overwritten_upstream_gradient_is_a_broken_promise(trials):
    error = refused(Doubled(lambda upstream: upstream.contiguous().mul_(2)), trials=trials)
    assert error.outcome == "broken_promise"
    assert [found["code"] for found in error.findings] == ["input_mutated"]
    assert "the gradients are correct, and the backward pass overwrites the upstream gradient" in error.detail


def test_wrong_gradients_go_before_what_is_overwritten():
    error = refused(Doubled(lambda upstream: upstream.mul_(3)))
    assert error.outcome == "wrong_value"


class Layer(torch.nn.Module):
    """A product with weights and a sum of squares, by a function of its own, which `act` may have go wrong."""

    def __init__(self, act=lambda needed, upstream, gradients: gradients):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(12.0).view(4, 3) / 6 - 1)
        self.kept = self.weight.detach().clone()
        layer = self

        class Function(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, weight):
                ctx.set_materialize_grads(False)
                ctx.save_for_backward(x, weight)
                return x @ weight, x.square().sum(-1)

            @staticmethod
            def backward(ctx, of_product, of_sum):
                x, weight = ctx.saved_tensors
                product = x.new_zeros(8, 3) if of_product is None else of_product
                of_x = product @ layer.present(weight).t()
                if of_sum is not None:
                    of_x = of_x + 2 * x * of_sum[:, None]
                return act(ctx.needs_input_grad, (of_product, of_sum), (of_x, x.t() @ product))

        self.function = Function

    def present(self, weight):
        return weight

    def forward(self, x):
        return self.function.apply(x, self.weight)


def nothing_unless(is_right):
    return Layer(lambda *given: given[-1] if is_right(*given[:2]) else (None, None))


def test_a_backward_pass_that_is_right_in_all_parts_passes():
    assert run(Layer(), Layer(), weights="state_dict").passes == 8


@pytest.mark.parametrize(
    ("is_right", "part"),
    [
        (
            lambda needed, upstream: needed[0],
            "where the weights alone require them, as in a first layer, whose input is data",
        ),
        (lambda needed, upstream: needed[1], "where the inputs alone require them, as beside frozen weights"),
        (lambda needed, upstream: upstream[1] is not None, "for a loss that uses output[0] alone"),
        (lambda needed, upstream: upstream[0] is not None, "for a loss that uses output[1] alone"),
    ],
)
def test_a_part_without_gradients_is_wrong_and_is_named(is_right, part):
    error = refused(nothing_unless(is_right), Layer(), weights="state_dict")
    assert error.outcome == "wrong_value"
    assert error.detail.startswith(f"gradients are right, but not {part}; backward pass: ")


def test_parts_that_the_reference_does_not_take_are_left_out():
    class Strict(Layer):
        def forward(self, x):
            if torch.is_grad_enabled() and x.requires_grad != self.weight.requires_grad:
                raise ValueError("both or none")
            return super().forward(x)

    assert (
        run(nothing_unless(lambda needed, upstream: all(needed)), Strict(), weights="state_dict").passes == 6
    )


def test_without_weights_of_the_same_names_inputs_are_not_asked_for_by_themselves():
    assert run(Layer(), Layer()).passes == 6


def test_outputs_that_are_wrong_where_gradients_are_asked_for_are_wrong():
    class Zeros(Layer):
        def forward(self, x):
            return tuple(0 * output for output in super().forward(x))

    error = refused(Zeros(), Layer(), weights="state_dict")
    assert error.outcome == "wrong_value"
    assert error.detail.startswith("outputs are right unless gradients are asked for, as in training: ")


def test_outputs_may_be_those_of_a_reference_that_goes_another_way_where_gradients_are_asked_for():
    class Other(Doubled):
        def forward(self, x):
            return super().forward(x) + x.requires_grad

    assert run(Other(right), Other(right)).passes == 4
    assert run(Doubled(right), Other(right)).passes == 4


def test_gradients_in_the_memory_of_earlier_ones_break_a_promise_unless_the_reference_does_the_same():
    buffer, another = torch.empty(8, 4), torch.empty(8, 4)
    buffered = Doubled(lambda upstream: torch.mul(upstream, 2, out=buffer))
    error = refused(buffered)
    assert error.outcome == "broken_promise"
    assert [found["code"] for found in error.findings] == ["output_reused"]
    run(buffered, Doubled(lambda upstream: torch.mul(upstream, 2, out=another)))


class Moving:
    """Stands in for Reweigh: doubles the weights of both sides."""

    followed = True

    def __init__(self, *models):
        self._weights = [model.weight for model in models]

    def while_moved(self, action):
        for factor in (2, 0.5):
            with torch.no_grad():
                [weight.mul_(factor) for weight in self._weights]
            if factor == 2:
                action()


class Kept(Layer):
    """Multiplies by its first weights in its backward pass."""

    def present(self, weight):
        return self.kept


def test_gradients_by_earlier_weights_are_wrong_where_the_outputs_follow_these():
    run(Layer(), Layer(), weights="state_dict", reweigh=Moving)
    error = refused(Kept(), Layer(), weights="state_dict", reweigh=Moving)
    assert error.outcome == "wrong_value"
    assert "once the weights have changed in place, as in training" in error.detail


def test_weights_that_are_read_once_for_both_passes_are_not_refused():
    class ReadOnce(Kept):
        def forward(self, x):
            return self.function.apply(x, self.weight + (self.kept - self.weight).detach())

    run(ReadOnce(), Layer(), weights="state_dict", reweigh=Moving)
