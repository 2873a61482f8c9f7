"""Tests of cases: what the reference computes is found wherever it leaves it, in whatever type."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.admission import Admission  # noqa: E402
from eval_app.engine.judge.cases import CaseMaker  # noqa: E402
from eval_app.engine.judge.compare import Tolerance  # noqa: E402
from eval_app.engine.judge.reference import Reference  # noqa: E402

TASKS = Path(__file__).parents[1] / "kernels" / "tasks"
USUAL = Tolerance(fp32=1e-4, half=1e-2, fp64=1e-6)


def maker_of(task, folder):
    return CaseMaker(Reference((TASKS / f"{task}.py").read_text("utf-8"), folder, torch.device("cpu"), 1))


def answers_of(maker):
    with torch.no_grad():
        examination = Admission(maker, USUAL)
        examination.examine(maker.make())
    return examination.answers


def test_the_results_of_a_task_that_returns_nothing_are_the_inputs_that_it_changes(tmp_path):
    maker = maker_of("accumulate", tmp_path)
    case = maker.make()
    assert case.truth == []
    assert [tensor is case.after[0] for tensor in case.results] == [True]
    assert answers_of(maker)["output_moves"]


def test_a_task_in_fp8_is_examined(tmp_path):
    maker = maker_of("float8_scale", tmp_path)
    with torch.no_grad():
        assert maker.make().finite()
    answers = answers_of(maker)
    assert answers["output_moves"]
    assert answers.get("incomplete") or answers["weights_asked"] == 0
