"""Drives one edit through the browser: proposed without JavaScript's help, passed, accepted, its difference read."""

import pytest

from datasets_app.models import Edit, Sample
from tests.browser.states.editing import conclude

pytestmark = pytest.mark.browser


def test_an_edit_from_the_editor_to_the_revision(site, visit, judge):
    page = visit(site.places["editor"], "annotator")
    kernel = page.locator("#edit-kernel")
    kernel.fill(kernel.input_value() + "\n# guarded, as the trace says\n")
    page.locator("#edit-reason").fill("the guard was missing")
    page.get_by_role("button", name="Show the difference").press("Enter")
    page.wait_for_selector("#difference")
    assert page.locator("#edit-reason").input_value() == "the guard was missing"
    judge.look(page, "editor with its difference")
    page.get_by_role("button", name="Propose the edit").press("Enter")
    page.wait_for_selector("#edit-status")
    assert "being verified" in page.locator("body").inner_text().lower()
    edit = Edit.objects.get(reason="the guard was missing")
    conclude(edit, "passed")
    page = visit(edit.get_absolute_url(), "curator")
    page.get_by_role("button", name="Accept the edit").press("Enter")
    page.wait_for_url("**/samples/**")
    assert "before this edit" in page.locator("body").inner_text()
    judge.look(page, "revision after its edit")
    edit.refresh_from_db()
    assert Sample.objects.get(pk=edit.revision_id).outcome == "passed"
