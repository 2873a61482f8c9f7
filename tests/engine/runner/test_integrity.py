"""Tests that the tripwire detects a replaced function of the engine, and reports nothing otherwise."""

import pytest

pytest.importorskip("torch")

from eval_app.engine.runner import serve
from eval_app.engine.runner.integrity import Seal
from eval_app.engine.shared import calls


def test_nothing_is_said_of_an_untouched_process():
    seal = Seal()
    with pytest.warns(UserWarning, match="as of a call"):
        exec("import warnings as w; w.warn('as of a call', stacklevel=1)", calls.__dict__)
    del calls.w
    assert seal.intact()


@pytest.mark.parametrize(
    ("owner", "name"),
    [(calls, "_clock_ns"), (calls.Caller, "call"), (serve.Server, "_item"), (calls, "TimedCall")],
)
def test_a_replaced_function_is_seen(monkeypatch, owner, name):
    seal = Seal()
    monkeypatch.setattr(owner, name, lambda *_: None)
    assert not seal.intact()
    monkeypatch.undo()
    assert seal.intact()


def test_swapped_code_is_seen(monkeypatch):
    seal = Seal()
    kept = calls.use_ieee.__code__
    calls.use_ieee.__code__ = (lambda: None).__code__
    assert not seal.intact()
    calls.use_ieee.__code__ = kept
    assert seal.intact()
