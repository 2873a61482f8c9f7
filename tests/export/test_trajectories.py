"""Tests of trajectories as conversations of several turns."""

from hypothesis import given
from hypothesis import strategies as st

from datasets_app.export.formats import FORMATS
from datasets_app.export.formats.trajectories import NO_FEEDBACK
from datasets_app.export.options import parse
from tests.export.reading import lines, row, texts_of, written


def attempt(name: str, parent: str | None = None, outcome: str = "passed", **values):
    return row(
        uuid=name, id=name, parent=parent, outcome=outcome, generated_code=f"class {name}: ...", **values
    )


def conversations(*rows, **chosen):
    return lines(written("chat-turns", list(rows), **chosen))


def test_each_attempt_answers_the_feedback_to_the_one_before_it():
    (record,) = conversations(
        attempt("third", "second", feedback=""),
        attempt("first", outcome="wrong_value"),
        attempt("second", "first", feedback="Element 51 is wrong."),
        template="Make it fast. {program}",
    )
    assert record["ids"] == ["first", "second", "third"]
    asked = [turn["content"] for turn in record["messages"][::2]]
    assert asked[0].startswith("Make it fast.")
    assert asked[1:] == ["Element 51 is wrong.", NO_FEEDBACK]
    assert [turn["role"] for turn in record["messages"]] == ["user", "assistant"] * 3
    assert [texts_of(turn["content"])[1] for turn in record["messages"][1::2]] == [
        "class first: ...",
        "class second: ...",
        "class third: ...",
    ]


def test_a_failed_attempt_is_read_and_not_trained_on():
    (record,) = conversations(attempt("first", outcome="wrong_value"), attempt("second", "first"))
    assert [turn.get("train") for turn in record["messages"]] == [None, False, None, True]


def test_a_trajectory_ends_with_the_last_attempt_that_may_be_trained_on():
    rows = [
        attempt("first", outcome="wrong_value"),
        attempt("second", "first"),
        attempt("third", "second", outcome="cheated"),
        attempt("fourth", "third", verdict="reject"),
    ]
    assert [record["ids"] for record in conversations(*rows)] == [["first", "second"]]


def test_two_attempts_at_one_parent_are_two_trajectories():
    rows = [attempt("first"), attempt("left", "first"), attempt("right", "first")]
    assert [record["ids"] for record in conversations(*rows)] == [["first", "left"], ["first", "right"]]


def test_a_single_attempt_and_one_whose_parent_was_dropped_are_no_trajectory():
    assert conversations(attempt("alone"), attempt("second", "dropped by a rule")) == []


def test_the_answers_lack_their_traces_where_these_are_not_wanted():
    (record,) = conversations(attempt("first"), attempt("second", "first"), think=False)
    assert all(texts_of(turn["content"])[0] == "" for turn in record["messages"][1::2])


@given(st.lists(st.tuples(st.integers(-1, 7), st.booleans()), max_size=8))
def test_every_trajectory_is_a_chain_and_none_contains_another(drawn):
    """`drawn` has the number of each row's parent, -1 for none, cycles included, and whether it failed."""
    rows = [
        attempt(str(at), str(parent) if 0 <= parent != at else None, "wrong_value" if failed else "passed")
        for at, (parent, failed) in enumerate(drawn)
    ]
    parents = {one["uuid"]: one["parent"] for one in rows}
    made = FORMATS["chat-turns"]
    chains = [record["ids"] for record in made.records(iter(rows), parse(made.takes, {}))]
    for chain in chains:
        assert len(set(chain)) == len(chain) > 1
        assert [parents[one] for one in chain[1:]] == chain[:-1]
    assert not [
        (one, other) for one in chains for other in chains if one is not other and one == other[: len(one)]
    ]
