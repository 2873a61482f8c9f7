"""Tests of the whole report on its page: stored unchanged, and shown completely."""

import re

import pytest
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Baseline, MachineCode, Task, Verification, VerificationReport
from eval_app.engine import Report
from eval_app.pages.error_charts import folded_map
from eval_app.pages.evidence_view import evidence_view_of
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from tests.factories import make_sample
from tests.verifications import finished
from tests.verify import reports

pytestmark = pytest.mark.django_db
ORDERS = {
    "candidate_ms": 0.06,
    "reference_ms": 0.13,
    "calls": 20,
    "orders": 4,
    "cost_ms": 0.3,
    "noise_ms": 0.01,
}


def verified(report_of=reports.full, sample=None, **fields):
    sample = sample or make_sample(language="cuda", **fields)
    (row,) = request_verification([sample], actor=COMMAND)
    record_report(row.pk, 1, report_of(sample.pk))
    row.refresh_from_db()
    assert row.outcome != "infra_error", row.detail
    return row


def page_of(client, row):
    response = client.get(row.get_absolute_url())
    assert response.status_code == 200
    return response.content.decode()


def test_a_full_report_keeps_the_engines_contract():
    data = reports.full("x")
    assert Report.from_dict(data).to_dict()["inspection"]["sass"] == data["inspection"]["sass"]


def test_listings_are_stored_apart_and_the_report_comes_back_whole(reader):
    row = verified()
    stored = VerificationReport.objects.get(pk=row.pk)
    assert not {"sass", "ptx"} & set(stored.report["inspection"])
    whole = reader.get(reverse("verification-report", args=[row.pk])).json()
    assert whole["inspection"]["sass"] == reports.full("x")["inspection"]["sass"]
    assert MachineCode.objects.get(verification=row, kind="ptx").line_count > 20


@pytest.mark.parametrize("report_of", [reports.full, reports.wrong])
def test_its_parts_are_linked_in_the_order_of_the_page(reader, report_of):
    text = page_of(reader, verified(report_of))
    nav = re.search(r'<nav class="evidence-parts".*?</nav>', text, re.DOTALL)[0]
    linked = re.findall(r'href="#([^"]+)"', nav)
    headings = re.findall(r'<h3 id="((?:timing|sizes|findings|trials|errors|inside|run|build)-[^"]+)"', text)
    assert linked == headings


def test_every_measured_baseline_is_stored_and_one_taken_over_is_not():
    row = verified()
    assert set(Baseline.objects.values_list("mode", flat=True)) == {"eager", "cuda-graph"}
    assert row.speedup == 2.1


def test_the_tasks_admission_is_that_of_the_newest_engine():
    row = verified()
    task = row.sample.task
    assert Task.objects.get(pk=task.pk).admission["mean_passes"] is True
    older = {**reports.VERSIONS, "engine": "0.9.10"}
    verified(
        lambda pk: reports.passed(pk, admission={"mean_passes": False}, versions=older), make_sample(task)
    )
    assert Task.objects.get(pk=task.pk).admission["mean_passes"] is True
    newer = {**reports.VERSIONS, "engine": "1.10.0"}
    verified(
        lambda pk: reports.passed(pk, admission={"mean_passes": False}, versions=newer), make_sample(task)
    )
    found = Task.objects.get(pk=task.pk)
    assert (found.admission, found.admission_engine) == ({"mean_passes": False}, "1.10.0")


def test_the_evidence_says_that_a_pass_of_this_task_proves_little(reader):
    assert "A pass of this task proves little: the mean of the output passes." in page_of(reader, verified())


@pytest.mark.parametrize(
    ("timing", "sentence"),
    [
        ({"confirmed_by": "orders"}, "clock confirms the kernel's time."),
        ({"confirmed_by": ""}, "No clock of the judge confirms the kernel's time."),
        (
            {"confirmed_by": "", "unconfirmed": "the orders say less", "orders": ORDERS},
            "Time not confirmed: the orders say less. The times above are the judge's. "
            "The sample gets no speedup from them.",
        ),
    ],
)
def test_the_page_says_whether_the_judges_clock_confirms_the_time(reader, timing, sentence):
    def report_of(pk):
        report = reports.full(pk)
        report["timing"] |= timing
        return report

    page = page_of(reader, verified(report_of))
    assert sentence in page
    assert ("no confirmed time" in page) is ("unconfirmed" in timing)


@pytest.mark.parametrize(
    "said",
    [
        "The task's own, and 1 that its source declares<div><code>rows=128</code></div>",
        "4 gradients, largest error 2.4e-06 absolute",  # backward
        "batch 8 instead of 16",  # a trial at another shape
        "not measured: its search did not end within 60 s",
        "cached baseline, rescaled to the current eager time",
        "The program moves 134 MB and computes 336 MFLOP",
        "44.6 %",  # of the roofline
        "Clocks were throttled during timing: sw power cap",
        "1,755 to 1,980, median 1,965",  # clocks
        "96.4 %",  # own share
        "FillFunctor",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        "compute-sanitizer memcheck found no error",
        "No racecheck: the profile asks for memcheck only",
        "label",
    ],
)
def test_the_page_shows(reader, shared_page, said):
    assert said in shared_page


