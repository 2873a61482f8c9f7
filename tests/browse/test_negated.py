"""Tests of negated filters: how they are typed, what they match, and how pages and the API say so."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from datasets_app.browse.list import facets
from datasets_app.browse.query import BrowseError, BrowseFilter, parse_query
from datasets_app.browse.query import sets as sets_module
from datasets_app.browse.query.completion import complete
from datasets_app.browse.query.faults import TypedError
from datasets_app.browse.query.sets import Bounds, Sets
from datasets_app.db import facet_index
from datasets_app.models import Sample, SavedView, Task
from tests.browse.test_counts import NOW, QUERIES, various
from tests.factories import make_sample, make_task

RANDOM = settings(
    max_examples=40,
)
SINGLE = [line for line in QUERIES if line and len(parse_query(line).values) == 1]
MORE = [
    "withdrawn:yes",
    "withdrawn:no",
    "speedup:1..1.5",
    "votes:>=1",
    "agreement:<1",
    "language:cuda,cpp",
    "cluster:abc",
    "superseded:yes",
]


def refused(text):
    with pytest.raises(TypedError) as caught:
        parse_query(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("-outcome:passed", {"-outcome": ["passed"]}),
        ("NOT outcome:passed", {"-outcome": ["passed"]}),
        ("-outcome:passed,cheated", {"-outcome": ["passed", "cheated"]}),
        ("-outcome:passed NOT outcome:cheated", {"-outcome": ["passed", "cheated"]}),
        ("-outcome:failed", {"-outcome": ["failed"]}),
        ("-speedup:1..2", {"-speedup": ["1..2"]}),
        ("-trace:<4000", {"-tokens": ["<4000"]}),
        ("NOT claimed:>=2", {"-claimed": [">=2"]}),
        ('-"warp shuffle"', {"-q": ['"warp shuffle"']}),
        ("-relu NOT gelu", {"-q": ["relu", "gelu"]}),
        ("-torch::relu", {"-q": ["torch::relu"]}),
        ('-code:"float4 *"', {"-code": ["float4 *"]}),
        ("relu -conv*", {"q": ["relu"], "-q": ["conv*"]}),
    ],
)
def test_a_minus_or_not_negates_a_filter_a_range_a_word_or_a_phrase(text, values):
    assert parse_query(text) == BrowseFilter.from_params(values)


@pytest.mark.parametrize(
    "text", ['"-O3"', '"NOT"', '"OR"', "or", "-1", "a-b", "--use_fast_math", '"-outcome:passed"']
)
def test_quotes_and_numbers_and_dashes_within_words_are_searched(text):
    assert list(parse_query(text).by_name) == ["q"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("relu NOT", "At character 6: NOT needs a filter or a word after it"),
        ("NOT -outcome:passed", "At character 1: this is negated twice"),
        ("NOT NOT relu", "NOT needs a filter"),
        ("outcome:passed OR outcome:cheated", "At character 16: OR is not needed"),
        ("relu AND gelu", 'put it in quotes: "AND"'),
        ("-speedup:fast", "accepts a bound or a range"),
        ("-speedup:3..2", "lower bound is above the upper one"),
        ("-speedup:..", "lacks its bounds"),
        ("-speedup:>x", "accepts a number"),
    ],
)
def test_a_negation_that_cannot_be_read_is_refused_with_a_sentence(text, sentence):
    assert sentence in " ".join(refused(text).sentences)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("-outcom:passed", "-outcome:passed"),
        ("NOT outcom:passed", "NOT outcome:passed"),
        ("-outcome:pased", "-outcome:passed"),
    ],
)
def test_a_mistyped_name_or_value_after_a_minus_has_a_suggestion(text, mended):
    error = refused(text)
    assert error.corrected(error.faults[0], error.faults[0].instead[0]) == mended
    parse_query(mended)


def test_leaving_out_a_fault_leaves_out_its_not():
    assert refused("relu NOT outcom:x gelu").without_faults == "relu gelu"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-outcome:passed", "All samples without outcome passed"),
        ("-outcome:passed,cheated", "All samples without outcome passed or cheated"),
        ("-outcome:none", "All samples with any outcome"),
        ("language:cuda -outcome:passed", "CUDA samples without outcome passed"),
        ("-speedup:1..2", "All samples without speedup at least 1× and at most 2×"),
        ("-relu", "All samples that do not mention “relu”"),
        ('-"warp shuffle"', 'All samples that do not mention "warp shuffle"'),
        ("-has_trace:yes", "All samples without a trace"),
        ("-has_trace:no", "All samples with a trace"),
        ("-stale:yes", "All samples without stale evidence"),
        ("-superseded:no", "All samples superseded by a revision"),
        ("-tag:later", "All samples not tagged later"),
        ("-code:float4 -code:half2", "All samples whose code does not contain “float4” or “half2”"),
    ],
)
def test_a_negation_is_said_in_words(text, words):
    assert parse_query(text).words() == words


LINES = st.lists(st.sampled_from([*SINGLE, *MORE, "-word", '-"two words"']), min_size=1, max_size=5)


@given(LINES, st.lists(st.booleans(), min_size=5, max_size=5))
def test_the_typed_form_of_any_filter_reads_as_the_same_filter(lines, negated):
    text = " ".join(
        f"-{line}" if no and line[0] != "-" else line for line, no in zip(lines, negated, strict=False)
    )
    try:
        chosen = parse_query(text)
    except BrowseError:
        return  # two values of a filter that takes one
    assert parse_query(chosen.typed()) == chosen
    assert BrowseFilter.from_querystring(chosen.querystring()) == chosen


@given(st.text(alphabet='-NOTR "ab:1', max_size=16))
def test_words_of_an_address_are_typed_so_that_they_are_searched(text):
    chosen = BrowseFilter.from_params({"q": text})
    typed = parse_query(chosen.typed())
    assert "-q" not in typed
    assert typed.text == chosen.text


@pytest.fixture
def some(db):
    various(40)
    make_sample()  # never verified, never reviewed
    make_sample(outcome="passed", verified_at=NOW, measured_speedup=1.2, claimed_speedup=3, votes=0)
    facet_index.compact()
    return set(Sample.objects.all())


def rows(chosen, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sets_module, "FEW", few)
        return set(Sets(chosen, facet_index.read()).rows())


def in_three_ways(line):
    """Return the rows as the database, the named sets and the walk of the list find them."""
    chosen = parse_query(line)
    found = set(chosen.queryset())
    assert rows(chosen, 4000) == found == rows(chosen, -1), line
    assert facets.total(chosen) == len(found), line
    return found


def test_a_filter_and_its_negation_share_out_all_samples(some):
    for line in (*SINGLE, *MORE):
        matching, others = in_three_ways(line), in_three_ways(f"-{line}")
        assert matching | others == some, line
        assert not matching & others, line


@RANDOM
@given(
    st.sampled_from([*SINGLE, *MORE]),
    st.sampled_from([*SINGLE, *MORE]),
    st.sampled_from(["", "device:H200 "]),
)
def test_within_any_other_filter_too(some, one, other, device):
    assume(parse_query(one).values[0][0] != parse_query(other).values[0][0])
    within = in_three_ways(device + one)
    assert within == in_three_ways(f"{device}{one} {other}") | in_three_ways(f"{device}{one} -{other}")


def test_a_sample_without_a_value_matches_the_negation(db):
    fresh, passed = make_sample(), make_sample(outcome="passed", verified_at=NOW, measured_speedup=2)
    assert set(parse_query("-outcome:passed").queryset()) == {fresh}
    assert set(parse_query("-speedup:<1").queryset()) == {fresh, passed}


def test_of_several_negated_values_none_may_match(db):
    make_sample(language="cuda")
    make_sample(language="cpp")
    triton = make_sample(language="triton")
    assert set(parse_query("-language:cuda -language:cpp,python").queryset()) == {triton}


def test_a_negated_search_that_is_cut_short_reports_an_estimate_and_lists_the_right_rows(
    db, monkeypatch, reader
):
    for _ in range(5):
        make_sample(kernel=f"// float4 {Sample.objects.count()}")
    plain = make_sample()
    monkeypatch.setattr(sets_module, "HASTY", Bounds(2, 9))
    counts = facets.count(chosen := parse_query("-code:float4"))
    assert counts.overcounts
    assert set(Sets(chosen, facet_index.read()).rows()) == {plain}
    answer = reader.get("/browse/", {"-code": "float4"})
    assert [row.sample.pk for row in answer.context["rows"]] == [plain.pk]
    assert "about <strong>" in answer.content.decode()


def test_the_page_shows_a_negation_in_words_as_a_chip_and_in_its_facet(reader, db):
    make_sample(language="cuda")
    make_sample(language="cpp")
    answer = reader.get("/browse/", {"query": "-language:cuda"})
    assert answer.url == "/browse/?-language=cuda"
    answer = reader.get(answer.url)
    page = answer.content.decode()
    assert '<h1 class="said">All samples without language CUDA</h1>' in page
    assert "not language: CUDA" in page
    assert '<span class="facet-not">not</span> CUDA' in page
    assert len(answer.context["rows"]) == 1
    assert 'value="-language:cuda"' in page
    facet = next(f for f in facets.count(parse_query("-language:cuda")).facets if f.name == "language")
    counted = {(value.value, value.count, value.excluded) for value in facet.values}
    assert counted == {("cuda", 1, True), ("cpp", 1, False)}


def test_a_facet_offers_to_take_the_negation_off(reader, db):
    make_sample(language="cuda")
    page = reader.get("/browse/?-language=cuda&has_trace=yes").content.decode()
    assert '<a href="/browse/?has_trace=yes" class="facet-value is-excluded" aria-current="true">' in page


def test_a_saved_view_and_the_ranges_form_keep_a_negation(annotator, db):
    make_sample()
    annotator.post("/browse/views/save/", {"name": "mine", "query": "-language=cuda&-speedup=1..2"})
    assert SavedView.objects.get().query == "-language=cuda&-speedup=1..2"
    page = annotator.get("/browse/?-language=cuda&-speedup=1..2").content.decode()
    assert '<input type="hidden" name="-speedup" value="1..2">' in page


def test_the_api_takes_it(reader, db):
    make_sample(language="cuda")
    plain = make_sample(language="cpp")
    rows = reader.get("/api/v1/samples/?-language=cuda").json()["results"]
    assert [row["id"] for row in rows] == [str(plain.pk)]
    assert "-speedup" in reader.get("/api/v1/samples/?-speedup_min=2").content.decode()


def test_the_list_of_tasks_takes_it(reader, db):
    scan, other = make_task(kind="scan"), make_task(kind="matmul")
    named = [row["name"] for row in reader.get("/api/v1/tasks/?-kind=scan").json()["results"]]
    assert named == [other.name]
    rows = reader.get(f"/api/v1/tasks/?-q={scan.name}").json()["results"]
    assert [row["name"] for row in rows] == [other.name]
    assert Task.objects.count() == 2


def test_completion_goes_on_after_a_minus_and_counts_what_remains(db):
    make_sample(generator="kevin")
    make_sample(generator="kevin")
    make_sample(generator="other")
    assert complete("-gen", 4).options[0].text == "generator:"
    found = complete("-generator:", 11)
    assert [(option.text, option.count) for option in found.options] == [("kevin ", 1), ("other ", 2)]
    assert complete("NOT generator:k", 15).options[0].count == 1
    assert complete("relu -speedup:", 14).options[0].text == ">1 "
