"""Tests of facets with values that change over time (stale) or very many values (cluster): exact counts."""

import random
from collections import Counter

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.browse.list import facets
from datasets_app.browse.list.clusters import clusters_of
from datasets_app.browse.query import parse_query
from datasets_app.browse.query.completion import complete
from datasets_app.db import facet_index
from datasets_app.db.facet_index import labels
from datasets_app.db.facet_index.sets import BLOCK_ROWS, Block, Builder
from datasets_app.models import KernelFingerprint, Sample
from datasets_app.similarity import index
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from eval_app.site_worker import announcements
from tests.factories import make_sample
from tests.verify import reports
from tests.verify.test_staleness import H200, VERSIONS

pytestmark = pytest.mark.django_db
KERNEL = "class ModelNew:\n    def forward(self, x):\n" + "".join(
    f"        x = torch.op_{n}(x, {n}) + x.view({n}, -1)\n" for n in range(30)
)


def verified(**versions):
    sample = make_sample(language="cuda")
    (row,) = request_verification([sample], actor=COMMAND)
    record_report(row.pk, 1, reports.passed(sample.pk, versions={**VERSIONS, **versions}))
    return sample


def stale_counts(line=""):
    counted = facets.count(parse_query(line)).facets
    return {value.value: value.count for facet in counted if facet.name == "stale" for value in facet.values}


def alike(count):
    """Create kernels that differ only in a number: one cluster."""
    samples = [make_sample(kernel=KERNEL + f"        return x + {number}\n") for number in range(count)]
    index.index([sample.pk for sample in samples])
    return KernelFingerprint.objects.get(sample=samples[0]).cluster


def fold():
    while facet_index.compact():
        pass


def test_stale_is_counted_as_the_machines_stand_now_and_never_verified_is_neither():
    make_sample()
    verified()
    verified(engine="0.3")
    fold()
    announcements.announce("box", H200)
    assert stale_counts() == {"no": 1, "yes": 1}
    announcements.announce("box", {**H200, "versions": {**VERSIONS, "driver": "590.10"}})
    assert stale_counts() == {"yes": 2}
    assert parse_query("stale:yes").queryset().count() == facets.total(parse_query("stale:yes")) == 2


def test_the_facet_names_both_and_choosing_one_takes_the_other_out(reader):
    verified()
    verified(engine="0.3")
    page = reader.get("/browse/?stale=no").content.decode()
    facet = page[page.index('data-facet="stale"') :].split("</section>")[0]
    assert "up to date" in facet
    assert "?stale=yes" in facet
    assert "stale=no&amp;stale=yes" not in facet
    assert reader.get("/browse/?stale=yes").status_code == 200


def test_clusters_are_counted_with_and_without_folding_and_within_a_filter():
    wanted = alike(3)
    make_sample(kernel="something quite different")
    Sample.objects.filter(fingerprint__cluster=wanted).order_by("pk").first().record_verdict(
        verdict="accept", reviewed_at="2026-11-21T00:00Z", votes=1, agreement=1.0
    )
    for _ in range(2):
        found = clusters_of(parse_query(""))
        assert [(one.name, one.count) for one in found.rows] == [(wanted, 3)]
        assert found.waiting == 1
        assert [one.count for one in clusters_of(parse_query("verdict:none")).rows] == [2]
        assert facets.total(parse_query(f"cluster:{wanted}")) == 3
        fold()


def test_a_sample_that_leaves_or_is_indexed_anew_changes_its_cluster_s_count():
    wanted = alike(3)
    fold()
    KernelFingerprint.objects.filter(cluster=wanted).first().delete()
    found = clusters_of(parse_query(""))
    assert [(one.name, one.count) for one in found.rows] == [(wanted, 2)]
    assert found.waiting == 1


def test_a_chosen_cluster_is_marked_and_the_others_stay_in_sight(reader):
    wanted = alike(2)
    page = reader.get(f"/browse/clusters/?cluster={wanted}&language=python").content.decode()
    assert page.count('aria-current="true"') == 1
    assert "Back to the list" in page
    part = reader.get("/browse/clusters/", HTTP_HX_REQUEST="true").content.decode()
    assert f"?cluster={wanted}" in part
    assert "<html" not in part


def test_a_filter_that_cannot_be_read_is_refused_with_the_sentence(reader):
    page = reader.get("/browse/clusters/?outcome=nonsense")
    assert page.status_code == 400
    assert "outcome has no value" in page.content.decode()


def test_a_cluster_is_named_by_a_sample_of_it_and_reads_as_many_queries_for_many(
    reader, django_assert_max_num_queries
):
    wanted = alike(3)
    sample = Sample.objects.filter(fingerprint__cluster=wanted).order_by("pk").first()
    fold()
    with django_assert_max_num_queries(12):
        page = reader.get("/browse/clusters/").content.decode()
    assert f'<a href="{sample.get_absolute_url()}">{sample.task.name}</a>' in page
    assert f"?cluster={wanted}" in page


def test_clusters_are_offered_behind_the_caret():
    wanted = alike(2)
    assert [(one.text, one.count) for one in complete("cluster:", 8).options] == [(f"{wanted} ", 2)]


def test_labels_of_any_size_are_put_together_again_from_their_digits():
    some, build = random.Random(5), Builder()
    values = {
        at: some.choice([0, 1, 2, 7, 2**20 + 1, 2**40 + 3]) for at in some.sample(range(BLOCK_ROWS), 999)
    }
    for at, value in values.items():
        if value:
            build.add_number("cluster", float(value), at)
    block = build.block()
    reading = facet_index.Reading({0: block})
    everything = {0: sum(1 << at for at in values)}
    assert labels.counts(reading, "cluster", everything) == Counter(values.values())
    assert labels.counts(facet_index.Reading({0: Block()}), "cluster", {0: 3}) == {0: 2}
