"""Tests of an empty site: each page explains its purpose, and what to do first."""

import pytest

# One worker runs all of these first: the tests that fill the site come after them.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("empty")]

# Path, role, and the text that the page must contain: what to do first.
EMPTY = {
    "home": ("/", "administrator", "ingest"),
    "browse": ("/browse/", "annotator", "manage.py ingest"),
    "review": ("/review/", "annotator", "No sample is in this queue"),
    "agreement": ("/review/agreement/", "curator", "not enough reviews"),
    "adjudicate": ("/review/adjudicate/", "curator", "No reviewers disagree"),
    "verify": ("/verify/", "annotator", "make worker"),
    "synthesize": ("/synthesize/", "curator", "No endpoint is configured"),
    "ingest": ("/ingest/", "curator", "Formats"),
    "curate": ("/curate/", "curator", "concur"),
    "recipe": ("/curate/concur/", "curator", "rows"),
    "releases": ("/releases/", "curator", "release create"),
    "analysis": ("/analysis/", "reader", "verif"),
    "runs": ("/runs/", "curator", "No run yet"),
    "leaderboard": ("/leaderboard/", "reader", "No task matches"),
    "views": ("/browse/views/", "annotator", "Save"),
    "tags": ("/browse/tags/", "annotator", "tag"),
    "maintenance": ("/maintenance/", "administrator", "index"),
    "operations": ("/operations/", "administrator", "No alert is raised"),
    "webhooks": ("/webhooks/", "administrator", "No webhooks yet"),
    "account": ("/account/", "reader", "token"),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_page_says_what_to_do(empty_site, visit, judge, name):
    path, role, says = EMPTY[name]
    page = visit(path, role)
    assert says.lower() in page.locator("main").inner_text().lower()
    judge.look(page, f"empty {name}")