def test_a_pass_begins_with_its_timing_and_a_failure_with_what_differs(reader):
    passed, wrong = verified(), verified(reports.all_wrong)
    titles = [re.findall(r'<h3 id="[^"]+">([^<]+)</h3>', page_of(reader, row)) for row in (passed, wrong)]
    assert [names[0] for names in titles] == ["Timing", "Where it differs"]
    assert {"Findings", "Trials", "Inside", "The run", "Build"} <= set(titles[0])


def test_a_kernel_that_was_tried_on_one_configuration_says_so(reader):
    assert "The task's own alone" in page_of(reader, verified(reports.passed))


def test_labels_that_were_read_without_a_grammar_are_said_to_be(reader):
    found = [{"code": "read_by_signs", "severity": "label", "detail": "line 1: tree-sitter is not installed"}]
    page = page_of(reader, verified(lambda pk: reports.passed(pk, findings=found)))
    assert "line 1: tree-sitter is not installed" in page
    assert "#read_by_signs" in page, "its meaning is a click away"


@pytest.fixture
def shared_page(reader):
    return page_of(reader, verified())


def test_speedups_over_every_baseline_are_told():
    times = evidence_view_of(verified()).times
    over = {side.name: side.speedup for side in times.sides}
    assert over["kernel"] is None
    assert over["eager"] == 2.1
    assert over["compile"] == pytest.approx(0.0741 / 0.0625, rel=0.02)
    assert [side.name for side in times.sides if side.reused] == ["compile"]


def test_the_claim_is_marked_where_it_puts_the_kernel():
    plot = evidence_view_of(verified(claimed_speedup=2.9)).times.plot
    assert plot.floor_x < plot.claim_x < plot.strips[0].median_x


def test_a_wrong_value_shows_the_whole_map_and_the_errors(reader):
    page = page_of(reader, verified(reports.all_wrong))
    assert "All 15 wrong elements of output (4×64×64)" in page
    assert page.count('class="heat-') == 2
    assert page.count('class="is-wrong"') == 2
    assert "12 from 10⁰ times the tolerance" in page


def test_the_largest_error_of_wrong_values_counts_finite_ones_only_and_says_so(reader):
    assert "relative, where both values are finite" in page_of(reader, verified(reports.all_wrong))
    assert "where both values are finite" not in page_of(reader, verified(reports.passed))


def test_an_older_report_without_the_new_fields_is_shown_too(reader):
    page = page_of(reader, verified(reports.passed))
    assert '<svg class="plot strips"' in page
    assert "Inside" not in page
    assert "histogram" not in page


# --- Machine code ------------------------------------------------------------------------------------------------


def code_page(client, row, kind="sass", query=""):
    return client.get(reverse("verification-code", args=[row.pk, kind]) + query)


def test_sass_is_shown_without_its_encoding_and_with_numbered_lines(reader):
    page = code_page(reader, verified()).content.decode()
    assert 'id="code-L4"' in page
    assert "LDG.E.128" in page
    assert "/* 0x" not in page
    assert "_Z14softmax_kernelPKfPfii" in page


def test_the_text_can_be_had_as_it_came(reader):
    assert "/* 0x" in code_page(reader, verified(), query="?raw").content.decode()


def test_ptx_is_shown_with_its_entry(reader):
    assert "cvta.to.global.u64" in code_page(reader, verified(), "ptx").content.decode()


def test_sass_against_that_of_another_run_shows_what_differs(reader):
    def other(pk):
        data = reports.full(pk)
        data["inspection"]["sass"] = data["inspection"]["sass"].replace("MUFU.RCP R14", "MUFU.RSQ R14")
        return data

    row = verified()
    later = verified(other, row.sample)
    page = code_page(reader, later, query=f"?against={row.pk}")
    assert page.context["page"].diff.added == 1
    assert page.context["page"].diff.removed == 1


def test_code_that_is_not_there_is_not_found(reader):
    row = verified(reports.passed)
    assert code_page(reader, row).status_code == 404
    assert code_page(reader, verified(), query=f"?against={row.pk}").status_code == 404
    assert code_page(reader, verified(), query="?against=nonsense").status_code == 404


def test_a_page_of_sass_has_the_instruction_mix_of_its_kernels(reader):
    text = code_page(reader, verified()).content.decode()
    assert "Instruction mix" in text
    assert re.search(r'<th scope="row">FP32</th><td class="num">\d', text)


def test_a_page_of_code_costs_the_same_queries_however_many_runs_there_are(reader, django_assert_num_queries):
    row = verified()
    for _ in range(3):
        verified(sample=row.sample)
    Verification.objects.filter(pk=row.pk).get()
    with django_assert_num_queries(5):  # session, account with role, verification, code, others
        code_page(reader, row)


def test_one_wrong_element_is_called_the_one():
    drawn = {"output": "output", "shape": [95, 517], "rows": 1, "columns": 2, "counts": [0, 1]}
    found = folded_map(drawn)
    assert found is not None
    assert found.caption == "The one wrong element of output (95×517)"


def test_a_failed_build_shows_the_compilers_first_error_before_any_log_is_opened(reader):
    errors = "main.cpp:9:57: error: what is tow\nmain.cpp:9: error: again"
    detail = f"The compiler failed on main.cpp: exit status 1\n{errors}"
    row = finished(make_sample(), "build_error", detail=detail)
    page = reader.get(row.get_absolute_url()).content.decode()
    assert "<p><code>main.cpp:9:57: error: what is tow</code></p>" in page
    assert "<code>main.cpp:9: error" not in page
