"""Tests of what a person may learn of reviews that are hidden in blind review, from what is asked of many samples."""

import json

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from concur_site import pipeline
from datasets_app import review
from datasets_app.accounts.actor import COMMAND, SITE
from datasets_app.analysis.kept import made
from datasets_app.analysis.request import FigureRequest
from datasets_app.browse.list import facets
from datasets_app.browse.query import parse_query
from datasets_app.browse.query.completion import complete
from datasets_app.browse.query.hidden_reviews import hidden_from
from datasets_app.browse.query.sets import Sets
from datasets_app.bulk.run import run_bulk
from datasets_app.curate.builtin import definition
from datasets_app.db import facet_index
from datasets_app.maintenance import runs
from datasets_app.models import BulkAction, MaintenanceKind, Recipe, ReviewQueue, Sample, SampleTag
from datasets_app.review import queues
from datasets_app.review.queue import claim
from tests.factories import acting, make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db
OF_REVIEWS = [
    *("verdict:accept", "verdict:reject", "-verdict:none", "review:reviewed", "votes:>=1", "votes:>0"),
    *("agreement:>=0", "agreement:<=1", "-votes:<1", "-review:unreviewed", "verdict:accept,reject"),
]
OF_UNREVIEWED = [
    *("verdict:none", "-verdict:accept", "review:unreviewed", "votes:<1", "votes:<=0", "-votes:>=1"),
    *("-agreement:>=0", "verdict:accept,none", "votes:>=0", ""),
]


@pytest.fixture
def judged(cur):
    """Return a sample of an open blind queue that another reviewer accepted."""
    sample = make_sample()
    queue = make_queue("blind", cur, blind=True, overlap=2)
    queues.open_queue(queue, cur)
    review.submit_review(sample, acting(make_user("annotator", "ben")), "accept")
    return sample


def found(line, actor):
    """Return the samples as the database and as the counts have them, which must agree."""
    chosen = parse_query(line).read_by(actor)
    rows = set(chosen.queryset())
    assert set(Sets(chosen, facet_index.read()).rows()) == rows
    assert facets.total(chosen) == len(rows)
    return rows


def counted(name, actor, line=""):
    facet = facets.facet(name, Sets(parse_query(line).read_by(actor), facet_index.read()))
    return {value.value: value.count for value in facet.values}


def test_a_filter_on_reviews_does_not_match_a_sample_whose_reviews_are_hidden(judged, ada, cur):
    for line in OF_REVIEWS:
        assert found(line, ada) == set(), line
        assert found(line, cur) == (set() if line == "verdict:reject" else {judged}), line


def test_such_a_sample_counts_as_unreviewed(judged, ada):
    for line in OF_UNREVIEWED:
        assert found(line, ada) == {judged}, line


def test_facets_count_it_as_unreviewed(judged, ada, cur):
    assert counted("verdict", ada) == {"none": 1}
    assert counted("review", ada) == {"unreviewed": 1}
    assert counted("verdict", cur) == {"accept": 1}
    assert counted("verdict", ada, "verdict:accept") == {"none": 1, "accept": 0}


def test_after_ones_own_review_all_is_shown(judged, ada):
    review.submit_review(judged, ada, "accept")
    assert found("verdict:accept votes:>=2", ada) == {judged}
    assert counted("verdict", ada) == {"accept": 1}


def test_closing_the_queue_ends_it(judged, ada, cur):
    queues.close_queue(judged.queue_items.get().queue, cur)
    assert found("verdict:accept", ada) == {judged}


def test_on_a_blind_site_every_sample_is_hidden_until_the_own_review(settings, ada):
    sample, mine = make_sample(), make_sample()
    review.submit_review(sample, acting(make_user("annotator", "ben")), "reject")
    review.submit_review(mine, ada, "accept")
    settings.REVIEW_BLIND = True
    assert found("verdict:reject", ada) == set()
    assert found("verdict:accept", ada) == {mine}
    assert counted("verdict", ada) == {"none": 1, "accept": 1}
    assert found("verdict:reject", COMMAND) == {sample}


def test_samples_under_review_now_are_still_found(judged, ada):
    claim(judged, acting(make_user("annotator", "cyd")))
    assert found("review:open", ada) == {judged}
    assert found("-review:open", ada) == set()


def test_completion_counts_it_as_unreviewed(judged, ada):
    offered = {option.text: option.count for option in complete("verdict:", 8, hidden_from(ada)).options}
    assert offered["accept "] == 0
    assert offered["none "] == 1


