"""A site with nothing in it: each page teaches what belongs there, and what to do first."""

import pytest

# One worker has all of these, before anything else: what fills the site comes after them.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("empty")]

# Path, who looks, and what the page must say: the one thing to do.
EMPTY = {
    "home": ("/", "administrator", "ingest"),
    "browse": ("/browse/", "annotator", "manage.py ingest"),
    "review": ("/review/", "annotator", "No sample is in this queue"),
    "verify": ("/verify/", "annotator", "make worker"),
    "ingest": ("/ingest/", "curator", "Formats"),
    "curate": ("/curate/", "curator", "concur"),
    "recipe": ("/curate/concur/", "curator", "rows"),
    "releases": ("/releases/", "curator", "release create"),
    "analysis": ("/analysis/", "reader", "verif"),
    "views": ("/browse/views/", "annotator", "Save"),
    "tags": ("/browse/tags/", "annotator", "tag"),
    "maintenance": ("/maintenance/", "administrator", "index"),
    "account": ("/account/", "reader", "token"),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_page_says_what_to_do(empty_site, visit, judge, name):
    path, role, says = EMPTY[name]
    page = visit(path, role)
    assert says.lower() in page.locator("main").inner_text().lower()
    judge.look(page, f"empty {name}")
