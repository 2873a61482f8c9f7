"""Tests that a mark covers exactly the characters of its span, and that the line's own elements stay whole."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.browse.highlight.lexing import pieces
from datasets_app.browse.highlight.lines import lines_of
from datasets_app.browse.highlight.markup import plain
from datasets_app.browse.highlight.note_marks import marked_line
from datasets_app.browse.highlight.prose import Names, prose_line
from datasets_app.browse.highlight.spans import Span


class Reader(HTMLParser):
    """Collects the text inside of marks, and checks that elements nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.noted: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "mark" in self.open:
            self.noted.append(data)


def noted(html: str) -> str:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return "".join(reader.noted)


def unmarked(html: str) -> str:
    return re.sub(r"</?mark[^>]*>", "", html)


def of(html: str, line: str, *spans: Span, start: int = 0) -> str:
    return marked_line(html, line, start, spans, {"a": "race", "b": "bounds"})


def test_a_span_within_a_line_is_marked_with_its_label():
    assert of("int n;", "int n;", Span(4, 5, "a")) == (
        'int <mark class="noted is-race depth-1" data-notes="a">n</mark>;'
    )


def test_where_two_notes_overlap_the_first_piece_counts_them():
    html = of("abcd", "abcd", Span(0, 3, "a"), Span(2, 4, "b"))
    assert noted(html) == "abcd"
    assert '<mark class="noted is-bounds depth-2" data-notes="a b" data-count="2">c</mark>' in html


def test_a_mark_that_crosses_elements_is_cut_so_that_they_nest():
    html = of('<span class="t">void</span> <b>f</b>', "void f", Span(2, 6, "a"))
    assert noted(html) == "id f"
    assert unmarked(html) == '<span class="t">void</span> <b>f</b>'


def test_an_escaped_character_is_one_character():
    assert noted(of("a &lt; b &amp;&amp; c", "a < b && c", Span(2, 8, "a"))) == "< b &&"


def test_a_hidden_character_is_marked_with_its_sign():
    line = "a\u202eb"
    html = next(iter(lines_of([("", line)])))
    assert noted(of(html, line, Span(1, 3, "a"))) == "RLOb"


def test_backticks_that_prose_leaves_out_shift_nothing():
    line = "Use `scale_rows` once, `then` stop."
    html = prose_line(line, Names({"scale_rows": 3}, {}))
    start = line.index("once")
    assert noted(of(html, line, Span(start, start + 4, "a"))) == "once"


def test_the_end_that_a_long_line_leaves_out_is_not_marked():
    html = 'abc<span class="cut"> … 7 more characters</span>'
    assert noted(of(html, "abcdefghij", Span(1, 9, "a"))) == "bc"


def test_a_line_that_does_not_pair_is_left_as_it_is():
    assert of("xyz", "abc", Span(0, 2, "a")) == "xyz"


def test_a_key_and_a_label_cannot_leave_their_attributes():
    html = marked_line("ab", "ab", 0, [Span(0, 1, '"><script>')], {'"><script>': '"><b>'})
    assert "<script>" not in html
    assert "<b>" not in html


HOSTILE = st.text(alphabet='ab_`<>&"\u202e\u200b\t\r\x00 é\U0001f600\ufffd', max_size=40)
SPAN = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda ends: Span(min(ends), max(ends), "a"))


@pytest.mark.parametrize("draw", ["plain", "prose", "code"])
@given(line=HOSTILE, span=SPAN)
def test_marks_change_nothing_but_themselves_in_any_text(draw, line, span):
    if draw == "plain":
        html = plain(line)
    elif draw == "prose":
        html = prose_line(line, Names({}, {}))
    else:
        html = "".join(lines_of(pieces(line)))
    shown = of(html, line, span)
    assert unmarked(shown) == html
    noted(shown)
    if draw == "plain":
        assert unescape(noted(shown)) == unescape(plain(line[span.start : span.end]))
