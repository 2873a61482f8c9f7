"""Tests of what training asks for besides the gradients of all inputs and weights under those of all outputs."""

import pytest

torch = pytest.importorskip("torch")

from tests.engine.judge.gradients.backward_runs import Doubled, refused, right, run  # noqa: E402


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
    assert run(Layer(), Layer(), weights="state_dict").passes == 11


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


def added_twice(weight):
    """Have gradients of a weight added to `.grad` once more, as a backward pass may that returns them as well."""

    def add(gradient):
        weight.grad = gradient.clone()

    weight.register_hook(add)


def dropped(weight):
    """Have gradients of a weight cleared once they are in `.grad`."""

    def clear(weight):
        weight.grad.zero_()

    weight.register_post_accumulate_grad_hook(clear)


@pytest.mark.parametrize("spoil", [added_twice, dropped])
def test_what_an_optimiser_reads_is_compared(spoil):
    layer = Layer()
    spoil(layer.weight)
    error = refused(layer, Layer(), weights="state_dict")
    assert error.outcome == "wrong_value"
    assert error.detail.startswith("gradients are right, but not in `.grad` after `backward()`")
    assert layer.weight.grad is None


@pytest.mark.parametrize(
    ("spoil", "size"),
    [
        (lambda upstream: upstream.clamp(-100, 100), "7e+04"),
        (lambda upstream: torch.where(upstream.abs() < 1e-5, 0, upstream), "1e-06"),
    ],
    ids=["clipped", "flushed"],
)
def test_upstream_gradients_of_another_size_are_told_apart(spoil, size):
    error = refused(Doubled(lambda upstream: 2 * spoil(upstream)))
    assert error.outcome == "wrong_value"
    assert error.detail.startswith(
        f"gradients are right, but not under upstream gradients {size} times as large, as another loss has them; "
    )


def test_sizes_at_which_the_reference_overflows_or_loses_bits_are_left_out():
    halves = Doubled(lambda upstream: 2 * upstream.half().float())
    assert run(Doubled(right), halves).passes == 4


def test_parts_that_the_reference_does_not_take_are_left_out():
    class Strict(Layer):
        def forward(self, x):
            if torch.is_grad_enabled() and x.requires_grad != self.weight.requires_grad:
                raise ValueError("both or none")
            return super().forward(x)

    assert (
        run(nothing_unless(lambda needed, upstream: all(needed)), Strict(), weights="state_dict").passes == 9
    )


def test_without_weights_of_the_same_names_inputs_are_not_asked_for_by_themselves():
    assert run(Layer(), Layer()).passes == 8


def test_outputs_that_are_wrong_where_gradients_are_asked_for_are_wrong():
    class Zeros(Layer):
        def forward(self, x):
            return tuple(0 * output for output in super().forward(x))

    error = refused(Zeros(), Layer(), weights="state_dict")
    assert error.outcome == "wrong_value"
    assert error.detail.startswith("outputs are right unless gradients are asked for, as in training: ")


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


class Late(Layer):
    """Has the weights of the call before in its backward pass, as a spectral norm has an older estimate."""

    def __init__(self):
        super().__init__()
        self.register_buffer("before", self.kept.clone())
        self.register_buffer("last", self.kept.clone())

    def forward(self, x):
        self.before.copy_(self.last)
        self.last.copy_(self.weight.detach())
        return super().forward(x)

    def present(self, weight):
        return self.before


def test_gradients_that_depend_on_how_many_calls_were_made_are_compared_after_as_many():
    run(Late(), Late(), weights="state_dict", reweigh=Moving)
