"""Tests of a reference whose device is lost on values that its task does not draw, and of one whose draws differ in
kind."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge import admission  # noqa: E402
from eval_app.engine.judge.admission import Admission  # noqa: E402
from eval_app.engine.judge.checks.family_trials import FamilyTrials  # noqa: E402
from eval_app.engine.judge.comparison.compare import Difference, Tolerance  # noqa: E402
from eval_app.engine.judge.last_bits.calibrate import calibrate  # noqa: E402
from eval_app.engine.judge.last_bits.neighbours import neighbours  # noqa: E402
from eval_app.engine.judge.task.cases import CaseMaker  # noqa: E402
from eval_app.engine.judge.task.reference import Reference  # noqa: E402
from eval_app.engine.judge.values import families  # noqa: E402
from eval_app.engine.judge.values.unvaried import come_again  # noqa: E402
from eval_app.engine.judge.verdicts import ContextLostError, ReferenceFaultError  # noqa: E402

SOURCE = (Path(__file__).parents[2] / "kernels" / "tasks" / "table_by_bins.py").read_text("utf-8")
CPU = torch.device("cpu")
USUAL = Tolerance(1e-4, 1e-2, 1e-6)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """On a busy machine too every question is asked."""
    monkeypatch.setattr(admission, "_BUDGET_S", 300.0)


def lose_the_device(monkeypatch):
    """Have the device answer no more, as after an assertion in a kernel."""

    def fail():
        raise RuntimeError("CUDA error: device-side assert triggered")

    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "synchronize", fail)


class Stub:
    """The part of `trials.Trials` that family trials use here."""

    def __init__(self, reference):
        self.maker, self.first, self.families, self.skipped = CaseMaker(reference), None, [], {}
        self.check = lambda case: None
        self.another_call = lambda case: (Difference(), None)
        self.gives_other_places = lambda case: False


def test_values_that_a_reference_rejects_are_skipped_and_others_tried(tmp_path):
    trials = Stub(Reference(SOURCE, tmp_path, CPU, 1))
    FamilyTrials(trials).run(["scaled_up", "uniform"])
    assert (trials.families, list(trials.skipped)) == (["uniform"], ["scaled_up"])


def test_a_reference_that_ends_the_context_on_a_family_is_not_asked_for_more(tmp_path, monkeypatch):
    trials = Stub(Reference(SOURCE, tmp_path, CPU, 1))
    lose_the_device(monkeypatch)
    with pytest.raises(ContextLostError, match="does not draw"):
        FamilyTrials(trials).run(["scaled_up"])


def test_within_the_range_of_its_own_values_every_family_is_tried_and_what_is_left_out_is_said(tmp_path):
    reference = Reference(SOURCE, tmp_path, CPU, 1, own_values=True)
    assert reference.domain is families.Domain.OWN
    trials = Stub(reference)
    names = ["scaled_up", "one_hot", "mixed", "spikes", "integers", "constant"]
    FamilyTrials(trials).run(names)
    assert (trials.families, list(trials.skipped)) == (names, ["beyond_own_values"])


def test_a_nudge_on_which_the_reference_ends_the_context_is_told_from_one_that_it_rejects(
    tmp_path, monkeypatch
):
    reference = Reference(SOURCE.replace("rand(256, 256)", "ones(64) - 2.0**-24"), tmp_path, CPU, 1)
    case = CaseMaker(reference).make()
    near = list(neighbours(reference.model, case, domain=families.Domain.ANY))
    assert len(near) < 2  # none but the wider precision: among 64 signs one leaves the table
    lose_the_device(monkeypatch)
    with pytest.raises(ContextLostError):
        list(neighbours(reference.model, case, domain=families.Domain.ANY))


@pytest.mark.parametrize("own_values", [False, True])
def test_lower_precisions_are_asked_about_only_where_they_may_leave_the_range_of_the_tasks_own(
    tmp_path, own_values
):
    source = SOURCE.replace(".long()", ".long().clamp(max=15)")
    maker = CaseMaker(Reference(source, tmp_path, CPU, 1, own_values=own_values))
    with torch.no_grad():
        examination = Admission(maker, USUAL)
        examination.examine(maker.make())
        skipped = calibrate(maker, [maker.make()], USUAL).get("calibration_skipped", "")
    asked = {"half_passes", "lower_precision_passes"} & set(examination.answers)
    assert bool(asked) is not own_values
    assert ("takes no values" in skipped) is own_values


@pytest.mark.parametrize(
    "ask",
    [
        lambda maker, first: calibrate(maker, [first], USUAL),
        lambda maker, first: Admission(maker, USUAL).examine(first),
    ],
    ids=["calibration", "examination"],
)
def test_a_lower_precision_in_which_the_reference_ends_the_context_is_told_from_one_that_it_rejects(
    ask, tmp_path, monkeypatch
):
    maker = CaseMaker(Reference(SOURCE, tmp_path, CPU, 1))
    first = maker.make()
    lose_the_device(monkeypatch)
    with torch.no_grad(), pytest.raises(ContextLostError):
        ask(maker, first)


LATER = """
import torch

draws = [0]


class Model(torch.nn.Module):
    def forward(self, x, fixed):
        return x + fixed


def get_inputs():
    draws[0] += 1
    fixed = torch.randn(8, generator=torch.Generator().manual_seed(3))
    return [torch.randn(8), fixed if draws[0] < 3 else OTHER]
"""


@pytest.mark.parametrize(
    "other", ["object()", "[torch.device('cpu')]", "fixed.to_sparse()", "fixed.to('meta')"]
)
def test_inputs_of_another_kind_in_a_later_draw_are_the_references_fault(other, tmp_path):
    maker = CaseMaker(Reference(LATER.replace("OTHER", other), tmp_path, CPU, 1))
    maker.rehearse()
    for draw in (
        lambda: maker.make("natural"),
        lambda: maker.draw("uniform"),
        lambda: come_again(lambda: maker.draw("natural")),
    ):
        with pytest.raises(ReferenceFaultError):
            draw()