def test_the_list_the_api_and_the_histograms_obey_it_and_the_page_says_so(judged, annotator, curator):
    address = "/browse/?verdict=accept"
    page = annotator.get(address)
    assert page.context["rows"] == []
    assert page.context["counts"].hidden == 1
    assert "the reviews of 1 sample are hidden from you until your own" in page.content.decode()
    assert len(curator.get(address).context["rows"]) == 1
    assert "Blind review" not in curator.get(address).content.decode()
    assert annotator.get("/api/v1/samples/?verdict=accept").json()["results"] == []
    assert annotator.get("/api/v1/samples/?votes_min=1").json()["results"] == []
    assert len(curator.get("/api/v1/samples/?votes_min=1").json()["results"]) == 1
    assert "No values" in annotator.get("/browse/histogram/tokens/?verdict=accept").content.decode()


def test_neighbours_in_a_list_analysis_and_the_review_queue_obey_it(judged, annotator):
    page = annotator.get("/analysis/?verdict=accept")
    assert page.context["samples"] == 0
    queue = annotator.get("/review/?verdict=accept").context["progress"]
    assert queue.total == 0


def test_a_bulk_action_takes_only_what_its_requester_may_find(judged, annotator):
    form = {"do": "tag:all", "query": "verdict=accept", "expected": "0", "name": "good"}
    answer = annotator.post("/browse/act/", form)
    assert "No sample matches" in answer.content.decode()
    assert not SampleTag.objects.exists()


def test_an_export_has_no_hidden_verdict(judged, annotator):
    body = {"action": "export", "samples": [str(judged.pk)]}
    answer = annotator.post("/api/v1/bulk-actions/", json.dumps(body), content_type="application/json")
    bulk = BulkAction.objects.get(pk=answer.json()["id"])
    run_bulk(bulk.pk)
    file = b"".join(annotator.get(f"/api/v1/bulk-actions/{bulk.pk}/file/").streaming_content)
    assert json.loads(file)["verdict"] == ""


def test_it_costs_one_small_query_while_no_queue_is_blind_and_none_for_curators(cur, ada):
    make_sample()
    facet_index.read()
    for actor, queries in ((cur, 0), (ada, 1)):
        sets = Sets(parse_query("").read_by(actor), facet_index.read())
        with CaptureQueriesContext(connection) as captured:
            assert not sets.hidden
        assert len(captured) == queries


def test_it_costs_the_same_queries_for_many_samples(judged, annotator):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            annotator.get("/browse/?verdict=accept")
        return len(captured)

    few = queries()
    for number in range(8):
        make_sample(generator=f"g{number}")
    assert queries() <= few


def test_a_recipes_preview_counts_it_as_unreviewed_and_says_so(judged, annotator, curator):
    rule = {"rule": "verdict", "keep": "accepted"}
    made = Recipe.objects.create(name="accepted", title="Accepted", definition=definition(rule))
    page = annotator.get(f"/curate/{made.name}/")
    assert page.context["row_count"] == 0
    assert "This preview treats it as unreviewed" in page.content.decode()
    assert curator.get(f"/curate/{made.name}/").context["row_count"] == 1


def test_the_home_page_counts_hidden_reviews_as_none(judged, ada, cur):
    make_sample()
    reviewed = [(n["reviewed"], n["accepted"]) for n in (pipeline.numbers(ada), pipeline.numbers(cur))]
    assert reviewed == [(0, 0), (1, 1)]
    review.submit_review(judged, ada, "reject")
    assert pipeline.numbers(ada)["reviewed"] == 1


def test_samples_that_are_added_to_a_blind_queue_later_are_hidden_as_well(judged, ada, cur):
    assert found("verdict:accept", ada) == set()
    later = make_sample()
    review.submit_review(later, acting(make_user("annotator")), "accept")
    assert found("verdict:accept", ada) == {later}
    queues.top_up(ReviewQueue.objects.get(), cur)
    assert found("verdict:accept", ada) == set()


def test_the_figure_of_clusters_counts_no_verdict_that_is_hidden(judged, ada, cur):
    make_sample(
        judged.task,
        kernel=Sample.objects.with_body().get(pk=judged.pk).body.kernel_code,
        reasoning="Another.",
    )
    runs.run(runs.request(MaintenanceKind.NEIGHBOURS, SITE, in_background=False).pk)

    def accepted(actor):
        asked = FigureRequest.from_params(QueryDict(""), hidden_from(actor))
        return [row[-1] for row in made("clusters", asked).figure.rows]

    assert accepted(cur) == [1]
    assert accepted(ada) == [0]
