import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.http import QueryDict
from django.utils import timezone

from datasets_app.browse.evidence import RowEvidence
from datasets_app.browse.list.cells import CELLS, ShownRow, columns_of_page, table_rows
from datasets_app.browse.list.columns import COLUMNS, columns_named
from datasets_app.browse.list.facet_items import facet_items, toggling
from datasets_app.browse.list.facets import Facet, FacetValue
from datasets_app.browse.list.listing import Listing
from datasets_app.browse.query.filter import PARAMETERS, BrowseFilter
from datasets_app.models import Tag
from tests.factories import make_sample, make_task

pytestmark = pytest.mark.django_db


def cells(beside=None, tags=(), **fields):
    """Map column names to the content of their cells, for the only sample."""
    make_sample(**fields)
    [row] = Listing.from_params(QueryDict("")).page().rows
    shown = ShownRow(row, "/samples/x/?in=a&b", beside or RowEvidence(), tags)
    html = table_rows([shown], COLUMNS.values(), with_boxes=False)
    found = re.findall(r'<td role="cell" class="[^"]*">(.*?)</td>', html)
    return dict(zip(COLUMNS, found, strict=True))


def test_every_column_has_a_cell():
    assert set(CELLS) == set(COLUMNS)


def test_text_that_others_wrote_is_escaped_and_its_hidden_characters_are_shown():
    found = cells(generator="<script>\u202egpj", device='"><b>')
    assert "<script>" not in found["generator"]
    assert "RLO" in found["generator"]
    assert found["device"] == '"&gt;&lt;b&gt;'
    assert found["task"].startswith('<a href="/samples/x/?in=a&amp;b" data-row-link>')


def test_what_is_not_known_is_a_dash_and_a_sample_without_trace_says_so():
    found = cells(generator="", reasoning="")
    assert (found["generator"], found["claimed"], found["measured"]) == ("–", "–", "–")
    assert "no trace" in found["tokens"]


def test_a_measured_speedup_stands_with_half_of_its_interval():
    found = cells(
        RowEvidence(speedup_low=1.9, speedup_high=2.1),
        outcome="passed",
        measured_speedup=2.0,
        verified_at=timezone.now(),
    )
    assert found["measured"] == '2.00×<span class="interval">±0.10</span>'


def test_an_outcome_is_kept_while_another_verification_waits():
    found = cells(RowEvidence(waiting="queued"), outcome="passed", verified_at=timezone.now())
    assert ">passed<" in found["outcome"]
    assert "· waiting again" in found["outcome"]


def test_a_first_verification_that_waits_is_said_to_wait():
    assert ">waiting<" in cells(RowEvidence(waiting="queued"))["outcome"]


def test_a_pass_without_a_confirmed_time_is_unconfirmed_and_not_a_dash():
    assert ">unconfirmed<" in cells(outcome="passed", verified_at=timezone.now())["measured"]


def test_a_tag_links_to_its_samples():
    assert (
        '<a class="tag is-blue" href="/browse/?tag=a%2Fb">a/b</a>'
        in cells(tags=[Tag(name="a/b", colour="blue")])["tags"]
    )


def with_values(filter, name, values):
    """Return the filter with these values of a field, also such as the field itself would refuse."""
    changed = {**filter.by_name, name: values}
    return BrowseFilter(tuple((field, changed[field]) for field in PARAMETERS if changed.get(field)))


@pytest.mark.parametrize(
    "query",
    [
        "",
        "outcome=passed&q=relu&sort=-measured",
        "source=a+b&generator=x%26y&density=compact&view=3",
        "outcome=none",
    ],
)
@pytest.mark.parametrize("name", ["outcome", "generator", "operator", "source", "length"])
def test_a_facet_links_to_the_list_with_its_value_added_or_taken_out(query, name):
    listing = Listing.from_params(QueryDict(query))
    address = toggling(listing, name)
    had = listing.filter.get(name)
    for value in ("passed", "none", "x&y", "a b", "größer"):
        values = tuple(kept for kept in had if kept != value) if value in had else (*had, value)
        assert address(value) == listing.with_filter(with_values(listing.filter, name, values)).url()


def test_a_facet_value_is_escaped_and_says_whether_it_is_chosen():
    value = FacetValue("<b>", "<b>", 12345, True)
    html = facet_items(Listing.from_params(QueryDict("")), Facet("generator", "generator", [value]), [value])
    assert "<b>" not in html
    assert 'aria-current="true"' in html
    assert '<span class="num">12,345</span>' in html


def test_rows_of_one_page_have_the_address_that_one_sample_has():
    first, second = make_sample(make_task()), make_sample(make_task())
    listing = Listing.from_params(QueryDict("outcome=none"))
    rows = listing.page().rows
    assert set(listing.sample_urls(rows)) == {listing.sample_url(first.pk), listing.sample_url(second.pk)}
    assert listing.sample_url(first.pk) == f"/samples/{first.pk}/?in=outcome%3Dnone"


def row_of(**fields):
    make_sample(**fields)
    [row] = Listing.from_params(QueryDict("")).page().rows
    return ShownRow(row, "/x/", RowEvidence(), ())


def names(rows, columns=None):
    shown = columns_of_page(rows, columns or columns_named([]))
    return [column.name for column in shown]


def test_a_page_leaves_out_one_date_and_what_no_row_has():
    old = row_of()
    assert "created" not in names([old])
    assert not {"tags", "ratio"} & set(names([old]))
    later = replace(old, sample=old.sample._replace(created_at=old.sample.created_at + timedelta(days=1)))
    assert "created" in names([old, later])
    claimed = replace(old, sample=old.sample._replace(claim_ratio=0.75))
    assert "ratio" in names([old, claimed])
    assert CELLS["ratio"](claimed) == ("num cell-ratio", "75 %")


def test_chosen_columns_are_shown_though_they_tell_nothing():
    assert names([row_of()], columns_named(["task,created,tags"])) == ["task", "tags", "created"]


def test_outcome_claimed_and_measured_are_side_by_side():
    usual = [column.name for column in columns_named([])]
    at = usual.index("outcome")
    assert usual[at : at + 4] == ["outcome", "claimed", "measured", "ratio"]


def test_the_owner_of_a_published_model_can_be_left_out_of_its_name():
    assert cells(generator="cognition-ai/Kevin-32B")["generator"] == (
        '<span class="owner">cognition-ai/</span>Kevin-32B'
    )
