from datasets_app.identity import sample_id, task_id


def test_an_id_does_not_change_with_line_ends_or_trailing_space():
    assert sample_id("a\r\nb  \n", "t", "k") == sample_id("a\nb", "t\n", "k")


def test_each_of_the_three_texts_changes_the_id():
    ids = {
        sample_id(*parts) for parts in [("a", "b", "c"), ("x", "b", "c"), ("a", "x", "c"), ("a", "b", "x")]
    }
    assert len(ids) == 4


def test_texts_cannot_run_into_each_other():
    assert sample_id("a", "bc", "d") != sample_id("ab", "c", "d")


def test_leading_space_of_a_line_is_meaning_in_python():
    assert task_id("if x:\n  y") != task_id("if x:\n y")
