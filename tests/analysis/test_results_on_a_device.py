"""Tests that figures agree whether results come from the samples' own columns or from joined evidence."""

import pytest

from datasets_app.analysis.figures import FIGURES
from datasets_app.models import Sample
from tests.curate.store import failed, passed
from tests.factories import make_sample
from tests.shared_rows import shared_rows
from tests.verifications import EPYC, H200, L40, finished, timed, verified

pytestmark = pytest.mark.django_db


def store():
    """Store samples with evidence on the reference device, on another one, on both, on neither."""
    for number in range(6):
        both = passed(speedup=1 + number, trace_tokens=500 + 900 * number, claimed_speedup=2.0, generator="a")
        timed(both, 30.0 + number, L40)
        passed(speedup=5 + number, trace_tokens=700 * (number + 1), device=L40, generator="b")
    for outcome in ("wrong_value", "timeout"):
        verified(failed(outcome, trace_tokens=900), "cheated", L40)
    undecided = make_sample(trace_tokens=1200)
    verified(undecided, "infra_error", H200)
    finished(make_sample(trace_tokens=1300), "unsupported", L40)
    make_sample(trace_tokens=400, claimed_speedup=3.0)


@pytest.fixture(scope="module", autouse=True)
def stored(request):
    with shared_rows(request, store):
        yield


def joined(device):
    return "evidence" in str(Sample.objects.with_result_on(device).query)


@pytest.mark.parametrize("device", [H200, L40, EPYC])
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_the_same_by_either_way(name, device):
    samples = Sample.objects.order_by()
    by_columns_or_join = FIGURES[name](samples.with_result_on(device), "data")
    assert by_columns_or_join == FIGURES[name](samples.with_evidence_on(device), "data")


def test_evidence_is_joined_only_where_the_samples_columns_do_not_hold_all_of_it():
    assert not joined(H200)
    assert joined(L40)


def test_a_headline_that_lags_behind_the_reference_device_is_not_taken_for_it(settings):
    settings.REFERENCE_DEVICE = "L40"
    assert joined(L40)
    Sample.objects.filter(device=H200).update(measured_speedup=None)
    shown = Sample.objects.with_result_on(L40).filter(speedup_there__gte=30)
    assert shown.count() == 6
