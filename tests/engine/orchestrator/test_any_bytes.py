"""Tests that any bytes from a runner or a judge give a verdict or an infra_error: never a crash or a hang."""

import json
import struct
import time
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_app.engine.contract.jobs import Job, Outcome, Report
from eval_app.engine.hardware.device import Device
from eval_app.engine.orchestrator import attempt as attempt_module
from eval_app.engine.orchestrator import report
from eval_app.engine.orchestrator.attempt import Attempt
from eval_app.engine.orchestrator.classify_outcome import classify_outcome, device_fault
from eval_app.engine.sandbox.channel import LEAST_COUNTED, Channel
from eval_app.engine.sandbox.zygote_pair import PairRotation, ZygotePair

JOB = Job("job", "reference", "candidate")
CPU = Device("cpu", {"kind": "cpu", "name": "test"})
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
RUNNER = st.fixed_dictionaries(
    {"type": st.sampled_from(["loaded", "failed", "build"]) | values},
    optional={"kind": values, "code": values, "detail": values, "request": values},
)
OUTCOMES = st.sampled_from([*map(str, Outcome), "runner_lost"]) | values
JUDGE = st.fixed_dictionaries(
    {"type": st.sampled_from(["verdict", "prepared", "stage", "idle", "hold"]) | values},
    optional={
        "outcome": OUTCOMES, "detail": values, "stage": values, "findings": values, "correctness": values,
        "timing": values, "admission": values, "seconds": values, "phase": values, "frozen": values,
    },
)  # fmt: skip
LIMIT_S = 60.0


def attempt():
    """Return an attempt without processes, as seen from its two channels."""
    host = SimpleNamespace(device="cpu", busy_s=lambda: 0.0, freeze=lambda frozen: None)
    return Attempt(
        JOB, PairRotation([ZygotePair(host, host)]), resolve=lambda request: {"path": None}, facts={},
        on_stage=lambda stage, text: None, cancelled=lambda: False,
    )  # fmt: skip


def receive_from(running, side, data):
    """Send `data` from one side of an attempt and close its channel."""
    mine, theirs = Channel.pair()
    theirs._socket.sendall(data)
    theirs.close()
    listener = {"runner": running._on_runner_message, "judge": running._on_judge_message}[side]
    while running._receive(mine, listener):
        continue
    mine.close()


def report_of(running, earlier=None):
    """Return the report of the attempt, after a round trip through JSON."""
    started = time.monotonic()
    conclusion = classify_outcome(running.trace)
    assert isinstance(device_fault(running.trace, conclusion), str)
    made = report.report(
        JOB, conclusion, running.trace, earlier=earlier or {}, build=None, started_at="2026-01-01T00:00:00+00:00",
        device=CPU, versions={}, sandbox="bwrap", total_s=1.0, build_s=0.0, waited_s=0.0,
    )  # fmt: skip
    assert time.monotonic() - started < LIMIT_S
    assert Report.from_dict(json.loads(json.dumps(made.to_dict()))) == made
    return made


def framed(*messages):
    bodies = [json.dumps(message).encode() for message in messages]
    return b"".join(struct.pack("!I", len(body)) + body for body in bodies)


@pytest.mark.parametrize("side", ["runner", "judge"])
@settings(max_examples=60)
@given(data=st.binary(max_size=300))
def test_any_bytes_end_in_a_report_that_is_no_pass(side, data):
    running = attempt()
    receive_from(running, side, data)
    assert report_of(running).outcome is not Outcome.PASSED


@settings(max_examples=60)
@given(st.lists(RUNNER, max_size=4))
def test_any_messages_of_a_runner_end_in_a_report_that_is_no_pass(messages):
    running = attempt()
    receive_from(running, "runner", framed(*messages))
    assert report_of(running).outcome is not Outcome.PASSED


@settings(max_examples=80)
@given(st.lists(JUDGE, max_size=3), st.booleans())
def test_any_messages_of_a_judge_end_in_a_report(messages, loaded):
    """A reference may have written them: whatever they contain affects only its own task."""
    running = attempt()
    running.trace.loaded = loaded
    receive_from(running, "judge", framed(*messages))
    assert report_of(running).outcome in Outcome


@pytest.mark.parametrize(
    "change",
    [
        {"findings": 5}, {"findings": ["x"]}, {"seconds": {"a": "x"}}, {"seconds": {"a": 1e308 * 10}}, {"seconds": []},
        {"timing": [1]}, {"correctness": {"compared": -1}}, {"admission": [1]}, {"detail": ["x"]}, {"outcome": {}},
        {"seconds": {"a" * 100: -1}}, {"seconds": {str(n): 1 for n in range(100)}}, {"admission": {"a": "x" * 10**5}},
        {"findings": [{"code": "x", "severity": "reject", "detail": "\ud800"}]},
    ],
)  # fmt: skip
def test_a_pass_that_does_not_hold_together_is_the_references_fault(change):
    running = attempt()
    running.trace.loaded = True
    running.trace.verdict = {"type": "verdict", "outcome": "passed", **change}
    assert report_of(running).outcome is Outcome.INVALID_REFERENCE


