"""Tests of how a report's page shows elements that are excused, and errors that are no finite number."""

import pytest

from eval_app.pages.error_charts import histogram
from eval_app.pages.evidence_view import evidence_view_of
from tests.verify import reports
from tests.verify.test_evidence import page_of, verified

pytestmark = pytest.mark.django_db
DETAIL = (
    "3 of 64 elements differ in trial equal_values where the reference itself does when the last bits change"
)
DECADES = {"log10_from": [-1, 0], "counts": [61, 3]}


def excused(pk):
    """Return a pass in which ties were chosen otherwise; KernelBench's protocol excuses none."""
    finding = {"code": "rounding_decides", "severity": "label", "detail": DETAIL}
    report = reports.passed(pk, kernelbench={"correct": False})
    report["findings"] = [finding]
    report["correctness"] |= {
        "max_abs_error": 208.0,
        "tolerance": {"int64": 0.0},
        "error_histogram": DECADES,
        "kernelbench_allclose": False,
    }
    return report


def test_a_pass_with_excused_elements_says_at_its_head_how_many_and_why(reader):
    page = page_of(reader, verified(excused))
    assert f"It passes: {DETAIL}." in page
    assert "these elements are excused" in page
    assert "208 absolute, of an excused element" in page


def test_excused_elements_are_not_drawn_as_wrong(reader):
    page = page_of(reader, verified(excused))
    assert 'class="is-excused"' in page
    assert 'class="is-wrong"' not in page
    assert "differ by more than the tolerance and are excused" in page
    assert [bar.tone for bar in histogram(DECADES).bars] == ["is-right", "is-wrong"]


def test_it_says_why_kernelbench_disagrees(reader):
    page = page_of(reader, verified(excused))
    assert "not correct. It excuses no element" in page
    promise = page_of(reader, verified(reports.broken_promise))
    assert "correct, 3.50×. It compares five draws" in promise


def test_kernelbench_is_not_explained_where_it_agrees(reader):
    view = evidence_view_of(verified(lambda pk: reports.passed(pk, kernelbench={"correct": True})))
    assert view.kernelbench_reason == ""


def test_its_tolerance_may_fail_where_its_protocol_does_not(reader):
    def report_of(pk):
        report = reports.passed(pk, kernelbench={"correct": True})
        report["correctness"]["kernelbench_allclose"] = False
        return report

    page = page_of(reader, verified(report_of))
    assert "does not hold in at least one of these 9 comparisons; its own protocol makes five" in page


@pytest.mark.parametrize(("most", "words"), [(0.0, "not finite"), (None, "not finite"), (0.25, "0.250")])
def test_a_wrong_trial_has_no_error_of_zero(reader, most, words):
    def report_of(pk):
        report = reports.wrong(pk)
        trial = {
            "name": "natural 1",
            "family": "natural",
            "max_abs": most,
            "max_rel": most,
            "wrong_share": 1.0,
        }
        report["correctness"] |= {"per_trial": [trial], "mismatch_share": 1.0, "max_abs_error": most}
        return report

    page = page_of(reader, verified(report_of))
    assert f'data-label="max. abs.">{words}</td>' in page
    assert ("<dd>not finite</dd>" in page) is (not most)


def test_families_that_were_left_out_for_one_reason_are_on_one_line(reader):
    skipped = {"spikes": "holds integers", "mixed": "is random", "one_hot": "holds integers"}

    def report(pk):
        whole = reports.passed(pk)
        return {**whole, "correctness": {**whole["correctness"], "skipped": skipped}}

    page = page_of(reader, verified(report))
    assert "<div>spikes, one hot: holds integers</div><div>mixed: is random</div>" in page
