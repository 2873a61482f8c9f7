"""Tests of notes in a browser: by mouse, by keyboard alone, by touch, and without JavaScript."""

import os

import pytest

from datasets_app.models import Note
from datasets_app.review import notes
from datasets_app.review.notes.anchors import stored_text
from tests.axe import violations
from tests.factories import acting, make_sample, make_user
from tests.pages import open_page

__all__ = ["open_page"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TRACE = "The plan is simple.\n\nUse `scale_rows` once \U0001f600, not twice.\n\nWait, the tail is lost.\n"
SELECT = """([pane, first, from, last, to]) => {
  const point = (number, offset) => {
    const walker = document.createTreeWalker(document.getElementById(`${pane}-L${number}`), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (offset <= walker.currentNode.length) return [walker.currentNode, offset];
      offset -= walker.currentNode.length;
    }
  };
  getSelection().setBaseAndExtent(...point(first, from), ...point(last, to));
}"""


@pytest.fixture
def sample(transactional_db):
    return make_sample(reasoning=TRACE)


@pytest.fixture
def noted(sample):
    ben = acting(make_user("annotator", "ben"))
    for lines, label in (((1, 3), "key_insight"), ((3, 3), "wrong_claim"), ((3, 5), "self_correction")):
        note = notes.create_note(
            sample, ben, [notes.lines_place(sample, "trace", *lines)], label, "Look here."
        )
    notes.answer_note(note, ben, "Or there.")
    return sample


def spans():
    return [
        (anchor.text, stored_text(note.sample, anchor.text)[anchor.start : anchor.end])
        for note in Note.objects.all()
        for anchor in note.anchors.all()
    ]


def test_selected_words_become_a_note_on_exactly_these_characters(open_page, sample):
    page = open_page(sample.get_absolute_url())
    shown = "Use scale_rows once \U0001f600"
    page.evaluate(SELECT, ["trace", 3, 4, 3, len(shown.encode("utf-16-le")) // 2])
    page.get_by_role("button", name="Note on trace, line 3").click()
    page.keyboard.type("why once?")
    page.get_by_role("button", name="Add the note").click()
    page.get_by_text("why once?").first.wait_for()
    assert spans() == [("trace", "scale_rows` once \U0001f600")]


def test_lines_are_chosen_and_noted_by_keyboard_alone(open_page, sample):
    page = open_page(sample.get_absolute_url())
    page.locator("#pane-trace .pane-body").focus()
    for key in ("j", "j", "Shift+ArrowDown", "c"):
        page.keyboard.press(key)
    page.get_by_role("button", name="Tie it as the second place").wait_for()
    page.keyboard.type("it corrects itself")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("5")
    page.get_by_role("button", name="Add the note").press("Enter")
    page.get_by_text("it corrects itself").first.wait_for()
    assert Note.objects.get().label == "self_correction"
    assert spans() == [("trace", TRACE[TRACE.index("Use") :].rstrip("\n"))]


def test_two_places_are_tied_by_keyboard_alone(open_page, sample):
    page = open_page(sample.get_absolute_url())
    for pane, keys in (("trace", "j j c"), ("kernel", "j j j j j Shift+ArrowDown Shift+C")):
        page.locator(f"#pane-{pane} .pane-body").focus()
        for key in keys.split():
            page.keyboard.press(key)
        page.locator("#note-comment:focus").wait_for()
        page.keyboard.type("these words, ")
        page.keyboard.press("Escape")
    page.keyboard.press("Shift+C")
    page.get_by_role("button", name="Add the note").press("Enter")
    page.get_by_text("these words, these words,").first.wait_for()
    kernel = sample.body.kernel_code.split("\n")
    assert spans() == [("trace", TRACE.split("\n")[2]), ("kernel", "\n".join(kernel[4:6]))]


def test_on_a_phone_lines_are_tapped_and_a_selection_becomes_a_note(open_page, sample):
    page = open_page(sample.get_absolute_url(), width=390, touch=True)
    page.locator(".pane-switch label", has_text="Trace").tap()
    page.locator("#trace-L5 .ln").tap()
    page.get_by_role("button", name="Note on trace, line 5").wait_for()
    page.evaluate(SELECT, ["trace", 3, 4, 3, 14])
    page.get_by_role("button", name="Note on trace, line 3").tap()
    page.locator("#note-comment").fill("on a train")
    page.get_by_role("radio", name="race", exact=True).tap()
    page.get_by_role("button", name="Add the note").tap()
    page.get_by_text("on a train").first.wait_for()
    assert (Note.objects.get().label, spans()) == ("race", [("trace", "scale_rows")])


def test_a_closed_form_keeps_what_was_typed(open_page, sample):
    page = open_page(f"{sample.get_absolute_url()}#kernel-L5")
    page.keyboard.press("c")
    page.keyboard.type("half a thought")
    page.keyboard.press("Escape")
    assert not page.get_by_role("button", name="Add the note").is_visible()
    page.keyboard.press("c")
    assert page.locator("#note-comment").input_value() == "half a thought"


def test_the_pane_has_the_focus_again_when_the_form_is_closed(open_page, sample):
    page = open_page(sample.get_absolute_url())
    page.locator("#pane-kernel .pane-body").focus()
    for key in ("j", "c", "Escape", "j"):
        page.keyboard.press(key)
    assert page.evaluate("[document.activeElement.closest('.pane')?.id, location.hash]") == [
        "pane-kernel",
        "#kernel-L2",
    ]


def test_a_thread_lights_its_marks_and_a_mark_leads_to_its_thread(open_page, noted):
    page = open_page(noted.get_absolute_url())
    page.locator(".thread").first.hover()
    assert page.locator("mark.is-lit").count() > 0
    page.locator("mark.noted", has_text="Wait").click()
    newest = Note.objects.get(label="self_correction")
    assert page.evaluate("document.activeElement.id") == f"thread-{newest.pk}"


def test_without_javascript_a_note_is_written_by_lines(open_page, sample):
    page = open_page(sample.get_absolute_url(), javascript=False)
    page.get_by_text("Write a note on lines").click()
    page.get_by_label("from line").first.fill("5")
    page.get_by_label("Comment").fill("no script")
    page.get_by_role("radio", name="race").check()
    page.get_by_role("button", name="Add the note").click()
    page.locator(".thread").wait_for()
    assert Note.objects.get().label == "race"


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1440, "light"),
        (390, "dark"),
        pytest.param(1440, "dark", marks=pytest.mark.long),
        pytest.param(390, "light", marks=pytest.mark.long),
    ],
)
def test_the_page_with_notes_has_no_faults_for_assistive_technology(open_page, noted, width, scheme):
    page = open_page(noted.get_absolute_url(), width=width, scheme=scheme)
    page.locator(".thread").first.wait_for()
    if folder := os.environ.get("CONCUR_STATE_PICTURES"):
        page.screenshot(path=f"{folder}/notes-{scheme}-{width}.png", full_page=True)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
