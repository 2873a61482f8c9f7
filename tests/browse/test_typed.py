"""Tests of the query line: the position of its errors, and its completions."""

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.browse.query import parse_query
from datasets_app.browse.query.completion import complete
from datasets_app.browse.query.faults import TypedError
from tests.factories import make_sample, make_task


def refused(text):
    with pytest.raises(TypedError) as caught:
        parse_query(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "carets", "instead"),
    [
        ("softmax outcom:passed", "        ^^^^^^", "outcome"),
        ("outcome:passed,cheatd", "               ^^^^^^", "cheated"),
        ("language:cud relu", "         ^^^", "cuda"),
        ("speedup:fast", "        ^^^^", None),
        ("speedup:5..2", "        ^^^^", None),
        ("has_trace:yes has_trace:no", "                        ^^", None),
    ],
)
def test_the_word_at_fault_has_carets_under_it_and_what_could_stand_there(text, carets, instead):
    error = refused(text)
    assert error.carets == carets
    if instead:
        mended = error.corrected(error.faults[0], error.faults[0].instead[0])
        assert instead in mended
        parse_query(mended)


def test_every_fault_of_a_line_is_pointed_at():
    assert len(refused("outcom:x language:go speedup:fast").faults) == 3


def test_leaving_out_what_is_at_fault_keeps_the_rest_as_it_was_typed():
    assert refused('outcom:x "warp shuffle" relu').without_faults == '"warp shuffle" relu'


def test_the_page_shows_the_carets_and_links_to_the_mended_line(reader, db):
    make_sample()
    page = reader.get("/browse/", {"query": "outcome:pased relu"}).content.decode()
    assert "outcome:pased relu\n" in page
    assert "        ^^^^^" in page
    assert 'href="?query=outcome%3Apassed+relu"' in page


def texts(text, at=None):
    return [option.text for option in complete(text, len(text) if at is None else at).options]


def test_names_of_filters_are_offered_first():
    assert texts("out")[0] == "outcome:"
    assert "outcome:passed " in texts("passed")


@pytest.mark.django_db
def test_values_are_offered_with_the_rows_that_the_rest_of_the_line_leaves():
    make_sample(generator="kevin-32b", outcome="passed", verified_at=timezone.now())
    make_sample(generator="kevin-32b")
    make_sample(generator="two words")
    found = complete("outcome:passed generator:", 25)
    assert [(option.text, option.count) for option in found.options] == [("kevin-32b ", 1)]
    assert '"two words" ' in texts("generator:two")
    assert ("none ", 2) in [(o.text, o.count) for o in complete("outcome:", 8).options]
    assert ("failed ", 0) in [(o.text, o.count) for o in complete("outcome:fa", 10).options]


@pytest.mark.django_db
def test_a_line_with_a_fault_elsewhere_is_completed_all_the_same():
    make_sample(make_task(name="softmax_4096"))
    assert texts("outcom:x task:soft") == ["softmax_4096 "]


def test_the_second_value_of_a_list_is_completed_after_its_comma(db):
    assert texts("outcome:passed,chea") == ["passed,cheated "]


def test_nothing_is_offered_inside_a_phrase():
    assert texts('"warp shuf') == []


def test_a_word_in_the_middle_of_the_line_is_replaced_whole():
    found = complete("outcom relu", 3)
    assert (found.start, found.end) == (0, 6)


@pytest.mark.django_db
def test_the_page_asks_for_completions_with_any_place(reader):
    for at in ("", "3", "999", "-1", "x"):
        answer = reader.get("/browse/complete/", {"text": "outcome:", "at": at})
        assert answer.status_code == 200
    assert answer.json()["options"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    ["tag", "assigned", "task", "operator", "finding", "suite", "device", "has_trace", "review", "kind"],
)
def test_every_filter_can_be_completed(name):
    make_sample()
    complete(f"{name}:", len(name) + 1)


def faults_in(text):
    """Return None if the line can be read. A refusal without a position fails the test as an exception."""
    try:
        parse_query(text)
    except TypedError as error:
        return error
    return None


@given(st.text(max_size=40))
def test_any_line_can_be_read_or_is_pointed_at_within_itself(text):
    error = faults_in(text)
    if error is not None:
        assert all(0 <= fault.start <= fault.end <= len(text) for fault in error.faults)
        assert len(error.carets) <= len(text)


def test_a_bound_is_refused_by_the_name_that_was_typed():
    [fault] = refused("speedup:>x").faults
    assert fault.sentence.startswith("At character 9: speedup accepts a number")


@pytest.mark.parametrize(
    "typed", ["tokens:<1000000", "tokens:1200000..2000000", "-tokens:>=1000000", "votes:>=1000000"]
)
def test_a_bound_of_millions_is_read_again_as_it_was_typed(typed):
    found = parse_query(typed)
    assert parse_query(found.typed()) == found
    assert found.having("outcome", "passed").lacking("outcome", "passed") == found
