"""Tests of the trials of backward passes: outputs, layouts of the upstream gradient, and what is overwritten."""

import pytest

torch = pytest.importorskip("torch")

from tests.engine.judge.gradients.backward_runs import Doubled, refused, right, run  # noqa: E402


def read_as_rows(upstream):
    """Read memory in order, as a kernel does that is given the address alone."""
    size = upstream.untyped_storage().nbytes() // 4
    rows = upstream.as_strided((min(size, 32),), (1,))
    return 2 * torch.cat([rows, torch.zeros(32 - len(rows))]).view(8, 4)


def test_one_upstream_gradient_is_transposed_one_is_a_single_value_and_the_others_are_dense():
    candidate = Doubled(right)
    assert run(candidate).passes == 6
    assert candidate.given == [(1, 8), (0, 0), *[(4, 1)] * 4]


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
    assert candidate.given == [(4, 1)] * 6


def test_gradients_that_vanish_under_ones_are_asked_for_with_one_row_of_values():
    class Softmax(torch.nn.Module):
        def forward(self, x):
            return torch.softmax(x, -1) + Doubled.forward(self.last, 0 * x)

    reference, candidate = Softmax(), Softmax()
    reference.last, candidate.last = Doubled(right), Doubled(right)
    run(candidate, reference)
    assert candidate.last.given == [(1, 8), (0, 1), *[(4, 1)] * 4]


@pytest.mark.parametrize("trials", [1, 2, 3])
def test_an_overwritten_upstream_gradient_is_a_broken_promise(trials):
    error = refused(Doubled(lambda upstream: upstream.contiguous().mul_(2)), trials=trials)
    assert error.outcome == "broken_promise"
    assert [found["code"] for found in error.findings] == ["input_mutated"]
    assert "the gradients are correct, and the backward pass overwrites the upstream gradient" in error.detail


def test_wrong_gradients_go_before_what_is_overwritten():
    error = refused(Doubled(lambda upstream: upstream.mul_(3)))
    assert error.outcome == "wrong_value"


def test_outputs_may_be_those_of_a_reference_that_goes_another_way_where_gradients_are_asked_for():
    class Other(Doubled):
        def forward(self, x):
            return super().forward(x) + x.requires_grad

    assert run(Other(right), Other(right)).passes == 6
    assert run(Doubled(right), Other(right)).passes == 6


def test_gradients_in_the_memory_of_earlier_ones_break_a_promise_unless_the_reference_does_the_same():
    buffer, another = torch.empty(8, 4), torch.empty(8, 4)
    buffered = Doubled(lambda upstream: torch.mul(upstream, 2, out=buffer))
    error = refused(buffered)
    assert error.outcome == "broken_promise"
    assert [found["code"] for found in error.findings] == ["output_reused"]
    run(buffered, Doubled(lambda upstream: torch.mul(upstream, 2, out=another)))
