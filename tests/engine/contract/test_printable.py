"""Tests of texts made fit for a report."""

from eval_app.engine.contract.printable import printable


def test_what_does_not_print_is_a_question_mark_unless_it_is_asked_for():
    assert printable("é\x1b[2J\n\t\u202e") == "é?[2J???"
    assert printable("a\nb\tc\0", "\n\t") == "a\nb\tc?"
