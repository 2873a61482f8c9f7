"""Tests of the metrics against published numbers: of KernelBench, of HumanEval, and of CUDA-L1's A100 file.

CUDA-L1's columns "Speedup" count tasks that are over 1.01 times as fast as a baseline; "Mean" is over those with a
score (arXiv:2507.14111, README of its code).
"""

import json

import pytest

from datasets_app.analysis.metrics import (
    TaskResult,
    best_at,
    fast_p,
    geometric_mean_over_all,
    geometric_mean_speedup,
    pass_at,
)
from tests.ingest.conftest import REAL_DATA

FILE = REAL_DATA / "cuda_l1_a100.jsonl"
of_cuda_l1 = pytest.mark.skipif(not FILE.exists(), reason=f"{FILE} is not here")
# Times that KernelBench's own tests give (src/unit_tests/test_score.py), where no time is of a wrong kernel.
KERNELBENCH = {
    "first": ([0.1, 0.15, 0.2, 0.05, 0.3], [0.2, None, 0.3, 0.01, None]),
    "second": ([0.24, 0.31, 100.0, 0.0001, 0.3], [0.3, 0.3, 200.0, 0.0001, None]),
    "all wrong": ([0.1, 0.15, 0.2, 0.05, 0.3], [None] * 5),
}
EXACT = 1e-7  # to which KernelBench states its numbers


def of_kernelbench(name):
    times = zip(*KERNELBENCH[name], strict=True)
    return [TaskResult(1, 0) if own is None else TaskResult(1, 1, (eager / own,)) for eager, own in times]


@pytest.mark.parametrize(
    ("name", "p", "share"),
    [
        ("first", 1.0, 0.2),
        ("first", 0.5, 0.4),
        ("second", 1.0, 0.2),
        ("second", 0.5, 0.6),
        ("all wrong", 1.0, 0.0),
        ("all wrong", 0.5, 0.0),
    ],
)
def test_fast_p_is_kernelbenchs(name, p, share):
    assert fast_p(of_kernelbench(name), p) == share


@pytest.mark.parametrize(
    ("name", "mean", "tasks"), [("first", 1.185631101, 3), ("second", 0.801816719, 4), ("all wrong", None, 0)]
)
def test_the_geometric_mean_speedup_is_kernelbenchs_over_what_is_right(name, mean, tasks):
    assert geometric_mean_speedup(of_kernelbench(name)) == (pytest.approx(mean, abs=EXACT), tasks)


@pytest.mark.parametrize(
    ("name", "mean_of_faster", "faster"),
    [("first", 5.0, 1), ("second", 1.033333333, 1), ("all wrong", 1.0, 0)],
)
def test_g_speedup_is_kernelbenchs_mean_of_what_is_faster_with_every_other_task_at_one(
    name, mean_of_faster, faster
):
    found = geometric_mean_over_all(of_kernelbench(name))
    assert found == pytest.approx(mean_of_faster ** (faster / 5), abs=EXACT)


@pytest.mark.parametrize(("k", "published"), [(1, 0.4999999999999999), (2, 0.8), (4, 1.0)])
def test_pass_at_k_is_that_of_humanevals_example(k, published):
    """Three of its six samples pass. Its README states pass@1; the others are 1 - C(3, k) / C(6, k)."""
    assert pass_at(k, 6, 3) == pytest.approx(published, abs=1e-15)


def results(score, level=None):
    """Return what became of each task; one without a score is wrong."""
    rows = [json.loads(line) for line in FILE.read_text().splitlines()]
    scores = [row[score] for row in rows if level in (None, row["level_id"])]
    return [TaskResult(1, 1, (float(one),)) if one is not None else TaskResult(1, 0) for one in scores]


@of_cuda_l1
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


@of_cuda_l1
@pytest.mark.parametrize(
    ("level", "faster", "scored", "mean"),
    [(None, 147, 229, 2.81), (1, 68, 88, 3.18), (2, 53, 94, 2.84), (3, 26, 47, 2.06)],
)
def test_the_mean_speedup_over_cuda_graphs_is_of_the_tasks_that_have_a_score(level, faster, scored, mean):
    found = [one for one in results("score_cuda_graph", level) if one.passed]
    assert (round(fast_p(found, 1.01) * scored), len(found)) == (faster, scored)
    assert round(best_at(1, found), 2) == mean
