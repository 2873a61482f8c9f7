"""Tests of weights read back: what a candidate was given and still has keeps its values, as the reference's does."""

from types import ModuleType, SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.checks.kept_weights import look_at_weights  # noqa: E402
from eval_app.engine.judge.values.output_digest import checksum  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError  # noqa: E402
from eval_app.engine.runner.serve import Server  # noqa: E402
from eval_app.engine.shared.arena import Arena  # noqa: E402

CPU = torch.device("cpu")


def a_model():
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
    with torch.no_grad():
        model[0].weight.copy_(torch.linspace(-1, 1, 108).view(4, 3, 3, 3))
    return model


def trials_after(change=lambda candidate, reference: None, answers=None, weights="state_dict"):
    """Return trials whose candidate was given the reference's weights, and both were changed since; the runner says
    `answers`, if given."""
    reference, candidate = a_model(), a_model()
    candidate.load_state_dict(reference.state_dict())
    state = reference.state_dict()
    given = {name: checksum([weight]) for name, weight in state.items()}
    with torch.no_grad():
        change(candidate, reference)
    server = Server(ModuleType("candidate"), CPU, None, 1, None)
    server._model, server._arena = candidate, Arena.create(2**16, CPU)
    sent = []
    session = SimpleNamespace(
        given=given,
        arena=server._arena,
        settle=lambda: None,
        post=sent.append,
        answer=lambda: server._read_weights(sent[-1], []) if answers is None else answers,
    )
    maker = SimpleNamespace(reference=SimpleNamespace(weights=reference.state_dict))
    return SimpleNamespace(session=session, maker=maker, weights=weights)


@pytest.mark.parametrize(
    "change",
    [
        lambda candidate, reference: None,
        lambda candidate, reference: candidate.to(memory_format=torch.channels_last),
        lambda candidate, reference: candidate.double(),
        lambda candidate, reference: candidate.bfloat16(),
        lambda candidate, reference: delattr(candidate[0], "weight"),
        lambda candidate, reference: setattr(candidate[0], "weight", torch.nn.Parameter(torch.ones(4, 27))),
    ],
    ids=["unchanged", "channels last", "double", "bfloat16", "absent", "packed"],
)
def test_weights_that_keep_their_values_or_that_it_has_no_more_are_honest(change):
    look_at_weights(trials_after(change))


def changes(candidate, reference):
    candidate[0].weight.mul_(1.27)
    candidate[1].num_batches_tracked.add_(1)


def test_weights_and_counts_that_its_calls_overwrite_are_a_broken_promise():
    with pytest.raises(RejectedError, match=r"alone: 0\.weight, 1\.num_batches_tracked") as raised:
        look_at_weights(trials_after(changes))
    assert raised.value.outcome == "broken_promise"
    assert [finding["code"] for finding in raised.value.findings] == ["weights_overwritten"]


def test_one_element_that_changed_is_enough():
    with pytest.raises(RejectedError, match=r"0\.weight"):
        look_at_weights(
            trials_after(lambda candidate, reference: candidate[0].weight.view(-1)[50:51].mul_(-3).add_(1))
        )


def test_what_the_reference_changes_too_and_what_was_drawn_from_a_seed_is_spared():
    def train(candidate, reference):
        for model, batch in ((candidate, torch.randn(2, 3, 5, 5)), (reference, torch.randn(2, 3, 5, 5))):
            model(batch)

    look_at_weights(trials_after(train))
    look_at_weights(trials_after(changes, weights="seeded"))


@pytest.mark.parametrize("absent", [None, "0", [None], ["0.weight"], [True], [0.0]])
def test_what_is_no_number_of_a_weight_is_a_forged_message(absent):
    with pytest.raises(RejectedError) as raised:
        look_at_weights(trials_after(answers={"ok": True, "absent": absent}))
    assert raised.value.outcome == "cheated"


def test_numbers_of_no_weight_are_those_of_none_and_what_is_not_copied_is_not_the_weight():
    with pytest.raises(RejectedError) as raised:
        look_at_weights(trials_after(answers={"ok": True, "absent": [-1, 99, 10**30]}))
    assert raised.value.outcome == "broken_promise"
