"""Tests of the snippets of a text search: what they mark, where they link, and what they cost."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app.browse.list.snippets import MOST_CHARS, snippets
from datasets_app.browse.query import parse_query
from tests.factories import make_sample

pytestmark = pytest.mark.django_db


def found(line, sample):
    return snippets([sample.pk], parse_query(line))[sample.pk]


@pytest.mark.parametrize(
    ("line", "field", "number", "marked"),
    [
        ("float4", "kernel", 2, "<mark>float4</mark> *p"),
        ("FLOAT4", "kernel", 2, "<mark>float4</mark> *p"),
        ("coalesc*", "trace", 1, "Keep loads <mark>coalesc</mark>ed"),
        ('"warp shuffle"', "trace", 2, "a <mark>warp-shuffle</mark> here"),
        ("get_init_inputs", "program", 14, "<mark>get_init_inputs</mark>"),
        ('code:"float4 *"', "kernel", 2, "<mark>float4 *</mark>p"),
        ('icode:"FLOAT4 *"', "kernel", 2, "<mark>float4 *</mark>"),
        ("warp coalesced", "trace", 1, "<mark>coalesced</mark>. Then"),
    ],
)
def test_a_snippet_names_its_text_and_line_and_marks_the_match(line, field, number, marked):
    sample = make_sample(
        kernel="// a float42 first\nfloat4 *p = 0;\n",
        reasoning="Keep loads coalesced. Then\na warp-shuffle here.",
    )
    snippet = found(line, sample)
    assert (snippet.field, snippet.line) == (field, number)
    assert marked in snippet.html


def test_hostile_text_is_escaped():
    snippet = found("relu", make_sample(kernel="<script>alert(1)</script>\u202e relu <b>"))
    assert "<script>" not in snippet.html
    assert "&lt;script&gt;" in snippet.html
    assert 'class="ctl"' in snippet.html


def test_a_letter_that_grows_in_lower_case_moves_no_mark():
    assert "<mark>relu</mark>" in found("relu", make_sample(kernel="İİİ relu")).html


def test_a_match_far_from_the_beginning_is_said_to_be_far(reader, monkeypatch):
    monkeypatch.setattr("datasets_app.browse.list.snippets.MOST_CHARS", 20)
    sample = make_sample(kernel="x " * 20 + "needle")
    assert found("needle", sample).field == ""
    assert "far from the beginning" in reader.get("/browse/?q=needle").content.decode()


def test_the_page_links_to_the_match_and_a_far_line_to_its_part(reader):
    near, far = make_sample(kernel="a\nneedle\n"), make_sample(kernel="a\n" * 2999 + "needle")
    page = reader.get("/browse/?q=needle").content.decode()
    assert f'href="/samples/{near.pk}/?in=q%3Dneedle#kernel-L2"' in page
    assert f'href="/samples/{far.pk}/?in=q%3Dneedle&amp;line=3000#kernel-L3000"' in page
    assert "kernel, line 3,000" in page


def test_a_list_without_a_search_has_none(reader):
    make_sample()
    assert "snippet-row" not in reader.get("/browse/?has_trace=yes").content.decode()
    assert snippets([], parse_query("-relu")) == {}


def test_a_page_costs_one_query_that_reads_the_beginnings_of_its_own_rows_only():
    rows = [make_sample(kernel=f"needle {number}") for number in range(12)]
    with CaptureQueriesContext(connection) as captured:
        assert len(snippets([row.pk for row in rows[:5]], parse_query("needle"))) == 5
    assert len(captured) == 1
    assert f"1, {MOST_CHARS}" in captured[0]["sql"] or str(MOST_CHARS) in captured[0]["sql"]
