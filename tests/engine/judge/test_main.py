"""Tests of the judge's main program: what it takes a task for that nobody has examined."""

from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

from eval_app.engine.judge.main import Judgement

RANDOM = [{"code": "random_reference"}]


@pytest.mark.parametrize(
    ("examined", "earlier", "is_seeded"),
    [
        (None, None, True),
        (None, {"findings": []}, False),
        (None, {"findings": RANDOM}, True),
        ([], None, False),
        (RANDOM, None, True),
    ],
)
def test_orders_are_seeded_unless_a_task_is_known_to_draw_nothing(examined, earlier, is_seeded):
    judgement = Judgement.__new__(Judgement)
    judgement._order = {"admission": earlier}
    judgement._admission = None if examined is None else SimpleNamespace(findings=lambda: examined)
    assert judgement._may_be_random() is is_seeded
