"""Tests of the metrics against numbers that CUDA-L1 published of its A100 file (arXiv:2507.14111, README of its code).

Its columns "Speedup" count tasks that are over 1.01 times as fast as a baseline; "Mean" is over those with a score.
"""

import json

import pytest

from datasets_app.analysis.metrics import TaskResult, best_at, fast_p
from tests.ingest.conftest import REAL_DATA

FILE = REAL_DATA / "cuda_l1_a100.jsonl"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason=f"{FILE} is not here")


def results(score, level=None):
    """Return what became of each task; one without a score is wrong."""
    rows = [json.loads(line) for line in FILE.read_text().splitlines()]
    scores = [row[score] for row in rows if level in (None, row["level_id"])]
    return [TaskResult(1, 1, (float(one),)) if one is not None else TaskResult(1, 0) for one in scores]


@pytest.mark.parametrize(
    ("score", "level", "faster", "tasks"),
    [
        ("score_torch_compile_default", None, 203, 250),
        ("score_torch_compile_default", 1, 89, 100),
        ("score_torch_compile_default", 2, 78, 100),
        ("score_torch_compile_default", 3, 36, 50),
        ("score_torch_compile_reduce_overhead", None, 200, 250),
        ("score_torch_compile_reduce_overhead", 1, 90, 100),
        ("score_torch_compile_reduce_overhead", 2, 79, 100),
        ("score_torch_compile_reduce_overhead", 3, 31, 50),
    ],
)
def test_the_share_that_is_faster_counts_tasks_without_a_score_as_wrong(score, level, faster, tasks):
    assert fast_p(results(score, level), 1.01) == faster / tasks


@pytest.mark.parametrize(
    ("level", "faster", "scored", "mean"),
    [(None, 147, 229, 2.81), (1, 68, 88, 3.18), (2, 53, 94, 2.84), (3, 26, 47, 2.06)],
)
def test_the_mean_speedup_over_cuda_graphs_is_of_the_tasks_that_have_a_score(level, faster, scored, mean):
    found = [one for one in results("score_cuda_graph", level) if one.passed]
    assert (round(fast_p(found, 1.01) * scored), len(found)) == (faster, scored)
    assert round(best_at(1, found), 2) == mean