def test_what_a_side_has_put_into_a_finding_does_nothing_to_a_terminal_and_has_no_lines_of_its_own():
    running = attempt()
    running.trace.loaded = True
    text = "missing: \x1b[2J\x1b]0;title\x07 \N{RIGHT-TO-LEFT OVERRIDE}\nconfirmed: 99 times eager"
    found = [{"code": "weights_seeded", "severity": "label", "detail": text}]
    running.trace.verdict = {"outcome": "wrong_value", "detail": "x", "findings": found}
    [finding] = [one for one in report_of(running).findings if one.code == "weights_seeded"]
    assert finding.detail == "missing: ?[2J?]0;title? ??confirmed: 99 times eager"


def test_what_is_known_of_a_task_from_a_forged_verdict_breaks_no_later_report():
    running = attempt()
    running.trace.loaded = True
    running.trace.verdict = {"outcome": "wrong_value", "detail": "x"}
    earlier = {
        "answers": {"a": [1], "b": "x" * 10**5},
        "findings": [{"code": "random_reference", "severity": "no"}],
    }
    assert report_of(running, earlier).outcome in (Outcome.WRONG_VALUE, Outcome.INVALID_REFERENCE)


def test_the_last_message_of_a_judge_that_waits_for_no_answer_is_read():
    running = attempt()
    receive_from(
        running, "judge", framed({"type": "idle", "phase": "end"}, {"type": "verdict", "outcome": "passed"})
    )
    assert running.trace.verdict is not None


@pytest.mark.parametrize(
    "message",
    [
        {"type": "verdict", "outcome": "invalid_reference"}, {"type": ["loaded"]}, {},
        {"type": "failed", "kind": "build_needed"}, {"type": "failed", "kind": "invalid_reference"},
        {"type": "failed", "kind": {"a": 1}}, {"type": "build", "request": {"name": "\ud800"}}, {"type": "build"},
    ],
)  # fmt: skip
def test_what_no_runner_of_the_engine_says_is_the_candidates_fault(message):
    running = attempt()
    receive_from(running, "runner", framed(message))
    made = report_of(running)
    assert made.outcome is Outcome.CHEATED, made.detail
    assert "forged_message" in {finding.code for finding in made.findings}


def test_a_failed_load_that_waits_for_a_build_is_no_fault():
    running = attempt()
    request = {"name": "fast", "cpp_sources": ["int fast();"]}
    receive_from(
        running,
        "runner",
        framed({"type": "build", "request": request}, {"type": "failed", "kind": "build_needed"}),
    )
    assert [needed.name for needed in running.trace.needed] == ["fast"]
    assert not running.trace.forged


def test_a_build_that_only_the_judge_heard_of_is_not_the_references_fault():
    running = attempt()
    running.trace.loaded = True
    running.trace.verdict = {"type": "verdict", "outcome": "build_needed", "detail": "x"}
    assert report_of(running).outcome is Outcome.CHEATED


@pytest.mark.parametrize("side", ["runner", "judge"])
def test_a_message_nested_too_deeply_to_be_printed_ends_in_a_report(side):
    body = b'{"type":"failed","kind":"load_error","detail":' + b"[" * 900 + b"]" * 900 + b"}"
    running = attempt()
    receive_from(running, side, struct.pack("!I", len(body)) + body)
    assert report_of(running).outcome is {"runner": Outcome.CHEATED, "judge": Outcome.LOAD_ERROR}[side]


def test_a_side_that_asks_and_does_not_read_the_answers_holds_nobody_up(monkeypatch):
    monkeypatch.setattr(attempt_module, "_MESSAGE_S", 0.05)
    mine, theirs = Channel.pair()
    running, asked = attempt(), 0
    while asked < 5000:
        theirs.send({"type": "idle", "phase": "end"})
        asked += 1
        if not running._receive(mine, running._on_judge_message):
            break
    assert asked < 5000, "it was heard without end"
    for channel in (mine, theirs):
        channel.close()


def test_half_a_message_keeps_nobody_waiting_and_its_rest_is_not_awaited_forever(monkeypatch):
    """Memory and deadlines are looked at between messages: for the five seconds of a slow one nobody did."""
    mine, theirs = Channel.pair()
    running, whole = attempt(), framed({"type": "loaded"})
    for part in (whole[:3], whole[3:7]):
        theirs._socket.sendall(part)
        began = time.monotonic()
        while running._receive(mine, running._on_runner_message) and time.monotonic() - began < 0.2:
            continue
        assert not running.trace.forged
        assert not running.trace.loaded
    theirs._socket.sendall(whole[7:] + whole[:9])
    while not running.trace.loaded or not mine.is_arriving:
        assert running._receive(mine, running._on_runner_message)
    monkeypatch.setattr(attempt_module, "_MESSAGE_S", 0.0)
    while running._receive(mine, running._on_runner_message):
        continue
    assert "ChannelTimeoutError" in running.trace.forged


def test_messages_without_end_are_not_all_read():
    mine, theirs = Channel.pair()
    running = attempt()
    mine.allow(10 * LEAST_COUNTED)
    theirs._socket.sendall(framed(*[{"type": "loaded"}] * 11))
    handled = 0
    while running._receive(mine, running._on_runner_message):
        handled += 1
    assert "more messages than a job needs" in running.trace.forged
    assert handled <= 22, "a header and a body for each"
