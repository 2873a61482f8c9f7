"""Tests of the trace of a call, which is the candidate's word and must not cost its verdict."""

from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

from eval_app.engine.judge import trace
from eval_app.engine.sandbox.channel import MAX_MESSAGE_BYTES


def taken(answer):
    session = SimpleNamespace(trace=lambda case, **_: answer)
    return trace.take(session, SimpleNamespace(make=lambda: None), code=False)


def test_the_runners_lists_are_passed_on():
    answer = {"kernels": [["k", 1, 2.0]], "triton": [], "ok": True}
    assert taken(answer) == ({"kernels": [["k", 1, 2.0]], "triton": []}, True)


def test_a_list_that_no_verdict_holds_is_left_out_with_the_reason():
    fields, usable = taken({"kernels": [["k" * (MAX_MESSAGE_BYTES - 100), 1, 2.0]]})
    assert (list(fields), usable) == (["missing"], True)
