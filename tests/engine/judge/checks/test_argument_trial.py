"""Tests of what calls leave in their arguments: lists and dicts, and inputs that a reference overwrites."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.checks.argument_trial import ArgumentTrial  # noqa: E402
from eval_app.engine.judge.comparison.compare import Tolerance, compare  # noqa: E402
from eval_app.engine.judge.comparison.explained import joined  # noqa: E402
from eval_app.engine.judge.task.cases import CaseMaker  # noqa: E402
from eval_app.engine.judge.values.families import Domain  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError  # noqa: E402
from eval_app.engine.shared.trees import besides_tensors, flatten, is_as_given, lying, unflatten  # noqa: E402

USUAL = Tolerance(1e-4, 1e-2, 1e-6)


class Step(torch.nn.Module):
    def forward(self, x, state):
        state["sum"] = state["sum"] + x
        return x * 2


class InPlace(torch.nn.Module):
    def forward(self, x, state):
        x.mul_(2)
        return x + state["sum"]


def draw(seed):
    return [torch.randn(4, 4), {"sum": torch.randn(4, 4)}]


class Trials:
    """Has a function of this process called as the candidate, on copies; stands in for `trials.Trials`."""

    def __init__(self, candidate, maker):
        self.candidate, self.maker = candidate, maker
        self.first, self.gives, self.noted = maker.make(), False, {}

    def check(self, case):
        used = [tensor.clone() for tensor in case.tensors]
        given, before = unflatten(case.tree, used), lying(used)
        result = self.candidate(*given)
        self.outputs = []
        flatten((result, besides_tensors(given)) if self.gives else result, self.outputs)
        reply = SimpleNamespace(keeps_arguments=is_as_given(given, case.tree, before))
        return SimpleNamespace(reply=reply, inputs=used)

    def another_difference(self, case):
        self.check(case)
        pairs = zip(self.outputs, case.truth, case.wanted, strict=True)
        return joined([compare(got, truth, USUAL, place) for got, truth, (place, _) in pairs])

    def tolerance_of(self, case):
        return USUAL

    def note(self, severity, code, detail):
        self.noted[code] = (severity, detail)

    def order(self, message):
        self.gives = message["given"]

    def fit(self, case):
        pass


def tried(model, candidate):
    """Return the findings of a candidate."""
    reference = SimpleNamespace(
        model=model, device=torch.device("cpu"), inputs=draw, config="own", domain=Domain.ANY,
        require_time=lambda: None, spend=lambda seconds: None,
    )  # fmt: skip
    maker = CaseMaker(reference)
    trials = Trials(candidate, maker)
    ArgumentTrial(trials, maker, trials).run()
    assert reference.model is model
    assert not trials.gives
    return trials.noted


def test_a_dict_that_holds_what_the_reference_leaves_in_it_is_right():
    def step(x, state):
        state.update(sum=x + state["sum"])
        return x + x

    assert tried(Step(), step) == {}


def test_a_dict_that_holds_something_else_is_wrong():
    def step(x, state):
        state["sum"] = x
        return x + x

    with pytest.raises(RejectedError) as caught:
        tried(Step(), step)
    assert caught.value.outcome == "wrong_value"
    assert "output[1][0]['sum']" in caught.value.detail


@pytest.mark.parametrize(
    ("model", "candidate", "what"),
    [
        (Step(), lambda x, state: x * 2, "the items of a list or dict"),
        (InPlace(), lambda x, state: x * 2 + state["sum"], "input 0"),
    ],
)
def test_what_is_spared_is_named(model, candidate, what):
    severity, text = tried(model, candidate)["inputs_spared"]
    assert severity == "audit"
    assert what in text


def test_nothing_is_asked_of_a_reference_that_changes_no_argument():
    class Keeping(torch.nn.Module):
        def forward(self, x, state):
            return x + state["sum"]

    called = []
    assert tried(Keeping(), lambda *given: called.append(given)) == {}
    assert called == []
