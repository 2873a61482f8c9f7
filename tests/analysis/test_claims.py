"""Tests of claims beside what was measured: the same samples on both sides, and no claim left out of the counts."""

import re
from html import unescape

import pytest

from datasets_app.analysis.claims import Claims, claims
from datasets_app.analysis.figures.claimed import claims_figure
from datasets_app.models import Sample
from tests.curate.store import failed, make_sample, passed
from tests.verifications import H200, L40, timed

pytestmark = pytest.mark.django_db


def on_the_device():
    return claims(Sample.objects.order_by().with_evidence_on(H200))


def test_each_claim_stands_beside_the_measured_speedup_of_the_same_sample():
    passed(claimed_speedup=4.0, speedup=1.0, claimed_device="A100")
    passed(claimed_speedup=2.0, speedup=2.1)
    passed(claimed_speedup=1.0, speedup=3.0)
    passed(claimed_speedup=None, speedup=9.0)
    found = on_the_device()
    assert sorted(pair[1:] for pair in found.pairs) == [("", 1.0, 3.0), ("", 2.0, 2.1), ("A100", 4.0, 1.0)]
    assert (found.n, found.below, found.above) == (3, 1, 1)
    assert found.median_ratio == pytest.approx(1.05)


def test_claims_of_kernels_that_do_not_pass_or_are_not_decided_are_counted():
    passed(claimed_speedup=2.0, speedup=2.0)
    failed("wrong_value", claimed_speedup=3.0)
    failed("cheated", claimed_speedup=50.0)
    make_sample(claimed_speedup=7.0)
    found = on_the_device()
    assert (found.n, found.failed, found.undecided) == (1, 2, 1)
    caption = claims_figure(found).caption
    assert "Claimed and not passed here: 2; not decided on this device: 1." in caption


def test_without_a_pair_the_figure_says_what_became_of_the_claims():
    figure = claims_figure(Claims(undecided=3))
    assert figure.plot is None
    assert figure.empty.endswith("Claimed and not passed here: 0; not decided on this device: 3.")


def test_tags_in_a_tasks_name_are_no_tags_to_plotly():
    points, line = claims_figure(Claims([("<b>x</b>", "", 2.0, 0.5)], n=1, median_ratio=0.25)).plot["data"]
    assert points["text"] == ["&lt;b&gt;x&lt;/b&gt;"]
    assert line["x"] == line["y"] == [0.5, 2.0]


def test_the_plot_leads_to_the_lists_of_the_same_samples(reader):
    below, near = passed(claimed_speedup=4.0), passed(claimed_speedup=2.0, speedup=2.1)
    passed(claimed_speedup=4.0, device=L40)
    page = reader.get("/analysis/claims/", {"on": H200}).content.decode()
    assert "measured less: 1;" in page

    def listed(words):
        (address,) = re.findall(rf'<a href="([^"]+)">{words}</a>', page)
        rows = reader.get(unescape(address).replace("/browse/", "/api/v1/samples/")).json()["results"]
        return [row["id"] for row in rows]

    assert listed("measured less than claimed") == [str(below.pk)]
    assert listed("within 10% of the claim") == [str(near.pk)]
    assert listed("measured more than claimed") == []


@pytest.mark.parametrize("query", ["device=L40&on=H200", "ratio_min=0.5"])
def test_no_list_is_offered_that_would_be_another_than_the_figures(reader, query):
    sample = passed(claimed_speedup=4.0)
    timed(sample, 2.0, L40)
    page = reader.get(f"/analysis/claims/?{query}").content.decode()
    assert "n = 1 samples" in page
    assert "Lists of the samples" not in page
