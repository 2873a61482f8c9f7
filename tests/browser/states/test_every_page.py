"""Tests that each page, in each state on a filled site, has the required text and passes the checks."""

import os

import pytest

from tests.browser.states import cast
from tests.browser.states.judging import EVERY_COLUMN, FEWEST, IN_BOTH, fewest_of

pytestmark = pytest.mark.browser

# Name, also of its pictures: path ({} is a place of the cast), role, text that the page must contain.
STATES = {
    "home": ("/", "administrator", "samples"),
    "home of an annotator": ("/", "annotator", "Next for you"),
    "search": ("/search/?q=so", "curator", "Tasks"),
    "search without results": ("/search/?q=zzzqq", "reader", "Nothing is named"),
    "ingest": ("/ingest/", "curator", "refused.jsonl"),
    "ingest with refused rows": ("{refused}", "curator", "ModelNew"),
    "ingest of an unknown format": ("{unknown}", "curator", "Formats"),
    "the tour's end": ("/releases/?tour=5", "administrator", "You can now"),
    "correct a refused row": ("{correct}", "curator", "Ingest the corrected row"),
    # Sorted by task: which rows the newest page has depends on the tests that added rows before.
    "browse": ("/browse/?view=all&sort=task", "annotator", "argmax_rows"),
    "browse one": ("/browse/?source=refused", "annotator", "relu_plus_6"),
    "browse a search": ("/browse/?q=relu&-outcome=cheated", "annotator", "kernel, line"),
    "browse nothing": ("/browse/?outcome=illegal_memory&language=triton", "annotator", "No"),
    "browse error": ("/browse/?query=outcome:passd+speedup:>x", "annotator", "passd"),
    "browse compact": ("/browse/?outcome=passed&density=compact", "reader", "passed"),
    "clusters": ("/browse/clusters/", "annotator", "Clusters of similar kernels"),
    "views": ("/browse/views/", "annotator", "fast ones"),
    "tags": ("/browse/tags/", "annotator", "hack/replay"),
    "sample": ("{sample}", "annotator", "Evidence"),
    "sample of a list": ("{sample}?in=outcome%3Dpassed", "annotator", "next"),
    "sample alone": ("{sample alone}", "annotator", "only sample of its task"),
    "sample without a trace": ("{sample no-trace}", "annotator", "Trace"),
    "sample waiting": ("{queued sample}", "annotator", "thorough on CUDA"),
    "sample running": ("{running sample}", "annotator", "3 of 8"),
    "sample that failed": ("{wrong sample}", "annotator", "Where it differs"),
    "sample with its neighbours": ("{sample alone}?neighbours=show", "annotator", "Similarity"),
    "regions of a kernel": ("{sample}?regions=show", "annotator", "Mean weight of the kernel"),
    "notes of a sample": ("{sample}notes/", "annotator", "Every thread has its own row"),
    "diff": ("{sample}?against={sibling}", "annotator", "against"),
    "diff unified": ("{sample}?against={sibling}&view=unified", "annotator", "against"),
    "diff of the trace": ("{sample}?against=parent&of=trace", "annotator", "Trace against"),
    "diff with the reference": ("{sample}?against=reference", "annotator", "against"),
    "diff with itself": ("{sample}?against={itself}", "annotator", "The texts are equal"),
    "diff with nothing": ("{sample}?against=nonsense", "annotator", "There is no sample nonsense"),
    "kernel beside its SASS": ("{sample}?beside=sass", "annotator", "instructions from"),
    "kernel without SASS": ("{sample alone}?beside=sass", "annotator", "No SASS collected yet"),
    "operators": ("{sample}?against=operators", "annotator", "operator by operator"),
    "task": ("{task}", "annotator", "Turn by turn"),
    "task alone": ("{task alone}", "annotator", "Samples, fastest first"),
    "review": ("/review/", "annotator", "half"),
    "review of a sample": ("{to review}", "annotator", "Verdict"),
    "review with suggestions": ("{suggested}", "annotator", "Suggested"),
    "suggestions": ("/analysis/suggestions/", "curator", "near-miss critic"),
    "compare two": ("/compare/", "curator", "Preference pairs for trainers"),
    "compare a pair": ("{compare}", "annotator", "Left is better"),
    "queue": ("{queue}", "curator", "I cannot read PTX"),
    "new queue": ("/review/queues/new/", "curator", "Reviews per sample"),
    "agreement": ("/review/agreement/", "curator", "Krippendorff"),
    "guidelines": ("/review/guidelines/", "annotator", "Example of accept"),
    "rubric": ("/review/rubric/", "curator", "in use"),
    "new version of the rubric": ("/review/rubric/new/", "curator", "Another criterion"),
    "adjudicate": ("/review/adjudicate/", "curator", "reviewers disagree"),
    "withdraw a review": ("{withdrawable}", "administrator", "Why is it withdrawn"),
    "edits": ("/edits/", "curator", "Open edits"),
    "edit waiting": ("{edit waiting}", "annotator", "being verified"),
    "edit passed": ("{edit passed}", "curator", "Accept the edit"),
    "edit failed": ("{edit failed}", "annotator", "4,096 elements"),
    "edit's run": ("{edit's run}", "annotator", "the first at [63, 63]"),
    "inbox": ("/inbox/", "annotator", "Is it, @ada?"),
    "editor": ("{editor}", "annotator", "Propose an edit"),
    "revision": ("{revision}", "annotator", "before this edit"),
    "adjudicate a sample": ("{disputed}", "administrator", "Decision"),
    "verify": ("/verify/", "annotator", "1 ready"),
    "verify failed": ("/verify/?outcome=failed", "reader", "wrong value"),
    "verify error": ("/verify/?batch=nonsense", "annotator", "Show all"),
    "verify by query": ("/verify/new/?query=outcome:passed", "annotator", "Verify"),
    "verify everything": ("/verify/new/?query=", "annotator", "every sample"),
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
    "hosts": ("/verify/hosts/", "administrator", "it runs nothing and takes nothing"),
    "curate": ("/curate/", "curator", "concur"),
    "recipe": ("/curate/concur/", "curator", "rows"),
    "compare": ("/curate/compare/?one=concur&other=verified-accepted", "curator", "Only concur"),
    "recipe of one's own": ("/curate/short-and-fast/", "curator", "What changed, and why"),
    "recipe versions": ("/curate/short-and-fast/versions/", "curator", "Half the length"),
    "compare two versions": (
        "/curate/compare/?one=short-and-fast@1&other=short-and-fast@2",
        "curator",
        "From short-and-fast@1",
    ),
    "import a recipe": ("/curate/import/", "curator", "Or its text"),
    "export of tables": ("/exports/", "curator", "Verifications"),
    "export of a table": ("/exports/?table=reviews", "curator", "Columns"),
    "releases": ("/releases/", "curator", "first"),
    "release": ("/releases/first/", "curator", "train"),
    "release rows": ("/releases/first/rows/", "reader", "Rows of"),
    "release difference": ("/releases/first/difference/", "curator", "Difference of"),
    "release formats": ("/releases/first/export/", "curator", "loss masks"),
    "release options": ("/releases/first/export/?format=preference", "curator", "Prompt"),
    "release columns": ("/releases/first/export/?format=csv", "curator", "Columns"),
    "analysis": ("/analysis/", "reader", "n ="),
    "leaderboard": ("/leaderboard/", "reader", "How to read"),
    "maintenance": ("/maintenance/", "administrator", "index"),
    "operations": ("/operations/", "administrator", "A disk is nearly full"),
    "account": ("/account/", "annotator", "a notebook"),
    "people": ("/people/", "administrator", "Invite a person"),
    "synthesize": ("/synthesize/", "curator", "Ask for candidates"),
    "synthesis": ("{synthesis}", "curator", "12 of 24 answered"),
    "synthesis ended": ("{synthesis ended}", "curator", "two_model_new"),
    "synthesis of turns": ("{turn}", "curator", "Turns that start by themselves"),
    "runs": ("/runs/", "curator", "Freeze a run"),
    "run": ("{run}", "reader", "Efficiency by turns"),
    "webhooks": ("/webhooks/", "administrator", "Add a webhook"),
    "webhook": ("{webhook}", "administrator", "given up"),
    "webhook off": ("{webhook off}", "administrator", "the site switched it off"),
    "audit log": ("/people/audit/", "administrator", "Apply filter"),
    "invitation": ("{invitation}", "", "Join this site"),
    "API": ("/api/docs/", "reader", "Authorization"),
    "password": ("/account/password/", "reader", "password"),
    "login": ("/accounts/login/", "", "Sign in"),
    "admin": ("/admin/", "administrator", "Verification reports"),
    "admin's list": ("/admin/datasets_app/sample/", "administrator", "By outcome"),
    "admin's form": ("/admin/auth/user/add/", "administrator", "Groups"),
    "admin's record": ("{admin record}", "administrator", "Date joined"),
    "not allowed": ("/admin/", "reader", "Not allowed"),
    "not found": ("/samples/00000000-0000-0000-0000-000000000000/", "reader", "Not found"),
}


