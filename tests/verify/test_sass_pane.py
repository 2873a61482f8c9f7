"""Tests of the kernel beside its SASS: groups of instructions by the line that they came from."""

import pytest
from django.urls import reverse

from datasets_app.bounded import AnalysisError, analysed
from datasets_app.bounded.errors import DEADLINE
from datasets_app.models import Verification
from eval_app.pages import sass_pane
from eval_app.pages.sass_groups import BY_ADDRESS, BY_SOURCE, MOST_INSTRUCTIONS, grouped
from tests.factories import make_sample
from tests.verify import reports
from tests.verify.test_evidence import verified

SASS = """Function : _Z4rowsPf
        /*0000*/                   S2R R5, SR_TID.X ;
        /*0010*/                   LDG.E R0, desc[UR4][R2.64] ;
        /*0020*/                   FMNMX R7, RZ, R0, !PT ;
        /*0030*/                   STG.E desc[UR4][R2.64], R7 ;
        /*0040*/                   EXIT ;
Function : _Z4tailPf
        /*0000*/                   LDG.E R0, desc[UR4][R2.64] ;
"""
LINES = [0, 3, 4, 2, 4, 0, 0, 4]
PROGRAM = "import torch\nrelu<x>\nint i = threadIdx.x;\nx[i] = relu(x[i]);\n"


def shape_of(found):
    """Return (line, number of instructions, whether its line is new) of each group by function."""
    return {
        function.name: [(group.line, len(group.instructions), group.is_first) for group in function.groups]
        for function in found.functions
    }


def test_instructions_stand_under_the_line_that_they_came_from():
    found = grouped(SASS, LINES, PROGRAM, BY_SOURCE)
    assert shape_of(found) == {
        "rows": [(2, 1, True), (3, 1, True), (4, 2, True), (0, 1, True)],
        "tail": [(4, 1, False)],
    }
    assert [group.source for group in found.functions[0].groups] == [
        "relu<x>", "int i = threadIdx.x;", "x[i] = relu(x[i]);", "",
    ]  # fmt: skip
    assert found.lines == ((2, "relu<x>", 1), (3, "int i = threadIdx.x;", 1), (4, "x[i] = relu(x[i]);", 3))
    assert "STG" in found.functions[0].groups[2].instructions[1]


def test_by_address_a_line_has_a_group_for_each_run():
    found = grouped(SASS, LINES, PROGRAM, BY_ADDRESS)
    assert shape_of(found)["rows"] == [
        (3, 1, True), (4, 1, True), (2, 1, True), (4, 1, False), (0, 1, True),
    ]  # fmt: skip


def test_a_listing_without_lines_is_one_group_a_function():
    assert shape_of(grouped(SASS, [], PROGRAM, BY_ADDRESS)) == {
        "rows": [(0, 5, True)],
        "tail": [(0, 1, False)],
    }


def test_a_long_listing_is_cut_and_says_by_how_much():
    text = "Function : f\n" + "        /*0000*/ NOP ;\n" * (MOST_INSTRUCTIONS + 7)
    found = grouped(text, [], PROGRAM, BY_ADDRESS)
    assert (found.count, found.left_out) == (MOST_INSTRUCTIONS + 7, 7)


@pytest.fixture
def sample(db):
    return make_sample(language="cuda")


def page_of(client, sample, query="?beside=sass"):
    return client.get(f"{sample.get_absolute_url()}{query}").content.decode()


def test_the_page_links_lines_and_instructions_both_ways(admin_client, sample):
    verified(sample=sample)
    page = page_of(admin_client, sample)
    assert 'href="#sass-L6"' in page
    assert 'id="sass-L6"' in page
    assert 'href="#kernel-L6"' in page
    assert 'id="kernel-L6"' in page
    assert "SHFL" in page
    assert page.count('id="sass-L6"') == 1


def test_the_sample_and_its_evidence_lead_there(admin_client, sample):
    verified(sample=sample)
    assert page_of(admin_client, sample, "").count("beside=sass") == 2


def test_a_report_without_lines_says_why(admin_client, sample):
    data = reports.full(sample.pk)
    data["inspection"]["sass_lines"] = []
    verified(lambda pk: data, sample)
    assert "this run kept no records of lines. Verify again" in page_of(admin_client, sample)
    row = Verification.objects.get(sample=sample)
    row.report.report["inspection"]["missing"]["sass_lines"] = "nvdisasm is not installed"
    row.report.save()
    page = page_of(admin_client, sample)
    assert "nvdisasm is not installed" in page
    assert "SHFL" in page
    assert "By address" not in page


def test_an_analysis_without_a_result_leads_to_the_whole_listing(admin_client, sample, monkeypatch):
    verified(sample=sample)

    def left_out(*arguments):
        raise AnalysisError("grouped", DEADLINE, 1.0)

    monkeypatch.setattr(sass_pane, "analysed", left_out)
    page = page_of(admin_client, sample)
    assert "The analysis was left out: it took longer than 1 s. The whole listing has" in page
    assert "0 instructions" not in page


def test_a_child_process_gives_the_same_groups(settings):
    settings.ANALYSIS_IN_CHILDREN = True
    found = analysed(grouped, SASS, LINES, PROGRAM, BY_SOURCE, seconds=60.0)
    assert found == grouped(SASS, LINES, PROGRAM, BY_SOURCE)


def test_a_sample_without_sass_says_how_to_collect_it(admin_client, sample):
    page = page_of(admin_client, sample)
    assert "No SASS collected yet" in page
    assert "Collect SASS and profiler counters" in page


def test_the_whole_report_is_given_back_with_its_lines(admin_client, sample):
    data = reports.full(sample.pk)
    verified(lambda pk: data, sample)
    row = Verification.objects.get(sample=sample)
    stored = admin_client.get(reverse("verification-report", args=[row.pk])).json()
    assert stored["inspection"]["sass_lines"] == data["inspection"]["sass_lines"]
    assert stored["sweep"] == data["sweep"]
