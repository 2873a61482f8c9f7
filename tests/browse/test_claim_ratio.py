"""Tests of the ratio of measured to claimed speedup: kept true by the database, filtered, ordered, on one device."""

import pytest
from django.http import QueryDict

from datasets_app.browse.list.histogram import histogram
from datasets_app.browse.list.listing import Listing
from datasets_app.browse.query import BrowseFilter, parse_query
from datasets_app.browse.query.sets import Sets
from datasets_app.db.facet_index import compact, read
from datasets_app.db.facet_index.sets import size
from datasets_app.models import Sample
from tests.factories import make_sample
from tests.verifications import H200, L40, timed, verified

pytestmark = pytest.mark.django_db
RATIOS = {"half": 0.5, "near": 0.95, "more": 2.0}


@pytest.fixture(autouse=True, params=["dirty", "compacted"])
def store(request):
    """Return samples by name: three that were measured on the reference device, one of them on another device too; one
    only there; a claim that did not pass, one that nobody verified, and a measurement without a claim.
    """
    made = {name: make_sample(claimed_speedup=4.0) for name in (*RATIOS, "elsewhere", "wrong", "unverified")}
    made["unclaimed"] = make_sample()
    for name, ratio in RATIOS.items():
        timed(made[name], 4.0 * ratio, H200)
    timed(made["unclaimed"], 3.0, H200)
    timed(made["near"], 1.0, L40)
    timed(made["elsewhere"], 12.0, L40)
    verified(made["wrong"], "wrong_value", H200)
    if request.param == "compacted":
        while compact():
            pass
    return made


def chosen(store, query: str) -> set[str]:
    """Return the names of the samples that the query selects; sets and database agree about their number."""
    filter = parse_query(query)
    rows = set(filter.queryset().values_list("pk", flat=True))
    assert size(Sets(filter, read()).matching()) == len(rows)
    return {name for name, sample in store.items() if sample.pk in rows}


def test_a_range_selects_claims_by_what_was_measured_on_the_device(store):
    expected = {
        "ratio:<0.9": {"half"},
        "ratio:0.9..1.1": {"near"},
        "ratio:>1.1": {"more", "elsewhere"},
        "ratio:>1.1 device:H200": {"more"},
        "ratio:<0.9 device:L40": {"near"},
        "ratio:>=3 device:L40": {"elsewhere"},
        "ratio:>3 device:L40": set(),
        "-ratio:<1 outcome:passed": {"more", "elsewhere", "unclaimed"},
    }
    assert {query: chosen(store, query) for query in expected} == expected


def test_the_words_say_what_is_compared():
    filter = parse_query("outcome:passed ratio:<0.9")
    assert filter.words() == "Passed samples measured at under 0.9× the claimed speedup"
    assert filter.typed() == "outcome:passed ratio:<0.9"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("sort=ratio", ["half", "near", "more"]),
        ("sort=-ratio", ["more", "near", "half"]),
        ("sort=ratio&has_trace=yes", ["half", "near", "more"]),
        ("sort=-ratio&device=L40", ["elsewhere", "near"]),
    ],
)
def test_an_order_compares_ratios_on_one_device_and_puts_samples_without_one_last(
    store, monkeypatch, query, names
):
    monkeypatch.setattr("datasets_app.browse.list.listing.PAGE_SIZE", 2)
    page = Listing.from_params(QueryDict(query)).page()
    rows = list(page.rows)
    while page.next:
        page = Listing.from_params(QueryDict(f"{query}&cursor={page.next}")).page()
        rows += page.rows
    ids = {sample.pk: name for name, sample in store.items()}
    assert [ids[row.pk] for row in rows][: len(names)] == names
    before, after = Listing.from_params(QueryDict(query)).neighbours(Sample.objects.get(pk=rows[1].pk))
    assert (before, after) == (rows[0].pk, rows[2].pk if len(rows) > 2 else None)


@pytest.mark.parametrize(
    ("sort", "word"), [("-measured", "measured speedup"), ("ratio", "measured over claimed speedup")]
)
def test_the_list_says_on_which_device_it_is_ordered_and_leads_to_the_others(reader, store, sort, word):
    page = reader.get("/browse/", {"sort": sort}).content.decode()
    assert f"Ordered by {word} on {H200}, the reference device." in page
    assert f'device=NVIDIA+L40&amp;sort={sort}">{L40}</a>' in page


@pytest.mark.parametrize(
    "query",
    [
        "sort=created",
        "sort=-measured&device=L40",
        "sort=-measured&device=H200",
        "sort=-measured&outcome=wrong_value",
    ],
)
def test_it_says_nothing_where_all_rows_compare(reader, store, query):
    assert "Ordered by" not in reader.get(f"/browse/?{query}").content.decode()


def test_a_filter_by_speed_is_said_to_take_the_shown_numbers(reader, store):
    page = reader.get("/browse/?sort=-measured&speedup_min=2").content.decode()
    assert "the filter by speed takes the number that each row shows" in page


def test_the_database_keeps_it_true_when_evidence_or_claim_change(store):
    sample = store["half"]

    def stored():
        return Sample.objects.values_list("claim_ratio", flat=True).get(pk=sample.pk)

    assert stored() == 0.5
    Sample.objects.filter(pk=sample.pk).update(claimed_speedup=1.0)
    assert (stored(), chosen(store, "ratio:>=2")) == (2.0, {"half", "more", "elsewhere"})
    verified(sample, "wrong_value", H200, days=1)
    assert (stored(), chosen(store, "ratio:>=2")) == (None, {"more", "elsewhere"})


def test_a_claim_next_to_nothing_gives_no_ratio_that_no_number_can_hold(store):
    timed(tiny := make_sample(claimed_speedup=5e-324), 2.0)
    assert tiny.claim_ratio is None


def test_the_list_and_the_histogram_show_it_on_the_device(reader, store):
    query = {"device": L40, "sort": "ratio"}
    page = reader.get("/browse/", query).content.decode()
    assert page.index("25 %") < page.index("300 %")
    assert "sort=-ratio" in page
    bars = histogram("ratio", BrowseFilter.from_params({"device": L40})).bars
    assert [bar.low for bar in bars if bar.count] == [0.2, 3.0]
    assert (
        "Measured over claimed on NVIDIA L40 of 2 samples"
        in reader.get("/browse/histogram/ratio/", {"device": L40}).content.decode()
    )


def test_rest_filters_and_sorts_by_it_and_one_sample_states_it(reader, store):
    rows = reader.get("/api/v1/samples/", {"ratio_max": "<1", "sort": "-ratio"}).json()["results"]
    assert [row["id"] for row in rows] == [str(store["near"].pk), str(store["half"].pk)]
    assert reader.get(f"/api/v1/samples/{store['half'].pk}/").json()["claim_ratio"] == 0.5