# Their parts also appear on other pages that every run checks. Pictures are made of these as well.
SELDOM = {
    *("admin's form", "compare two versions", "diff of the trace", "edit waiting", "export of a table"),
    *(
        "home of an annotator",
        "kernel without SASS",
        "not found",
        "recipe of one's own",
        "sample without a trace",
    ),
    *("search without results", "synthesis ended", "verify error", "webhook off"),
    *("sample running", "sample that failed", "sample with its neighbours"),
    *("release formats", "release columns"),
    *("machine code of PTX", "machine code of two samples", "machine code of one sample alone"),
    *("diff with itself", "diff with nothing"),
    *(
        "admin's record",
        "browse one",
        "edit passed",
        "editor",
        "login",
        "not allowed",
        "revision",
        "sample alone",
    ),
    *("browse compact", "diff unified", "diff with the reference", "operators", "sample of a list"),
    *(
        "task alone",
        "verify failed",
        "verify everything",
        "evidence waiting",
        "machine code against",
        "findings",
        "password",
    ),
}


# States whose tables are lines on a phone. That none of these hides anything is checked in every state.
LINES = {
    *("account", "audit log", "guidelines", "home", "hosts", "ingest", "ingest with refused rows", "people"),
    *("release rows", "releases", "review", "runs", "suggestions", "task", "verify", "views"),
}


