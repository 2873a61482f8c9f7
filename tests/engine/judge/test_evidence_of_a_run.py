"""Tests of a report's evidence: trials, mismatch maps, configurations, gradients, task admission."""

import shutil
from pathlib import Path

import pytest

from eval_app.engine import Job, Outcome
from eval_app.engine.cli import reference_as_candidate
from tests.engine.kernels.catalogue import FOLDER, load

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]


def verified(engine, path, **more):
    job = load(Path(FOLDER, path)).job()
    return engine.verify(Job.from_dict(job | {"profile": job["profile"] | more}))


def test_a_pass_lists_its_trials_and_counts_its_errors(engine):
    correctness = verified(engine, "honest/layernorm_by_hand.py").correctness
    assert {trial.family for trial in correctness.per_trial} >= {"natural", "scaled_up"}
    assert all(trial.wrong_share == 0 for trial in correctness.per_trial)
    assert len(correctness.per_trial) < correctness.compared
    assert correctness.mismatch_map is None
    histogram = correctness.error_histogram
    assert sum(histogram.counts) > 0
    assert not any(
        count for low, count in zip(histogram.log10_from, histogram.counts, strict=True) if low >= 0
    )


def test_a_refusal_shows_where_it_is_wrong(engine):
    correctness = verified(engine, "cheats/first_output_only.py").correctness
    assert correctness.mismatch_map.output == "output[1]"
    assert sum(correctness.mismatch_map.counts) > 0
    assert correctness.per_trial[-1].wrong_share > 0


def test_configurations_and_gradients_that_were_tried_are_told(engine):
    correctness = verified(engine, "honest/affine_any_configuration.py", configs_max=2).correctness
    assert correctness.configs[0] == "own"
    assert len(correctness.configs) == 3
    assert {trial.config for trial in correctness.per_trial} == set(correctness.configs)
    assert correctness.backward is None
    correctness = verified(engine, "honest/linear_own_backward.py").correctness
    without_ties = set(correctness.families) & {"scaled_up", "mixed", "spikes", "stretched"}
    assert len(without_ties) > 0
    # All in `.grad`, of the weights alone and of the input alone; of both under small and large upstream gradients, and
    # with other weights.
    parts, sizes, moved = 3 + 2 + 1, 3 + 3, 3
    assert correctness.backward.gradients == (2 + len(without_ties)) * 3 + parts + sizes + moved


def test_what_passes_a_task_of_tiny_outputs_under_the_usual_tolerance_fails_under_its_own(engine):
    task = {"id": "task", "reference": Path(FOLDER, "tasks/tiny_product.py").read_text()}
    usual, own = (
        engine.verify(Job.from_dict(reference_as_candidate(task), {"base": "quick", "timings_max": 0, "timings_min": 0,
                                                                   "name": str(calibrate), "calibrate": calibrate}))
        for calibrate in (False, True)
    )  # fmt: skip
    assert usual.outcome is own.outcome is Outcome.PASSED
    for answer in ("lower_precision_passes", "half_passes"):
        assert usual.admission[answer] is True
        assert own.admission[answer] is False
    assert (
        own.admission["zeros_pass"]
        is own.admission["constant_passes"]
        is own.admission["mean_passes"]
        is False
    )
    assert 0 < own.admission["calibrated_rtol"] <= 1e-4
    assert own.admission["inputs_that_move"] == own.admission["inputs_asked"] == 2
