import re
from datetime import timedelta

import pytest
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets_app.browse.list import facets
from datasets_app.browse.query import parse_query
from datasets_app.evidence.record import refresh
from datasets_app.models import EvidenceDevice, Finding, Sample, Task, Verification
from tests.factories import make_sample, make_source, make_task
from tests.verifications import H200

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def passed(speedup=1.5, **fields):
    return make_sample(
        outcome="passed", verified_at=NOW, measured_speedup=speedup, device="NVIDIA H200", **fields
    )


def links(response):
    return re.findall(r'href="(/samples/[^"?]+)[^"]*" data-row-link', response.content.decode())


def walk(client, url, rel):
    """Return every row link from this page on, following the links to the next (or previous) page."""
    found = []
    for _ in range(20):
        response = client.get(url)
        found.append(links(response))
        match = re.search(rf'rel="{rel}" href="([^"]+)"', response.content.decode())
        if not match:
            return found
        url = match[1].replace("&amp;", "&")
    raise AssertionError("the pages do not end")


def test_a_site_without_samples_says_how_to_get_some(reader, curator):
    assert "Ask a curator" in reader.get("/browse/").content.decode()
    page = curator.get("/browse/").content.decode()
    assert "No samples yet" in page
    assert "manage.py ingest" in page


def test_the_list_says_its_filter_in_words_and_counts_all_rows(reader):
    passed()
    make_sample()
    page = reader.get("/browse/?outcome=passed").content.decode()
    assert '<h1 class="said">Passed samples</h1>' in page
    assert "<strong>1</strong> sample" in page


def test_the_typed_line_becomes_an_address_that_keeps_order_and_columns(reader):
    make_sample()
    response = reader.get("/browse/", {"query": 'outcome:passed speedup:>2 "warp shuffle"', "sort": "tokens"})
    assert response.status_code == 302
    assert response.url == "/browse/?outcome=passed&speedup_min=%3E2&q=%22warp+shuffle%22&sort=tokens"


def test_what_cannot_be_understood_is_said_and_the_form_is_kept(reader):
    make_sample()
    response = reader.get("/browse/", {"outcome": "great", "q": "softmax"})
    page = response.content.decode()
    assert response.status_code == 400
    assert "outcome has no value &#x27;great&#x27;" in page
    assert 'value="outcome:great softmax"' in page
    assert 'href="/browse/?q=softmax"' in page
    typed = reader.get("/browse/", {"query": "outcom:passed"})
    assert typed.status_code == 400
    assert "did you mean outcome:?" in typed.content.decode()


@pytest.mark.parametrize("cursor", ["x", "AAAA", "W10", "WzAsIngiLCJ5Il0"])
def test_a_cursor_that_was_never_given_out_is_refused(reader, cursor):
    response = reader.get(f"/browse/?cursor={cursor}")
    assert response.status_code == 400
    assert "leave it out" in response.content.decode()


def test_nothing_found_tells_which_part_to_leave_out(reader):
    make_sample(generator="a", language="cuda")
    make_sample(generator="a", language="cpp")
    make_sample(generator="b", language="triton")
    page = reader.get("/browse/?generator=a&language=triton").content.decode()
    assert page.index("2 samples without “language: Triton”") < page.index("1 sample without “generator: a”")


def test_a_part_without_which_nothing_is_found_either_is_not_suggested(reader):
    make_sample(generator="a")
    page = reader.get("/browse/?generator=a&outcome=cheated").content.decode()
    assert "1 sample without “outcome: cheated”" in page
    assert "without “generator: a”" not in page


def test_each_facet_ignores_itself_and_heeds_the_others():
    passed(generator="a", language="cuda")
    passed(generator="b", language="cuda")
    make_sample(generator="b", language="cpp")
    found = facets.count(parse_query("outcome:passed generator:a"))
    counts = {facet.name: {value.value: value.count for value in facet.values} for facet in found.facets}
    assert found.total == 1
    assert counts["generator"] == {"a": 1, "b": 1}
    assert counts["outcome"] == {"passed": 1}
    assert counts["language"] == {"cuda": 1}


def test_verdicts_and_unreviewed_samples_are_one_facet_and_the_filter_review_stays(reader):
    make_sample()
    reviewed = make_sample(verdict="fix", reviewed_at=NOW)
    page = reader.get("/browse/?review=reviewed").content.decode()
    assert 'data-facet="verdict"' in page
    assert 'data-facet="review"' not in page
    assert str(reviewed.pk) in page
    assert "1</strong> sample" in page
    counts = {facet.name: facet.values for facet in facets.count(parse_query("")).facets}
    assert {value.word: value.count for value in counts["verdict"]} == {
        "in need of a fix": 1,
        "unreviewed": 1,
    }


@pytest.mark.parametrize(
    "query",
    ["", "outcome:failed", "device:H200", "generator:none trace:>3", "kind:scan source:house", "relu"],
)
def test_the_total_and_the_facets_agree_with_the_rows(query):
    passed(generator="")
    make_sample(make_task(kind="scan"), outcome="cheated", verified_at=NOW, device="NVIDIA H100")
    make_sample(verdict="fix", reviewed_at=NOW)
    chosen = parse_query(query)
    found = facets.count(chosen)
    assert found.total == chosen.queryset().count()
    for facet in found.facets:
        for value in facet.values:
            assert value.count == chosen.having(facet.name, value.value).queryset().count(), (
                facet.name,
                value,
            )


