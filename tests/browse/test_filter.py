from urllib.parse import parse_qs

import pytest
from django.http import QueryDict
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.browse.formats import STATES
from datasets_app.browse.query import BrowseError, BrowseFilter, parse_query
from datasets_app.browse.query.vocabulary import FIELDS, OUTCOMES
from tests.factories import make_sample, make_source, make_task

passed = {"outcome": "passed", "verified_at": timezone.now()}


def found(**params):
    return set(BrowseFilter.from_params(params).queryset())


@pytest.mark.django_db
def test_an_empty_filter_is_all_samples():
    sample = make_sample()
    assert set(BrowseFilter().queryset()) == {sample}
    assert BrowseFilter().words() == "All samples"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("params", "fields"),
    [
        ({"outcome": "passed"}, passed),
        ({"outcome": "failed"}, {**passed, "outcome": "cheated"}),
        ({"language": "cuda"}, {"language": "cuda"}),
        ({"generator": "kevin-32b"}, {"generator": "kevin-32b"}),
        ({"generator": "none"}, {"generator": ""}),
        ({"verdict": "fix"}, {"verdict": "fix", "reviewed_at": timezone.now()}),
        ({"review": "reviewed"}, {"verdict": "fix", "reviewed_at": timezone.now()}),
        ({"has_trace": "no"}, {"reasoning": ""}),
        ({"tokens_min": "100"}, {"trace_tokens": 100}),
        ({"tokens_min": ">99"}, {"trace_tokens": 100}),
        ({"claimed_max": "<2", "claimed_min": 1}, {"claimed_speedup": 1.5}),
        ({"speedup_min": "2x"}, {**passed, "measured_speedup": 2.0}),
    ],
)
def test_each_parameter_narrows_to_what_it_names(params, fields):
    wanted = make_sample(**fields)
    make_sample(verdict="accept", reviewed_at=timezone.now()) if params.get("verdict") else make_sample()
    assert found(**params) == {wanted}


@pytest.mark.django_db
def test_a_task_is_found_by_id_and_by_part_of_its_name():
    sample = make_sample(make_task(name="softmax_4096"))
    make_sample()
    assert found(task=str(sample.task_id)) == found(task="Softmax") == {sample}


@pytest.mark.django_db
def test_kind_suite_source_operator_and_parent_narrow_too():
    task = make_task(kind="scan", suite="KernelBench", source=make_source("bench"))
    task.operators.create(name="cumsum")
    sample = make_sample(task)
    child = make_sample(parent=sample)
    for params in ({"kind": "scan"}, {"suite": "KernelBench"}, {"source": "bench"}, {"operator": "cumsum"}):
        assert found(**params) == {sample}
    assert found(parent=str(sample.pk)) == {child}
    assert found(parent="none") == {sample}


@pytest.mark.django_db
def test_several_values_of_one_parameter_are_alternatives():
    one, two = make_sample(generator="a"), make_sample(generator="b")
    make_sample(generator="c")
    assert found(generator=["a", "b"]) == {one, two}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("outcome", "great"),
        ("tokens_min", "many"),
        ("tokens_min", "nan"),
        ("tokens_max", "-1"),
        ("speedup_min", "inf"),
        ("tokens_max", "99999999999999"),
        ("has_trace", "perhaps"),
        ("parent", "123"),
        ("colour", "red"),
        ("q", "x" * 501),
        ("generator", "x" * 201),
    ],
)
def test_a_bad_value_is_refused_with_a_sentence_that_names_its_parameter(name, text):
    with pytest.raises(BrowseError) as caught:
        BrowseFilter.from_params({"language": "cuda", name: text})
    assert list(caught.value.errors) == [name]
    assert name in caught.value.sentences[0]
    assert caught.value.sentences[0].endswith((".", "?"))


def test_every_fault_is_reported_at_once():
    with pytest.raises(BrowseError) as caught:
        BrowseFilter.from_params({"outcome": "x", "kind": "y"})
    assert set(caught.value.errors) == {"outcome", "kind"}


def test_a_range_that_no_number_lies_in_is_refused():
    with pytest.raises(BrowseError, match="swap"):
        BrowseFilter.from_params({"speedup_min": "3", "speedup_max": "2"})


def test_an_unknown_parameter_names_its_neighbour():
    with pytest.raises(BrowseError, match="did you mean outcome"):
        BrowseFilter.from_params({"outcom": "passed"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("outcome:cheated", "Cheated samples"),
        ("outcome:none language:cpp", "Not verified, C++ samples"),
        ("outcome:wrong_value language:cuda", "CUDA samples with outcome wrong value"),
        ("outcome:passed outcome:timeout", "All samples with outcome passed or timeout"),
    ],
)
def test_an_outcome_that_is_no_adjective_follows_the_noun(text, words):
    assert parse_query(text).words() == words


def test_the_filter_is_said_in_words():
    said = parse_query('outcome:passed language:cuda trace:<4000 "warp shuffle" speedup:1..2').words()
    assert said == (
        "Passed, CUDA samples with a trace of under 4,000 tokens measured at at least 1× "
        'and at most 2× that mention "warp shuffle"'
    )


def test_the_typed_form_and_the_parameters_mean_the_same():
    assert parse_query("outcome:passed,cheated speedup:>2 tokens:<=4000 relu*") == BrowseFilter.from_params(
        {"outcome": ["passed", "cheated"], "speedup_min": ">2", "tokens_max": "4000", "q": "relu*"}
    )


def test_a_mistyped_filter_is_pointed_at():
    with pytest.raises(
        BrowseError, match=r"At character 9: there is no filter outcom:; did you mean outcome:\?"
    ):
        parse_query("softmax outcom:passed")


def test_a_scope_in_cpp_is_text_to_search_and_not_a_filter():
    assert parse_query("torch::relu").text == "torch::relu"


TEXTS = st.text(max_size=60)
PARAMS = st.dictionaries(
    st.sampled_from([*FIELDS, "sort", "nonsense"]),
    st.one_of(
        TEXTS,
        st.sampled_from(
            [*OUTCOMES, "none", "yes", "cuda", "2", ">2", "<4000", "1.25", 'a "b c" d', "x:y", "\x00"]
        ),
    ),
    max_size=5,
)


def filter_or_none(read, what):
    """Return None for a refusal with a message; any other exception fails the test."""
    try:
        return read(what)
    except BrowseError as error:
        return None if all(error.sentences) else error


@given(PARAMS)
def test_whatever_is_asked_gives_a_filter_that_survives_both_written_forms_or_a_sentence(params):
    asked = filter_or_none(BrowseFilter.from_params, params)
    if asked is None:
        return
    assert BrowseFilter.from_querystring(asked.querystring()) == asked
    assert BrowseFilter.from_params(parse_qs(asked.querystring())) == asked
    assert parse_query(asked.typed()) == asked
    assert "samples" in asked.words().lower()


@given(TEXTS)
def test_whatever_is_typed_gives_a_filter_or_a_sentence(text):
    asked = filter_or_none(parse_query, text)
    assert asked is None or parse_query(asked.typed()) == asked


def test_the_outcomes_are_those_that_pages_can_show():
    assert set(OUTCOMES) <= set(STATES)


def test_a_request_and_a_dict_read_alike():
    assert BrowseFilter.from_params(QueryDict("generator=a&generator=b")) == BrowseFilter.from_params(
        {"generator": ["a", "b"]}
    )
