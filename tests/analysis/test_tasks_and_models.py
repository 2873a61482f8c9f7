"""Tests of difficulty, fast_p and box plots, computed from samples."""

import pytest

from datasets_app.analysis.boxes import length_boxes, speed_boxes
from datasets_app.analysis.figures.difficulty import difficulty_figure
from datasets_app.analysis.tasks_and_models import LEVELS, difficulty, fast_p
from datasets_app.models import Sample
from tests.curate.store import failed, passed
from tests.factories import make_sample, make_task
from tests.verifications import H200

pytestmark = pytest.mark.django_db


def everything():
    return Sample.objects.order_by().with_evidence_on(H200)


def test_a_task_is_as_hard_as_its_traces_are_long_on_average():
    easy, middling, hard = make_task(), make_task(), make_task()
    passed(easy, trace_tokens=3000)
    failed(task=easy, trace_tokens=4998)  # 3,999 on average
    passed(middling, trace_tokens=4000)
    failed(task=hard, trace_tokens=8501)
    failed("infra_error", task=hard, trace_tokens=8501)
    make_sample(hard, trace_tokens=8501)
    numbers = difficulty(everything())
    assert [(c.name, c.tasks, c.traces, c.decided, c.passed) for c in numbers.classes] == [
        ("easy", 1, 2, 2, 1),
        ("middling", 1, 1, 1, 1),
        ("hard", 1, 3, 1, 0),
    ]
    assert (numbers.tasks, numbers.fewest, numbers.most) == (3, 1, 3)
    assert [(b.low, b.n) for b in numbers.bins if b.n] == [(3500, 1), (4000, 1), (8500, 1)]


def test_the_longest_tasks_share_a_bin_without_an_end():
    passed(trace_tokens=40_000)
    last = difficulty(everything()).bins[-1]
    assert (last.low, last.high, last.n) == (12_000, None, 1)


def test_the_caption_names_the_setting_of_the_averages_and_a_filter_by_generator_fixes_it():
    task = make_task()
    for generator, tokens in (("kevin", 3000), ("other", 5000)):
        passed(task, generator=generator, trace_tokens=tokens, tokenizer="qwen")
    figure = difficulty_figure(difficulty(everything()))
    said = (
        "means over 2 traces of kevin and other, in tokens of qwen; a filter by generator fixes the setting."
    )
    assert said in figure.caption
    assert [row[0] for row in figure.rows if row[1]] == ["middling"]
    of_kevin = difficulty_figure(difficulty(everything().filter(generator="kevin")))
    assert (
        "means over 1 trace of kevin, in tokens of qwen. The table has the measured pass rate"
        in of_kevin.caption
    )
    assert of_kevin.rows[0] == ("easy", 1, 1, 1, 1, 1.0)


def test_fast_p_counts_what_passed_and_was_faster_among_what_was_decided():
    task = make_task()
    passed(task, speedup=1.0, generator="a")
    passed(task, speedup=2.2, generator="a")
    failed(task=task, generator="a")
    failed("infra_error", task=task, generator="a")
    make_sample(task, generator="a")
    failed(task=task, generator="b")
    first, second = fast_p(everything())
    assert (first.generator, first.n, second.n) == ("a", 3, 1)
    at = dict(zip(LEVELS, first.faster, strict=True))
    assert (at[0], at[0.9], at[1], at[2], at[2.5]) == (2, 2, 1, 1, 0)
    assert set(second.faster) == {0}


def test_lengths_are_boxed_by_outcome():
    for tokens in (100, 200, 300, 400, 500):
        passed(trace_tokens=tokens)
    failed("timeout", trace_tokens=900)
    make_sample(trace_tokens=5)
    first, second = length_boxes(everything())
    assert (first.name, first.n, first.quantiles) == ("passed", 5, (120, 200, 300, 400, 480))
    assert (second.name, second.n, set(second.quantiles)) == ("did not run", 1, {900})


def test_speedups_are_boxed_by_the_papers_bins():
    passed(trace_tokens=100, speedup=2)
    passed(trace_tokens=2506, speedup=4)
    passed(trace_tokens=2508, speedup=8)
    passed(trace_tokens=99_999, speedup=1)
    passed(reasoning="", speedup=50)
    boxes = speed_boxes(everything())
    assert [(box.name, box.n, box.quantiles[2]) for box in boxes] == [
        ("under 2.5 k", 2, 3),
        ("2.5–4.6 k", 1, 8),
        ("from 17.2 k", 1, 1),
    ]
