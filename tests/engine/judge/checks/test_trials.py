"""Tests of trials: wrong batched calls are imprecision or skipped work; values unfit to judge rounding."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine import PROFILES  # noqa: E402
from eval_app.engine.judge.calls.record import Compared  # noqa: E402
from eval_app.engine.judge.checks.trials import Trials  # noqa: E402
from eval_app.engine.judge.clock import timed_checks  # noqa: E402
from eval_app.engine.judge.clock.order_draw import Draw, DrawnCall  # noqa: E402
from eval_app.engine.judge.clock.order_line import Window  # noqa: E402
from eval_app.engine.judge.clock.timed_checks import check_order, check_ordered  # noqa: E402
from eval_app.engine.judge.comparison.compare import Difference  # noqa: E402
from eval_app.engine.judge.task.cases import Case  # noqa: E402
from eval_app.engine.judge.values.families import Domain  # noqa: E402
from eval_app.engine.judge.verdicts import (  # noqa: E402
    RejectedError,
    UnprovenError,
    UnreadableError,
    UnreviewedError,
)
from eval_app.engine.shared.arena import Slot  # noqa: E402
from eval_app.engine.shared.trees import TensorSpec, flatten  # noqa: E402
from tests.engine.judge.task.test_cases import maker_of_text  # noqa: E402

TRUTH = torch.linspace(1, 2, 100)
NOTHING = torch.empty(0, dtype=torch.uint8)


def a_case(name, tree, tensors, truth):
    """Return a case whose reference changes no input."""
    return Case(
        name, tree, tensors, tensors, [("output", {"tensor": 0})], truth, 1, 1.0, 0.0, own=name == "natural"
    )


def trials_where_a_call_of_its_own_gives(output, memory=NOTHING):
    """Return trials with stand-ins for runner and reference, whose answers the test chooses; `memory` are the shared
    buffers."""
    reply = SimpleNamespace(plain=[])
    session = SimpleNamespace(
        run=lambda case, early=False: SimpleNamespace(reply=reply, outputs=[output]),
        arena=SimpleNamespace(bytes_at=lambda offset, count: memory[offset : offset + count]),
    )
    alone = a_case("natural", {"list": []}, [], [TRUTH])
    maker = SimpleNamespace(
        confirm=lambda case, tolerance: None,
        from_inputs=lambda *arguments: alone,
        reference=SimpleNamespace(model=torch.nn.Module(), domain=Domain.ANY),
    )
    return Trials(session, maker, PROFILES["quick"])


DRAWN = Draw(NOTHING, [])
CALL = DrawnCall("natural", {"list": []}, [], None, [TRUTH], [("output", {"tensor": 0})])


def test_right_outputs_in_a_row_are_counted():
    trials = trials_where_a_call_of_its_own_gives(TRUTH)
    check_order(trials, Draw(DRAWN.values, [CALL, CALL]), Window(1.0, [[TRUTH.clone()], [TRUTH.clone()]]))
    assert trials.record.compared == 2


def test_an_output_in_another_order_of_memory_is_right_and_named():
    truth = TRUTH.view(10, 10)
    drawn = Draw(DRAWN.values, [DrawnCall("natural", {"list": []}, [], None, [truth], CALL.wanted)])
    trials = trials_where_a_call_of_its_own_gives(truth)
    check_order(trials, drawn, Window(1.0, [[truth.clone()]]))
    assert not trials.findings
    check_order(trials, drawn, Window(1.0, [[truth.t().contiguous().t()]]))
    assert "(1, 10); the reference's has (10, 1)" in trials.findings["output_layout"]["detail"]


@pytest.mark.parametrize("strides", [(1, 0), (1, 1)])
def test_an_output_whose_elements_share_memory_is_named(strides):
    trials = trials_where_a_call_of_its_own_gives(TRUTH)
    specs = [TensorSpec((10, 10), "float32", strides)]
    check_order(trials, Draw(DRAWN.values, [CALL]), Window(1.0, [[TRUTH.clone()]], specs=specs))
    assert f"strides {strides}: elements share memory" in trials.findings["output_layout"]["detail"]


@pytest.mark.parametrize(("alone", "outcome"), [(TRUTH * 1.01, "wrong_value"), (TRUTH, "cheated")])
def test_wrong_in_a_row_is_cheating_only_where_a_call_of_its_own_is_right(alone, outcome):
    trials = trials_where_a_call_of_its_own_gives(alone)
    with pytest.raises(RejectedError) as caught:
        check_ordered(trials, Draw(DRAWN.values, [CALL]), 0, [TRUTH * 1.01])
    assert caught.value.outcome == outcome
    assert [finding["code"] for finding in caught.value.findings] == ["wrong_later"] * (outcome == "cheated")


@pytest.mark.parametrize(("family", "is_refused"), [("scaled_up", False), ("natural", True)])
def test_values_of_a_family_on_which_the_reference_overflows_prove_nothing_in_an_order_either(
    family, is_refused
):
    truth = TRUTH.clone()
    truth[3] = torch.inf
    trials = trials_where_a_call_of_its_own_gives(TRUTH)
    trials.maker.from_inputs = lambda *arguments: a_case(family, {"list": []}, [], [truth])
    call = DrawnCall(family, {"list": []}, [], None, [truth], CALL.wanted)
    with pytest.raises(RejectedError) if is_refused else nullcontext():
        check_ordered(trials, Draw(DRAWN.values, [call]), 0, [TRUTH])


def test_a_result_that_a_later_call_of_an_order_overwrote_is_a_broken_promise():
    later = DrawnCall("natural", {"list": []}, [], None, [TRUTH * 2], CALL.wanted)
    with pytest.raises(RejectedError) as caught:
        check_ordered(
            trials_where_a_call_of_its_own_gives(TRUTH), Draw(DRAWN.values, [CALL, later]), 0, [TRUTH * 2]
        )
    assert caught.value.outcome == "broken_promise"
    assert [finding["code"] for finding in caught.value.findings] == ["output_reused"]


@pytest.mark.parametrize(("place", "outcome"), [(40, "broken_promise"), (8, "illegal_memory")])
@pytest.mark.parametrize("overwritten", [[], [0]])
def test_inputs_that_an_order_alone_overwrites_are_a_broken_promise(place, outcome, overwritten):
    values = torch.zeros(64, dtype=torch.uint8)
    memory = values.clone()
    slot = Slot(TensorSpec((4,), "float32", (1,)), 32)
    drawn = Draw(values, [DrawnCall("natural", {"list": []}, [slot], None, [TRUTH], CALL.wanted)])
    trials = trials_where_a_call_of_its_own_gives(TRUTH, memory)
    trials.first = SimpleNamespace(wanted=CALL.wanted, overwritten=overwritten, tensors=[], truth=[TRUTH])
    check_order(trials, drawn, Window(1.0, [[TRUTH]]))
    memory[place] = 1
    if overwritten and place == 40:  # as the reference does
        check_order(trials, drawn, Window(1.0, [[TRUTH]]))
        return
    with pytest.raises(RejectedError) as caught:
        check_order(trials, drawn, Window(1.0, [[TRUTH]]))
    assert caught.value.outcome == outcome


def an_order_whose_input_is(memory_has):
    """Return trials and an order of one call on an input of zeros, of which the shared buffers hold `memory_has`."""
    memory = torch.zeros(64, dtype=torch.uint8)
    slot = Slot(TensorSpec((4,), "float32", (1,)), 32)
    drawn = Draw(memory.clone(), [DrawnCall("natural", {"list": []}, [slot], None, [TRUTH], CALL.wanted)])
    memory[40] = memory_has
    return trials_where_a_call_of_its_own_gives(TRUTH, memory), drawn


def test_results_that_cannot_be_read_excuse_no_overwritten_input():
    window = Window(0.0, [], unreadable="they lie in their inputs")
    with pytest.raises(UnreadableError, match="they lie in their inputs"):
        check_order(*an_order_whose_input_is(0), window)
    with pytest.raises(RejectedError) as caught:
        check_order(*an_order_whose_input_is(1), window)
    assert caught.value.outcome == "broken_promise"


def test_neither_do_results_for_whose_review_no_time_is_left(monkeypatch):
    def has_no_time(*_):
        raise UnreviewedError("no time is left")

    monkeypatch.setattr(timed_checks, "check_ordered", has_no_time)
    window = Window(1.0, [[TRUTH * 2]])
    with pytest.raises(UnreviewedError):
        check_order(*an_order_whose_input_is(0), window)
    with pytest.raises(RejectedError) as caught:
        check_order(*an_order_whose_input_is(1), window)
    assert caught.value.outcome == "broken_promise"


def test_an_order_confirms_nothing_where_numbers_that_depend_on_the_values_are_returned_too():
    calls = [
        DrawnCall("natural", {"list": []}, [], None, [TRUTH], [*CALL.wanted, ("sum", {"int": str(n)})])
        for n in (7, 8)
    ]
    trials = trials_where_a_call_of_its_own_gives(TRUTH)
    trials.first = SimpleNamespace(wanted=calls[0].wanted, overwritten=[], tensors=[], truth=[TRUTH])
    check_order(trials, Draw(DRAWN.values, calls[:1]), Window(1.0, [[TRUTH]]))
    with pytest.raises(UnreadableError):
        check_order(trials, Draw(DRAWN.values, calls), Window(1.0, [[TRUTH], [TRUTH]]))


def test_an_order_confirms_nothing_where_sizes_depend_on_values_and_not_on_other_sizes():
    def drawn(rows, places):
        slot = Slot(TensorSpec((rows,), "uint8", (1,)), 32)
        truth = [torch.ones(places)]
        return Draw(
            torch.zeros(64, dtype=torch.uint8),
            [DrawnCall("natural", {"list": []}, [slot], None, truth, CALL.wanted)],
        ), Window(1.0, [truth])

    trials = trials_where_a_call_of_its_own_gives(TRUTH, torch.zeros(64, dtype=torch.uint8))
    trials.first = SimpleNamespace(
        wanted=CALL.wanted, overwritten=[], tensors=[torch.zeros(4)], truth=[torch.ones(3)]
    )
    check_order(trials, *drawn(4, 3))
    check_order(trials, *drawn(8, 5))
    with pytest.raises(UnreadableError, match="sizes depend on values"):
        check_order(trials, *drawn(4, 2))


def trials_where_the_reference_moves(at_nudge):
    """Return trials with a stand-in reference whose output changes at one of the nudges; and the nudges."""
    nudges = []

    def from_inputs(name, inputs, rng):
        torch.manual_seed(rng)
        nudges.append(inputs[0])
        return a_case(name, {"list": []}, [], [TRUTH * 1.01 if len(nudges) == at_nudge else TRUTH])

    maker = SimpleNamespace(from_inputs=from_inputs, reference=SimpleNamespace(domain=Domain.ANY))
    return Trials(None, maker, PROFILES["quick"]), nudges


@pytest.mark.parametrize(("at_nudge", "nudged"), [(4, 4), (None, 6)])
def test_values_whose_last_bits_move_the_reference_are_left_out(at_nudge, nudged):
    trials, nudges = trials_where_the_reference_moves(at_nudge)
    tensors = []
    tree = flatten([TRUTH], tensors, "inputs")
    case = a_case("scaled_up", tree, tensors, [TRUTH])
    assert bool(trials.unsteady(case, Difference(wrong=1, furthest=0.02))) == bool(at_nudge)
    calls = {tuple(nudge.tolist()) for nudge in nudges} - {tuple(TRUTH.tolist())}
    assert len(calls) == nudged, "no nudge comes twice"


def test_a_few_elements_that_last_bits_move_do_not_excuse_very_many():
    trials, _ = trials_where_the_reference_moves(2)
    tensors = []
    tree = flatten([TRUTH], tensors, "inputs")
    case = a_case("scaled_up", tree, tensors, [TRUTH])
    assert trials.unsteady(case, Difference(wrong=8 * TRUTH.numel(), furthest=0.02))
    assert not trials.unsteady(case, Difference(wrong=8 * TRUTH.numel() + 1, furthest=0.02))


def test_elements_that_last_bits_move_a_little_do_not_excuse_anything():
    trials, _ = trials_where_the_reference_moves(2)
    tensors = []
    tree = flatten([TRUTH], tensors, "inputs")
    case = a_case("scaled_up", tree, tensors, [TRUTH])
    largest = 0.01 * float(TRUTH.abs().max())
    assert trials.unsteady(case, Difference(wrong=1, furthest=7 * largest))
    assert not trials.unsteady(case, Difference(wrong=1, furthest=9 * largest))


def test_a_review_that_explains_less_than_the_first_one_proves_nothing_where_last_bits_decide(monkeypatch):
    trials, _ = trials_where_the_reference_moves(2)
    tensors = []
    tree = flatten([TRUTH], tensors, "inputs")
    trials.session = SimpleNamespace(run=lambda case: None, release_cache=lambda: None)
    monkeypatch.setattr(trials, "_check_conduct", lambda case, result: None)
    found = Compared(Difference(wrong=1, furthest=0.02))
    monkeypatch.setattr(trials, "difference", lambda case, result: found)
    with pytest.raises(UnprovenError, match="last bits"):
        trials.check(a_case("scaled_up", tree, tensors, [TRUTH]))
    assert (trials.record.compared, trials.record.worst.wrong) == (0, 0)


def judged_in_a_family(source, folder, wrong):
    """Return why values of a family prove nothing of a task for a candidate with `wrong` elements there."""
    trials = Trials(None, maker_of_text(source, folder), PROFILES["quick"])
    return trials.unsteady(trials.maker.make("scaled_up"), Difference(wrong=wrong))


def test_a_reference_that_rejects_values_with_other_last_bits_excuses_nothing(tmp_path):
    source = """
def get_inputs(): return [torch.randn(64)] * 2
def call(x, same):
    if not torch.equal(x, same): raise ValueError("these differ")
    return x
"""
    assert not judged_in_a_family(source, tmp_path, 1)


def test_sizes_that_last_bits_change_prove_nothing(tmp_path):
    source = """
OWN = torch.linspace(1, 2, 256)
def get_inputs(): return [OWN.clone()]
def call(x): return x[x > 32 * OWN]
"""
    assert judged_in_a_family(source, tmp_path, 1)


@pytest.mark.parametrize(("left", "wrong"), [([3, 0], 0), ([3, 3], 3), ([0], 0)])
def test_what_one_of_two_reviews_explains_is_explained(monkeypatch, left, wrong):
    """Runs of the reference are drawn at random: an honest router was refused now and then."""
    trials, reviews = trials_where_a_call_of_its_own_gives(TRUTH), iter(left)

    def review(case, found, tolerance):
        return [(place, got, truth, Difference(wrong=next(reviews))) for place, got, truth, _ in found]

    monkeypatch.setattr(trials._honest_error, "review", review)
    case = a_case("natural", {"list": []}, [], [TRUTH])
    assert trials.reviewed(case, [TRUTH + 1]).total.wrong == wrong
