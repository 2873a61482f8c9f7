import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets_app.browse.scatter import Point, scatter
from datasets_app.browse.task_page import totals
from tests.factories import make_sample, make_task

pytestmark = pytest.mark.django_db


def passed(task, speedup, **fields):
    return make_sample(task, outcome="passed", verified_at=timezone.now(), measured_speedup=speedup, **fields)


def test_samples_are_ranked_by_measured_then_by_claimed_speedup(reader):
    task = make_task()
    order = [
        passed(task, 3.0),
        passed(task, 2.0),
        make_sample(task, claimed_speedup=9.0),
        make_sample(task, claimed_speedup=1.0),
        make_sample(task),
    ]
    page = reader.get(task.get_absolute_url()).content.decode()
    places = [page.index(f'href="/samples/{sample.pk}/" data-row-link') for sample in order]
    assert places == sorted(places)


def test_a_task_without_samples_has_a_page_too(reader):
    page = reader.get(make_task().get_absolute_url()).content.decode()
    assert "No kernel has come for this task yet" in page
    assert "not told from fewer than 5 traces" in page


@pytest.mark.parametrize(
    ("tokens", "word"), [(3_999, "easy"), (4_000, "middling"), (8_500, "middling"), (8_501, "hard")]
)
def test_difficulty_is_the_class_of_the_average_reasoning_length(tokens, word):
    task = make_task()
    for _ in range(5):
        make_sample(task, trace_tokens=tokens)
    make_sample(task, reasoning="")
    assert totals(task).difficulty.word == word


def test_difficulty_is_not_told_from_few_traces():
    task = make_task()
    for _ in range(4):
        make_sample(task, trace_tokens=10_000)
    assert totals(task).difficulty.word == ""


def test_the_plot_joins_what_no_other_sample_beats_in_both():
    cast = [(100, 1.0, True, "a"), (200, 0.5, True, "b"), (300, 4.0, True, "c"), (50, 9.0, False, "d")]
    points = [Point(x, y, measured, "/", name) for x, y, measured, name in cast]
    plot = scatter(points)
    assert [mark.point.name for mark in plot.marks if mark.leads] == ["a", "c"]
    assert len(plot.front.split()) == 2
    assert all(
        plot.left <= mark.cx <= plot.right and plot.top <= mark.cy <= plot.bottom for mark in plot.marks
    )


def test_the_page_costs_the_same_queries_whatever_the_samples(reader):
    task = make_task()
    passed(task, 1.0)
    with CaptureQueriesContext(connection) as few:
        reader.get(task.get_absolute_url())
    for number in range(20):
        passed(task, 1.0 + number)
    with CaptureQueriesContext(connection) as many:
        page = reader.get(task.get_absolute_url())
    assert page.status_code == 200
    assert len(many) == len(few)
    assert not any("datasets_app_samplebody" in captured["sql"] for captured in many)
