"""Tests of the arguments that a task leaves at their defaults."""

import pytest

pytest.importorskip("torch")

from eval_app.engine.judge.task.arguments import never_given


def test_arguments_that_no_call_gives_are_named():
    def forward(x, y, mask=None, *, scale=1.0):
        return x

    assert never_given(forward, 2) == ["mask", "scale"]
    assert never_given(forward, 3) == ["scale"]


def test_nothing_is_named_where_all_are_given_or_nobody_can_tell():
    assert never_given(lambda x, y: x, 2) == []
    assert never_given(lambda *inputs, **options: inputs, 2) == []