def test_a_finding_of_an_older_verification_does_not_count():
    sample, other = passed(), passed()

    def verify(of, hours, code):
        at = NOW - timedelta(hours=hours)
        run = Verification.objects.create(
            sample=of, wanted_device="cuda", device=H200, state="done", outcome="passed", finished_at=at
        )
        Finding.objects.create(verification=run, code=code, severity="audit")
        refresh([of.pk])

    verify(sample, 2, "caches_result")
    verify(sample, 1, "uses_cublas")
    verify(other, 1, "caches_result")
    assert set(parse_query("finding:caches_result").queryset()) == {other}
    assert set(parse_query("finding:uses_cublas").queryset()) == {sample}


@pytest.mark.parametrize("sort", ["created", "task", "tokens", "claimed", "measured", "ratio"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_every_order_pages_forwards_and_back_over_all_rows_with_empty_values_last(
    reader, monkeypatch, sort, sign
):
    monkeypatch.setattr("datasets_app.browse.list.listing.PAGE_SIZE", 3)
    EvidenceDevice.objects.create(name="NVIDIA H200", kind="cuda")
    task = make_task(name="same")
    for number in range(5):
        passed(1.0 + number % 2, task=task, claimed_speedup=None if number % 2 else 2.0)
        make_sample(reasoning="" if number % 2 else None, claimed_speedup=number)
    pages = walk(reader, f"/browse/?sort={sign}{sort}", "next")
    rows = [link for page in pages for link in page]
    assert len(rows) == len(set(rows)) == 10
    back = walk(reader, last_url(reader, f"/browse/?sort={sign}{sort}"), "prev")
    assert [link for page in reversed(back) for link in page] == rows
    field = {
        "tokens": "trace_tokens",
        "claimed": "claimed_speedup",
        "measured": "measured_speedup",
        "ratio": "claim_ratio",
    }.get(sort)
    if field:
        values = dict(Sample.objects.values_list("pk", field))
        shown = [values[pk] for pk in map(id_of, rows)]
        known = [value for value in shown if value is not None]
        assert shown == known + [None] * (len(shown) - len(known))
        assert known == sorted(known, reverse=bool(sign))


def id_of(link):
    from uuid import UUID

    return UUID(link.split("/")[2])


def last_url(client, url):
    while match := re.search(r'rel="next" href="([^"]+)"', client.get(url).content.decode()):
        url = match[1].replace("&amp;", "&")
    return url


@pytest.mark.parametrize("query", ["", "?outcome=passed&q=relu&sort=-measured", "?kind=scan"])
def test_a_list_costs_the_same_queries_whatever_the_rows_and_reads_no_text(
    reader, query, django_assert_num_queries
):
    from django.db import connection

    passed(task=make_task(kind="scan"))
    with CaptureQueriesContext(connection) as few:
        reader.get(f"/browse/{query}")
    for number in range(30):
        passed(task=make_task(kind="scan"), source=make_source(f"s{number}"), generator=f"g{number}")
    with CaptureQueriesContext(connection) as many:
        page = reader.get(f"/browse/{query}")
    assert page.status_code == 200
    assert len(few) == len(many) <= 21  # speeds: the reference device; PostgreSQL: texts to be indexed
    read = [captured["sql"] for captured in many if "body" in captured["sql"]]
    assert len(read) == ("q=" in query)  # the snippets of a search
    assert all("100000" in sql for sql in read)


def test_columns_are_chosen_in_the_address(reader):
    make_sample()
    page = reader.get("/browse/?columns=source&columns=kernel").content.decode()
    headings = re.findall(r'<th role="columnheader" scope="col"[^>]*>\s*(?:<a [^>]*>)?([\w ]+)', page)
    assert headings == ["Task", "Source", "Kernel"]
    assert reader.get("/browse/?columns=nonsense").status_code == 400


def test_a_reader_sees_no_bulk_action_and_an_annotator_does(reader, annotator):
    make_sample()
    assert 'id="act"' not in reader.get("/browse/").content.decode()
    page = annotator.get("/browse/?outcome=none").content.decode()
    assert 'action="/browse/act/"' in page
    assert '<input type="hidden" name="query" value="outcome=none">' in page


def test_a_waiting_verification_shows_as_waiting(reader):
    sample = passed()
    Verification.objects.create(sample=sample, wanted_device="cuda", state="queued")
    page = reader.get("/browse/").content.decode()
    assert "· waiting again" in page
    assert '<span class="state is-good" data-shape="●">passed</span>' in page, "the facet counts it as passed"


def test_hostile_names_are_shown_as_text(reader):
    make_sample(make_task(name="<script>alert(1)</script>"), generator='"><img src=x>')
    page = reader.get("/browse/").content.decode()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert Task.objects.filter(name__startswith="<script>").exists()


def test_the_same_rows_stand_beside_the_page_as_json(reader):
    passed(generator="a")
    make_sample(generator="b")
    for path, headers in [("/browse.json", {}), ("/browse/", {"Accept": "application/json"})]:
        answer = reader.get(
            f"{path}?outcome=passed&columns=task&density=compact", headers=headers, follow=True
        )
        assert [row["generator"] for row in answer.json()["results"]] == ["a"]


def test_rows_stand_closer_when_the_address_says_so(reader):
    make_sample()
    assert "samples is-compact" in reader.get("/browse/?density=compact").content.decode()
    assert "is-compact" not in reader.get("/browse/?view=all").content.decode()
    assert reader.get("/browse/?density=cosy").status_code == 400
