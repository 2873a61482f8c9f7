"""Tests that the claims of a sample's page are checked against what its stored report counted."""

import pytest

from datasets_app.models import Sample, VerificationReport
from datasets_app.profiler.counters import Executed
from datasets_app.traces.claims import Measured, measured
from tests.factories import make_sample
from tests.verifications import timed
from tests.verify import reports

pytestmark = pytest.mark.django_db
TRACE = (
    "One call needs 2,097,152 FLOPs. It does 96 double-precision FLOPs. In total that is 4,000 FLOPs of work."
)
WORK = {"flops": 2_000_000, "other_flops": 97_152, "double_flops": 0, "uncounted": []}
NAMES = {"fadd": 0, "fmul": 0, "ffma": 1_952, "dadd": 96, "dmul": 0, "dfma": 0}
METRICS = {
    f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum": {"value": n} for name, n in NAMES.items()
}


@pytest.fixture
def sample() -> Sample:
    made = make_sample(reasoning=TRACE)
    report = reports.full("x")
    report["timing"]["roofline"] |= WORK
    report["inspection"]["metrics"] = METRICS
    VerificationReport.objects.create(verification=timed(made, 2.0), report=report)
    return made


def test_operations_are_read_from_the_report_of_the_headline(sample, django_assert_num_queries):
    with django_assert_num_queries(1):
        found = measured(sample)
    assert found.work.items() >= WORK.items()
    assert found.executed == Executed(single=3_904, double=96)
    assert measured(make_sample()) == Measured()


def test_the_page_says_which_count_a_claim_was_checked_against(sample, reader):
    page = reader.get(sample.get_absolute_url()).content.decode()
    assert "2,097,152 operations were counted on the reference" in page
    assert "The profiler counted 96 operations in a launch of the kernel that ran longest" in page
    assert "The profiler counted 4,000 operations in a launch of the kernel that ran longest" in page
