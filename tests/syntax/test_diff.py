import time

from hypothesis import given
from hypothesis import strategies as st

from datasets_app.syntax.diff import compare

LINES = st.lists(st.sampled_from(["a", "b", " b", "c c", "", "}", "x = 1", "x = 2"]), max_size=30).map(
    "\n".join
)


def rows(diff):
    return [row for hunk in diff.hunks for row in hunk.rows]


def text(parts):
    return "".join(part for _, part in parts)


def test_the_words_that_differ_are_marked():
    (row,) = rows(compare("x = load(a, 4)", "x = load(b, 4)"))
    assert row.left_parts == [(False, "x = load("), (True, "a"), (False, ", 4)")]
    assert row.right_parts == [(False, "x = load("), (True, "b"), (False, ", 4)")]


def test_lines_with_nothing_in_common_are_not_marked_word_by_word():
    (row,) = rows(compare("alpha beta gamma", "if (i < n) {"))
    assert row.left_parts == [(False, "alpha beta gamma")]
    (row,) = rows(compare("it could be improved by shuffles", "no sum of mine has any shuffles"))
    assert row.left_parts == [(False, "it could be improved by shuffles")]  # spaces are not common text


def test_unchanged_lines_far_from_a_change_are_folded():
    same = [f"line {number}" for number in range(40)]
    diff = compare("\n".join([*same, "old"]), "\n".join([*same, "new"]))
    assert [(hunk.folded, len(hunk.rows)) for hunk in diff.hunks] == [(True, 37), (False, 4)]
    assert (diff.added, diff.removed) == (1, 1)


def test_white_space_is_ignored_on_demand():
    assert not compare("  a  b", "a b").same
    assert compare("  a  b", "a b", ignore_space=True).same


def test_a_block_that_moved_in_does_not_tear_its_neighbours():
    old = "def f():\n    return 1\n\ndef g():\n    return 2\n"
    diff = compare(old, "def new():\n    return 0\n\n" + old)
    assert [row.kind for row in rows(diff)] == ["added"] * 3 + ["same"] * 5


@given(LINES, LINES, st.booleans())
def test_both_texts_can_be_read_off_the_rows_in_order(left, right, ignore_space):
    found = rows(compare(left, right, ignore_space=ignore_space))
    lefts, rights = [row for row in found if row.left], [row for row in found if row.right]
    assert [text(row.left_parts) for row in lefts] == (left.rstrip("\n").split("\n") if left else [])
    assert [text(row.right_parts) for row in rights] == (right.rstrip("\n").split("\n") if right else [])
    assert [row.left for row in lefts] == list(range(1, len(lefts) + 1))
    same = [(text(row.left_parts), text(row.right_parts)) for row in found if row.kind == "same"]
    assert ignore_space or all(one == other for one, other in same)


def test_two_kernels_of_ten_thousand_lines_take_less_than_some_seconds():
    left = [f"x{number % 700} = load({number});" if number % 3 else "}" for number in range(10_000)]
    right = [line.replace("load", "ldg") if at % 17 == 0 else line for at, line in enumerate(left)]
    started = time.process_time()
    diff = compare("\n".join(left), "\n".join(right))
    assert time.process_time() - started < 4
    assert 0 < diff.added == diff.removed
