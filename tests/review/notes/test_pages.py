"""Tests of the notes on a sample's page: the form without JavaScript, the marks, and that nothing typed is lost."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from datasets_app.models import Note, NoteEntry, SampleBody
from datasets_app.review import notes
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
TRACE = "First a plan.\n\nWait, the `tail` is <b>lost</b>.\nSo mask it.\n"


@pytest.fixture
def sample():
    return make_sample(reasoning=TRACE)


@pytest.fixture
def note(sample):
    ben = acting(make_user("annotator", "ben"))
    return notes.create_note(sample, ben, [notes.lines_place(sample, "trace", 3)], "wrong_claim", "Is it?")


def form(sample, **fields):
    seen = {f"seen_{name}": notes.digest_of(text) for name, text in texts(sample).items()}
    return {
        "key": uuid4(),
        "text": "kernel",
        "first": "5",
        "last": "6",
        "comment": "my own words",
        **seen,
        **fields,
    }


def texts(sample):
    body = sample.body
    return {
        "program": sample.task.body.pytorch_code,
        "trace": body.reasoning,
        "kernel": body.kernel_code,
    }


def add(client, sample, **fields):
    return client.post(reverse("sample-notes", args=[sample.pk]), form(sample, **fields))


def page_of(client, sample):
    return client.get(sample.get_absolute_url()).content.decode()


def test_a_note_written_by_lines_is_on_the_page_with_its_lines_and_marked_in_the_pane(annotator, sample):
    response = add(annotator, sample, label="race")
    note = Note.objects.get()
    assert (response.status_code, response["Location"]) == (
        302,
        f"{sample.get_absolute_url()}#thread-{note.pk}",
    )
    page = page_of(annotator, sample)
    assert 'href="#kernel-L5">kernel, lines 5 to 6</a>' in page
    assert "my own words" in page
    assert f'<mark class="noted is-race depth-1" data-notes="{note.pk}">' in page
    assert '<span class="l has-note" id="kernel-L5">' in page


def test_a_marked_line_of_a_hostile_trace_stays_escaped(reader, sample, note):
    page = page_of(reader, sample)
    assert "&lt;b&gt;" in page
    assert "<b>lost" not in page
    assert f'data-notes="{note.pk}"' in page


def test_a_hostile_comment_is_shown_and_not_run(annotator, reader, sample):
    add(annotator, sample, comment="<script>alert(1)</script>\u202e")
    page = page_of(reader, sample)
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "\u202e" not in page


def test_two_tied_places_are_both_named(annotator, sample):
    add(
        annotator, sample, text="trace", first="3", last="", tied_text="kernel", tied_first="5", tied_last="7"
    )
    page = page_of(annotator, sample)
    assert "trace, line 3</a>" in page
    assert "kernel, lines 5 to 7</a>" in page


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"first": "900"}, "There is no line 900"),
        ({"first": ""}, "Say from which line."),
        ({"first": "nine"}, "Enter a whole number."),
        ({"first": "6", "last": "5"}, "The span ends before it begins"),
        ({"text": "feedback"}, "A note is on one of"),
        ({"tied_text": "trace"}, "choose no second place"),
        ({"label": "nonsense"}, "nonsense is not one of the available choices"),
        ({"key": "x"}, "The form lost its hidden fields"),
        ({"comment": "my own words" + "\x1b"}, "U+001B"),
        ({"comment": "my own words" * 1000}, "at most 10,000"),
    ],
)
def test_what_cannot_be_stored_comes_back_with_a_sentence_and_the_text(annotator, sample, fields, sentence):
    response = add(annotator, sample, **fields)
    page = response.content.decode()
    assert response.status_code == 400
    assert sentence in page
    assert "my own words" in page
    assert not Note.objects.exists()


def test_a_text_that_was_replaced_meanwhile_is_said_and_the_comment_kept(annotator, sample):
    typed = form(sample)
    SampleBody.objects.filter(sample=sample).update(kernel_code="class ModelNew:\n" * 9)
    response = annotator.post(reverse("sample-notes", args=[sample.pk]), typed)
    assert response.status_code == 409
    page = response.content.decode()
    assert "The kernel was replaced since you chose these lines" in page
    assert "my own words" in page
    assert notes.digest_of("class ModelNew:\n" * 9) in page


def test_a_sample_that_is_gone_gives_the_text_back(annotator, sample):
    response = annotator.post(reverse("sample-notes", args=[uuid4()]), form(sample))
    assert response.status_code == 404
    assert "my own words" in response.content.decode()


def test_a_form_sent_twice_is_stored_once_and_with_other_words_offered_again(annotator, sample):
    typed = form(sample)
    url = reverse("sample-notes", args=[sample.pk])
    assert [annotator.post(url, typed).status_code for _ in range(2)] == [302, 302]
    response = annotator.post(url, {**typed, "comment": "other words"})
    assert (response.status_code, Note.objects.count()) == (409, 1)
    assert "other words" in response.content.decode()


def test_answering_resolving_and_reopening_lead_back_to_the_thread(annotator, sample, note):
    back = f"{sample.get_absolute_url()}#thread-{note.pk}"
    for verb, fields in (("answer", {"said": "It is."}), ("resolve", {}), ("reopen", {})):
        response = annotator.post(reverse(f"note-{verb}", args=[note.pk]), fields)
        assert (response.status_code, response["Location"]) == (302, back)
    assert "It is." in page_of(annotator, sample)


def test_an_unknown_mention_is_reported(annotator, sample, note):
    response = annotator.post(reverse("note-answer", args=[note.pk]), {"said": "@nobody?"}, follow=True)
    assert "No account is called nobody" in response.content.decode()


def test_the_author_edits_and_withdraws_on_the_page_and_nothing_disappears(client, sample, note):
    client.force_login(note.author)
    client.post(reverse("note-edit", args=[note.pk]), {"said": "It is not.", "entry": note.entries.get().pk})
    client.post(reverse("note-withdraw", args=[note.pk]), {"said": "Misread."})
    page = page_of(client, sample)
    for words in ("It is not.", "Is it?", "Withdrawn by ben: ", "Misread."):
        assert words in page
    assert "<mark" not in page


def test_an_edit_that_another_tab_overtook_comes_back_with_both_texts(client, sample, note):
    client.force_login(note.author)
    url, entry = reverse("note-edit", args=[note.pk]), str(note.entries.get().pk)
    client.post(url, {"said": "first tab", "entry": entry, "seen": "0"})
    response = client.post(url, {"said": "second tab", "entry": entry, "seen": "0"})
    page = response.content.decode()
    assert response.status_code == 409
    assert "It now says: “first tab”" in page
    assert "second tab</textarea>" in page
    assert 'name="seen" value="1"' in page


def test_an_answer_to_a_note_withdrawn_meanwhile_comes_back_with_the_reason(annotator, note):
    notes.withdraw_note(note, acting(note.author), "Misread.")
    response = annotator.post(reverse("note-answer", args=[note.pk]), {"said": "my own words"})
    page = response.content.decode()
    assert response.status_code == 409
    assert "ben withdrew this note: “Misread.”" in page
    assert "my own words</textarea>" in page


def test_an_annotator_cannot_withdraw_another_ones_note(annotator, note):
    response = annotator.post(reverse("note-withdraw", args=[note.pk]), {"said": "I disagree."})
    assert response.status_code == 403
    assert "I disagree." in response.content.decode()
    assert NoteEntry.objects.count() == 1


def test_a_reader_sees_notes_and_no_form(reader, sample, note):
    page = page_of(reader, sample)
    assert "Is it?" in page
    assert "Add the note" not in page
    assert add(reader, sample).status_code == 403


def test_in_blind_review_a_hidden_note_is_neither_listed_nor_answered(annotator, sample, note, settings):
    settings.REVIEW_BLIND = True
    page = page_of(annotator, sample)
    assert "Is it?" not in page
    assert str(note.pk) not in page
    response = annotator.post(reverse("note-answer", args=[note.pk]), {"said": "my own words"})
    assert response.status_code == 404
    assert "my own words" in response.content.decode()


def test_a_part_of_a_long_kernel_that_is_loaded_later_has_its_marks(annotator):
    sample = make_sample(kernel="x = 1\n" * 5000 + "class ModelNew: pass\n")
    add(annotator, sample, first="4500", last="4501")
    url = reverse("sample-lines", args=[sample.pk])
    assert "has-note" in annotator.get(url, {"line": "4500"}).content.decode()
    assert "has-note" not in annotator.get(url, {"line": "1"}).content.decode()


def test_the_form_opens_with_the_lines_that_its_address_names(annotator, sample):
    page = annotator.get(
        reverse("sample-notes", args=[sample.pk]), {"text": "trace", "first": "3"}
    ).content.decode()
    assert '<option value="trace" selected>' in page
    assert 'name="first" min="1" required inputmode="numeric" value="3"' in page


def test_notes_add_a_fixed_number_of_queries_to_the_page(annotator, sample):
    for _ in range(3):
        add(annotator, sample)
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            page_of(annotator, sample)
        counts.append(len(queries))
        add(annotator, sample, comment="@ben why?")
    assert counts[0] == counts[1]


def test_the_review_page_shows_notes_and_marks_and_hides_them_in_a_blind_queue(annotator, sample, note):
    url = reverse("review-sample", args=[sample.pk])
    page = annotator.get(url).content.decode()
    assert "Is it?" in page
    assert f'data-notes="{note.pk}"' in page
    blind = annotator.get(url, {"blind": "1"}).content.decode()
    assert "Is it?" not in blind
    assert str(note.pk) not in blind
