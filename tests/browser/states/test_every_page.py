"""Tests that each page, in each state on a filled site, has the required text and passes the checks."""

import os

import pytest

from tests.browser.states import cast

pytestmark = pytest.mark.browser

# Name, also of its pictures: path ({} is a place of the cast), role, text that the page must contain.
STATES = {
    "home": ("/", "administrator", "samples"),
    "ingest": ("/ingest/", "curator", "refused.jsonl"),
    "ingest with refused rows": ("{refused}", "curator", "ModelNew"),
    "browse": ("/browse/?view=all", "annotator", "topk_values"),
    "browse one": ("/browse/?source=refused", "annotator", "relu_plus_6"),
    "browse nothing": ("/browse/?outcome=illegal_memory&language=triton", "annotator", "No"),
    "browse error": ("/browse/?query=outcome:passd+speedup:>x", "annotator", "passd"),
    "browse compact": ("/browse/?outcome=passed&density=compact", "reader", "passed"),
    "views": ("/browse/views/", "annotator", "fast ones"),
    "tags": ("/browse/tags/", "annotator", "hack/replay"),
    "sample": ("{sample}", "annotator", "Evidence"),
    "sample of a list": ("{sample}?in=outcome%3Dpassed", "annotator", "next"),
    "sample alone": ("{sample alone}", "annotator", "only sample of its task"),
    "sample without a trace": ("{sample no-trace}", "annotator", "This sample has no trace"),
    "sample waiting": ("{queued sample}", "annotator", "thorough on CUDA"),
    "sample running": ("{running sample}", "annotator", "3 of 8"),
    "sample that failed": ("{wrong sample}", "annotator", "Where it differs"),
    "sample with its neighbours": ("{sample alone}?neighbours=show", "annotator", "Similarity"),
    "diff": ("{sample}?against={sibling}", "annotator", "against"),
    "diff unified": ("{sample}?against={sibling}&view=unified", "annotator", "against"),
    "diff of the trace": ("{sample}?against=parent&of=trace", "annotator", "Trace against"),
    "diff with the reference": ("{sample}?against=reference", "annotator", "against"),
    "diff with itself": ("{sample}?against={itself}", "annotator", "The texts are equal"),
    "diff with nothing": ("{sample}?against=nonsense", "annotator", "There is no sample nonsense"),
    "operators": ("{sample}?against=operators", "annotator", "told"),
    "task": ("{task}", "annotator", "Turn by turn"),
    "task alone": ("{task alone}", "annotator", "Samples, fastest first"),
    "review": ("/review/", "annotator", "half"),
    "review of a sample": ("{to review}", "annotator", "Verdict"),
    "verify": ("/verify/", "annotator", "1 ready"),
    "verify failed": ("/verify/?outcome=failed", "reader", "wrong value"),
    "verify error": ("/verify/?batch=nonsense", "annotator", "Show all"),
    "evidence": ("{evidence}", "annotator", "Timing"),
    "evidence of a wrong value": ("{wrong}", "annotator", "Where it differs"),
    "evidence waiting": ("{queued}", "annotator", "Waiting"),
    "evidence running": ("{running}", "annotator", "trials"),
    "machine code": ("{sass}", "reader", "SASS"),
    "machine code against": ("{sass against}", "reader", "this one, of"),
    "machine code of two samples": ("{pair}", "annotator", "Differences"),
    "machine code of one sample alone": ("{pair of which one has none}", "annotator", "nothing to compare"),
    "machine code of PTX": ("{ptx}", "reader", "PTX"),
    "findings": ("/verify/findings/", "reader", "Outcomes"),
    "hosts": ("/verify/hosts/", "administrator", "Add a host"),
    "curate": ("/curate/", "curator", "concur"),
    "recipe": ("/curate/concur/", "curator", "rows"),
    "compare": ("/curate/compare/?one=concur&other=verified-accepted", "curator", "Only concur"),
    "releases": ("/releases/", "curator", "first"),
    "release": ("/releases/first/", "curator", "train"),
    "analysis": ("/analysis/", "reader", "n ="),
    "maintenance": ("/maintenance/", "administrator", "index"),
    "account": ("/account/", "annotator", "a notebook"),
    "API": ("/api/docs/", "reader", "Authorization"),
    "password": ("/account/password/", "reader", "password"),
    "login": ("/accounts/login/", "", "Sign in"),
    "not allowed": ("/admin/", "reader", "Not allowed"),
    "not found": ("/samples/00000000-0000-0000-0000-000000000000/", "reader", "Not found"),
}


# Their parts also appear on other pages that every run checks. Pictures are made of these as well.
SELDOM = {
    *("sample running", "sample that failed", "sample with its neighbours"),
    *("machine code of PTX", "machine code of two samples", "machine code of one sample alone"),
    *("diff with itself", "diff with nothing"),
    *("browse compact", "diff unified", "diff with the reference", "operators", "sample of a list"),
    *("task alone", "verify failed", "evidence waiting", "machine code against", "findings", "password"),
}


def look_at(name, site, visit, judge, **how):
    path, role, says = STATES[name]
    cast.fleet()  # renew the heartbeats: a slow machine may exceed the deadline between two tests
    page = visit(path.format_map(site.places), role)
    if name == "analysis":
        page.wait_for_selector("html[data-drawn]")
    assert says.lower() in page.locator("body").inner_text().lower()
    judge.look(page, name, **how)


OFTEN = [name for name in STATES if name not in SELDOM or "CONCUR_STATE_PICTURES" in os.environ]


@pytest.mark.parametrize("name", OFTEN)
def test_a_page_in_each_state(site, visit, judge, name):
    look_at(name, site, visit, judge)


@pytest.mark.long
@pytest.mark.parametrize("name", STATES)
def test_a_page_in_each_state_at_both_widths_light_and_dark(site, visit, judge, name):
    look_at(name, site, visit, judge, all_four=True)
