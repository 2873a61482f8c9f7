import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app import tokens
from datasets_app.tokens import count_tokens


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Fuse the loads.", 4),
        ("__shfl_down_sync", 7),
        ("4096", 2),
        ("a\n\n\nb", 3),
        ("x += 1.5;", 7),
        ("größer", 1),
        ("矩阵", 1),
    ],
)
def test_tokens_are_words_digits_by_three_line_ends_and_single_signs(text, count):
    assert count_tokens(text) == count


@given(st.text())
def test_no_text_has_more_tokens_than_characters(text):
    assert 0 <= count_tokens(text) <= len(text)


def test_counting_in_pieces_changes_no_count(monkeypatch):
    text = "The warp shuffles 128 values; wait, that is wrong. " * 200
    whole = count_tokens(text)
    monkeypatch.setattr(tokens, "PIECE_CHARS", 64)
    assert count_tokens(text) == whole
