import pytest

from datasets_app.text_input.storable import storable


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b"])
def test_what_no_database_takes_is_replaced(text):
    assert storable(text) == "a\N{REPLACEMENT CHARACTER}b"


def test_any_other_text_is_unchanged():
    assert storable("a\tb\n\N{GREEK SMALL LETTER ALPHA}") == "a\tb\n\N{GREEK SMALL LETTER ALPHA}"
