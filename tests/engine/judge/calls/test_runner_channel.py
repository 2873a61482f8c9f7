"""Tests that any bytes in a runner's answers, which its candidate may choose, give an answer or a verdict."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from eval_app.engine.contract.jobs import Outcome  # noqa: E402
from eval_app.engine.judge.calls import runner_channel  # noqa: E402
from eval_app.engine.judge.calls.runner_channel import RunnerChannel  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError, RunnerLostError  # noqa: E402
from eval_app.engine.sandbox.channel import Channel  # noqa: E402

GOOD = {
    "ok": True, "ms": 1.5, "tail_ms": 0.0, "plain": [], "aliases_input": False, "threads": 0, "threads_after": 0,
    "intact": True,
}  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=10,
)


def ask(answer):
    mine, theirs = Channel.pair()
    theirs.send(answer)
    try:
        return RunnerChannel(mine).item({"op": "item"}, 1.0)
    finally:
        mine.close()
        theirs.close()


def outcome_of(answer):
    try:
        ask(answer)
    except RejectedError as verdict:
        return verdict.outcome
    return "answered"


OUTCOMES = {*Outcome, "build_needed", "answered"}


def test_a_good_answer_is_read():
    assert ask(GOOD).ms == 1.5


@pytest.mark.parametrize(
    "change",
    [{"ms": 0}, {"ms": -1.0}, {"ms": True}, {"ms": 1e300}, {"tail_ms": "0"}, {"plain": None}, {"threads": -1},
     {"ok": 1}, {"ok": "yes"}, {"ms": 10**400}, {"ms": 5e-324}],
)  # fmt: skip
def test_an_answer_that_cannot_be_is_tampering(change):
    with pytest.raises(RejectedError) as caught:
        ask(GOOD | change)
    assert caught.value.outcome == "cheated"
    assert caught.value.findings[0]["code"] == "forged_message"


def test_a_runner_may_blame_itself_but_nobody_else():
    for kind in ("invalid_reference", "infra_error", "passed"):
        with pytest.raises(RejectedError) as caught:
            ask({"ok": False, "kind": kind, "code": kind, "detail": ""})
        assert caught.value.outcome == "cheated"


def test_silence_is_a_timeout_and_a_closed_line_a_loss():
    mine, theirs = Channel.pair()
    with pytest.raises(RejectedError) as caught:
        RunnerChannel(mine).item({"op": "item"}, 0.05)
    assert caught.value.outcome == "timeout"
    theirs.close()
    with pytest.raises(RunnerLostError):
        RunnerChannel(mine).item({"op": "item"}, 0.05)


def test_an_order_that_is_not_read_is_a_timeout(monkeypatch):
    monkeypatch.setattr(runner_channel, "_READ_S", 0.05)
    mine, theirs = Channel.pair()
    with pytest.raises(RejectedError) as caught:
        RunnerChannel(mine).post({"op": "stage", "calls": "x" * 2**22})
    assert caught.value.outcome == "timeout"
    theirs.close()


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from([*GOOD, "kind", "code", "detail"]), json_values))
def test_any_answer_gives_a_reply_or_a_verdict(answer):
    assert outcome_of(answer) in OUTCOMES


@settings(max_examples=150)
@given(st.sampled_from(sorted(GOOD)), json_values)
def test_any_value_in_a_good_answer_gives_a_reply_or_a_verdict(name, value):
    assert outcome_of(GOOD | {name: value}) in OUTCOMES
