"""Tests of one backward pass of the candidate: what it is given, and what it must leave as it was."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.gradients.gradient_call import GradientCalls  # noqa: E402
from eval_app.engine.judge.gradients.reference_gradients import Differentiator  # noqa: E402
from eval_app.engine.judge.gradients.upstream import dense, one_row, one_value, transposed  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError  # noqa: E402
from tests.engine.judge.in_process import InProcess, case_of  # noqa: E402


class Sine(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x)


class SineByHand(torch.nn.Module):
    """The same with a backward pass of its own, which `act` may disturb."""

    def __init__(self, act=lambda x, upstream: None):
        super().__init__()
        self.seen = seen = []

        class Function(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return torch.sin(x)

            @staticmethod
            def backward(ctx, upstream):
                (x,) = ctx.saved_tensors
                seen.append(upstream.stride())
                result = upstream * torch.cos(x)
                act(x, upstream)
                return result

        self.function = Function

    def forward(self, x):
        return self.function.apply(x)


def asked(candidate, layout=dense, reference=None):
    reference = reference or Sine()
    case = case_of(Sine(), torch.rand(6, 4))
    truth = Differentiator(reference, weights=False).gradients(case, layout)
    answer = GradientCalls(InProcess(candidate)).ask(case, truth)
    torch.testing.assert_close(answer.gradients, truth.tensors)
    torch.testing.assert_close(answer.outputs, case.truth)
    return answer


@pytest.mark.parametrize(
    ("layout", "strides"),
    [(dense, (4, 1)), (transposed, (1, 6)), (one_value, (0, 0)), (one_row, (0, 1))],
)
def test_the_candidate_is_given_the_values_of_the_reference_in_the_same_layout(layout, strides):
    candidate, reference = SineByHand(), SineByHand()
    assert asked(candidate, layout, reference).overwritten == ""
    assert candidate.seen == reference.seen == [strides]


@pytest.mark.parametrize("layout", [dense, transposed])
def test_an_upstream_gradient_that_is_overwritten_is_named(layout):
    answer = asked(SineByHand(lambda x, upstream: upstream.mul_(2)), layout)
    assert answer.overwritten == (
        "the backward pass overwrites the upstream gradient of output, which the reference leaves alone"
    )


def test_an_input_that_the_backward_pass_overwrites_is_named():
    answer = asked(SineByHand(lambda x, upstream: x.detach().zero_()))
    assert answer.overwritten == "the backward pass overwrites input 0, which the reference leaves alone"


def test_what_the_reference_overwrites_may_be_overwritten():
    candidate, reference = (SineByHand(lambda x, upstream: upstream.mul_(2)) for _ in range(2))
    assert asked(candidate, reference=reference).overwritten == ""


def asked_twice(candidate):
    """Return what became of the gradients of the first of two passes."""
    calls, differentiator = GradientCalls(InProcess(candidate)), Differentiator(Sine(), weights=False)
    cases = [case_of(Sine(), torch.rand(6, 4)) for _ in range(2)]
    answers = [calls.ask(case, differentiator.gradients(case)) for case in cases]
    assert answers[0].reused == ""
    return answers[1].reused


def test_gradients_that_the_next_backward_pass_overwrites_are_named():
    buffer = torch.empty(6, 4)

    class Buffered(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return torch.sin(x)

        @staticmethod
        def backward(ctx, upstream):
            return torch.mul(upstream, torch.cos(*ctx.saved_tensors), out=buffer)

    assert asked_twice(SineByHand()) == ""
    assert asked_twice(Buffered.apply) == (
        "the gradients of a backward pass were overwritten by the next one: their memory is given out twice"
    )


def test_an_upstream_gradient_that_is_given_back_as_it_came_is_not_reused():
    assert asked_twice(lambda x: x + torch.sin(x).detach()) == ""


def test_gradients_that_cannot_be_read_any_longer_are_reused(monkeypatch):
    def watched(self, slots, back):
        raise RejectedError("runtime_error", "overwritten by a subsequent run")

    monkeypatch.setattr(InProcess, "recopy", watched)
    assert asked_twice(SineByHand()).endswith("reading them raises overwritten by a subsequent run")