def test_the_lists_of_states_name_states():
    assert {*SELDOM, *LINES, *EVERY_COLUMN, *IN_BOTH} <= STATES.keys()
    assert not IN_BOTH & SELDOM


def test_axe_checks_about_as_many_states_in_each_scheme():
    light, dark = (sum(one in fewest_of(name) for name in OFTEN) for one in FEWEST)
    assert abs(light - dark) < len(OFTEN) / 4, (light, dark)


def look_at(name, site, visit, judge, **how):
    path, role, says = STATES[name]
    cast.fleet()  # renew the heartbeats: a slow machine may exceed the deadline between two tests
    page = visit(path.format_map(site.places), role)
    if name in ("analysis", "operations", "run"):
        page.wait_for_selector("html[data-drawn]")
    assert says.lower() in page.locator("body").inner_text().lower()
    assert name not in LINES or page.locator(".is-stacked").count()
    judge.look(page, name, **how)


OFTEN = [name for name in STATES if name not in SELDOM or "CONCUR_STATE_PICTURES" in os.environ]


@pytest.mark.parametrize("name", OFTEN)
def test_a_page_in_each_state(site, visit, judge, name):
    look_at(name, site, visit, judge)


@pytest.mark.long
@pytest.mark.parametrize("name", STATES)
def test_a_page_in_each_state_at_both_widths_light_and_dark(site, visit, judge, name):
    look_at(name, site, visit, judge, every=True)
