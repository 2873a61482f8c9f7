"""Tests of what becomes of results in later calls; what a runner says of their memory may be anything."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.checks.result_memory import (  # noqa: E402
    look_at_what_is_given_out_again,
    look_back,
    look_further_back,
)
from eval_app.engine.judge.comparison.compare import Difference, Tolerance  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError  # noqa: E402
from eval_app.engine.shared.trees import MAX_KEPT_BYTES, TensorSpec  # noqa: E402


def trials_whose_runner_says(shared, aliases=()):
    case = SimpleNamespace(truth=[torch.ones(2)], aliases=list(aliases), wanted=[("output", {"tensor": 0})])
    maker = SimpleNamespace(make=lambda: case, given_out_again=lambda case: [])
    session = SimpleNamespace(post=lambda message: None, answer=lambda: {"ok": True, "shared": shared})
    return SimpleNamespace(maker=maker, session=session, another_difference=lambda case: Difference())


@pytest.mark.parametrize("shared", [None, 0, [1], [-1], [0.0], [True], [[0]], ["output"]])
def test_what_is_no_number_of_a_result_is_a_forged_message(shared):
    with pytest.raises(RejectedError) as raised:
        look_at_what_is_given_out_again(trials_whose_runner_says(shared))
    assert raised.value.outcome == "cheated"


def test_what_was_written_into_a_result_is_found_where_the_next_call_takes_other_memory_first():
    """Of buffers that are taken back, one that was dropped before has nothing written into it."""
    trials = trials_whose_runner_says([])
    found = iter([Difference(), Difference(unwritten=2, wrong=2)])
    trials.another_difference = lambda case: next(found)
    trials.maker.confirm, trials.tolerance_of = lambda case, tolerance: None, lambda case: None
    with pytest.raises(RejectedError, match="what was written into a result") as error:
        look_at_what_is_given_out_again(trials)
    assert error.value.outcome == "broken_promise"


def test_a_result_that_shares_memory_with_the_one_before_is_a_broken_promise_unless_the_references_does():
    with pytest.raises(RejectedError, match="output of two calls share memory") as raised:
        look_at_what_is_given_out_again(trials_whose_runner_says([0]))
    assert raised.value.outcome == "broken_promise"
    look_at_what_is_given_out_again(trials_whose_runner_says([0], aliases=[0]))
    look_at_what_is_given_out_again(trials_whose_runner_says([]))


def looked_back_at(now, truth):
    """Look back at a result of two zeros, which are `now` after the next call, whose truth is given."""
    cases = [
        SimpleNamespace(name="natural", truth=[torch.tensor([value]) for value in t])
        for t in ((0.0, 0.0), truth)
    ]
    slots = [SimpleNamespace(spec=TensorSpec((1,), "float32", (1,)))] * 2
    left = list(cases)
    result = SimpleNamespace(outputs=cases[0].truth, slots=slots)
    look_back(
        SimpleNamespace(
            session=SimpleNamespace(recopy=lambda slots, back: [torch.tensor([value]) for value in now]),
            maker=SimpleNamespace(make=lambda: left.pop(0)),
            check=lambda case: result,
            tolerance=lambda own: Tolerance(1e-4, 1e-2, 1e-6),
        )
    )


@pytest.mark.parametrize(
    ("now", "outcome"),
    [((5.0, 6.0), "broken_promise"), ((5.0, 0.0), "broken_promise"), ((5.0, 7.0), "cheated")],
)
def test_one_output_of_two_in_a_buffer_is_reuse_and_values_of_no_call_are_late_work(now, outcome):
    with pytest.raises(RejectedError) as raised:
        looked_back_at(now, truth=(5.0, 6.0))
    assert raised.value.outcome == outcome


def test_a_result_that_stays_as_it_was_is_honest():
    looked_back_at((0.0, 0.0), truth=(5.0, 6.0))


def trials_of(buffers, read=None, *, is_aliased=False, truth_bytes=16):
    """Return trials whose candidate gives out so many buffers in turn; `read` gets how far back results are read."""
    made, memory = [], [torch.zeros(4) for _ in range(buffers)]
    case = SimpleNamespace(truth=[torch.empty(truth_bytes, dtype=torch.uint8, device="meta")], aliases=[])

    def check(case):
        made.append(memory[len(made) % buffers].fill_(len(made)))
        return SimpleNamespace(outputs=[made[-1]], reply=SimpleNamespace(aliases_input=is_aliased))

    def recopy(slots, back):
        (read if read is not None else []).append(back)
        return [made[-1 - back]]

    session = SimpleNamespace(layout=lambda case, start: [SimpleNamespace(outputs=[])], recopy=recopy)
    return SimpleNamespace(session=session, maker=SimpleNamespace(make=lambda: case), check=check)


@pytest.mark.parametrize("buffers", [1, 2, 3])
def test_a_few_buffers_that_are_given_out_in_turns_are_a_broken_promise(buffers):
    with pytest.raises(RejectedError, match=f"within the {buffers} calls after it") as raised:
        look_further_back(trials_of(buffers), 100.0)
    assert raised.value.outcome == "broken_promise"


def test_how_far_back_results_are_looked_at_is_drawn():
    furthest = set()
    for _ in range(60):
        look_further_back(trials_of(100, read := []), 100.0)
        assert read == list(range(1, len(read) + 1))
        furthest.add(read[-1])
    assert min(furthest) >= 3
    assert max(furthest) <= 12
    assert len(furthest) > 4


@pytest.mark.parametrize("other", [{"is_aliased": True}, {"truth_bytes": MAX_KEPT_BYTES + 1}])
def test_results_in_the_judges_own_buffers_and_large_ones_are_not_looked_at_again(other):
    look_further_back(trials_of(1, read := [], **other), 100.0)
    assert read == []


def test_where_calls_take_long_few_are_made():
    look_further_back(trials_of(100, read := []), 0.0)
    assert read == []


def test_a_result_that_cannot_be_read_again_is_a_broken_promise_and_ends_no_judge():
    def refuse(slots, back):
        raise RejectedError("runtime_error", "overwritten by a later graph")

    trials = trials_of(100)
    trials.session.recopy = refuse
    with pytest.raises(RejectedError, match="reading it raises overwritten by a later graph") as raised:
        look_further_back(trials, 100.0)
    assert raised.value.outcome == "broken_promise"
