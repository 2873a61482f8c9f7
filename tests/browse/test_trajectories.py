"""Tests of trajectories on the task page, turn by turn, with the speedups of one device."""

import pytest

from datasets_app.browse.task.trajectories import trajectories
from tests.curate.store import passed
from tests.factories import make_sample, make_task
from tests.verifications import H200, L40, timed

pytestmark = pytest.mark.django_db


def chain(task, speeds):
    found, parent = [], None
    for turn, speed in enumerate(speeds):
        fields = {"parent": parent, "turn": turn}
        parent = passed(task, speed, **fields) if speed else make_sample(task, **fields)
        parent.body.feedback = f"feedback {turn}" if turn else ""
        parent.body.save()
        found.append(parent)
    return found


def test_a_trajectory_is_shown_from_its_first_turn_to_its_last(reader):
    task = make_task()
    rows = chain(task, [None, 1.0, 2.5])
    make_sample(task)
    (found,) = trajectories(task, H200)
    assert [turn.sample for turn in found.turns] == rows
    assert [turn.gain for turn in found.turns] == [None, None, 2.5]
    assert [turn.feedback for turn in found.turns] == ["", "feedback 1", "feedback 2"]
    assert len(found.spark.points) == 2
    page = reader.get(task.get_absolute_url()).content.decode()
    assert f'href="/samples/{rows[2].pk}/?against=parent"' in page
    assert "feedback 2" in page


def test_a_trajectory_shows_the_speedups_of_one_device(reader):
    task = make_task()
    first = passed(task, 1.0, turn=1)
    second = passed(task, 5.0, device=L40, turn=2, parent=first)
    third = passed(task, 2.0, turn=3, parent=second)
    timed(third, 7.0, L40)
    (here,), (there,) = trajectories(task, H200), trajectories(task, L40)
    assert [(turn.speedup, turn.gain) for turn in here.turns] == [(1.0, None), (None, None), (2.0, 2.0)]
    assert [turn.other_device for turn in here.turns] == ["", L40, ""]
    assert [turn.gain for turn in there.turns] == [None, None, pytest.approx(1.4)]
    page = reader.get(f"{task.get_absolute_url()}?device=NVIDIA+L40").content.decode()
    assert f"speedup by turn on {L40}" in page
    assert "1.40× of the previous" in page


def test_a_turn_that_was_not_measured_shows_what_it_claims(reader):
    task = make_task()
    first = make_sample(task, claimed_speedup=0.8, turn=1)
    passed(task, 2.0, claimed_speedup=3.0, turn=2, parent=first)
    page = reader.get(task.get_absolute_url()).content.decode()
    assert "claimed 0.80×" in page
    assert "claimed 3.00×" not in page


def test_a_branch_gives_a_line_for_each_last_turn():
    task = make_task()
    root, *_ = chain(task, [1.0, 2.0])
    passed(task, 4.0, parent=root, turn=1)
    assert [[turn.speedup for turn in line.turns] for line in trajectories(task, H200)] == [
        [1.0, 4.0],
        [1.0, 2.0],
    ]


def test_a_task_of_single_turns_has_none(django_assert_num_queries):
    task = make_task()
    passed(task, 1.0)
    with django_assert_num_queries(1):
        assert trajectories(task, H200) == []


def test_many_turns_cost_two_queries(django_assert_num_queries):
    task = make_task()
    for _ in range(3):
        chain(task, [1.0, 2.0, 3.0])
    with django_assert_num_queries(2):
        assert len(trajectories(task, H200)) == 3
