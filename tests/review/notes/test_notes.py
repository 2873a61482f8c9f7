"""Tests of the verbs of notes: what is stored, who may, and that nothing is erased or stored twice."""

from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied

from datasets_app.models import AppendOnlyError, AuditEntry, Note, NoteEntry, SampleBody
from datasets_app.review import KeyReusedError, notes, submit_review
from datasets_app.review.notes import verbs
from datasets_app.review.notes.anchors import Place
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
TRACE = "First a plan.\n\nWait, the tail is lost.\nSo mask it.\n"


@pytest.fixture
def sample():
    return make_sample(reasoning=TRACE)


@pytest.fixture
def note(sample, ada):
    return write(sample, ada)


def write(sample, actor, start=15, end=20, label="self_correction", comment="it finds its own fault", **more):
    return notes.create_note(sample, actor, [Place("trace", start, end)], label, comment, **more)


def thread(sample, actor):
    (only,) = notes.notes_of(sample, actor).threads
    return only


def test_a_note_keeps_its_span_its_label_and_what_was_there(sample, ada):
    write(sample, ada)
    row = thread(sample, ada)
    (place,) = row.anchors
    assert (row.label, row.opening.text, row.state) == ("self-correction", "it finds its own fault", "open")
    assert (place.anchor.quote, place.lines, place.fragment) == ("Wait,", (3, 3), "trace-L3")
    assert AuditEntry.objects.get(action="note.create").target_id == str(sample.pk)


def test_two_places_can_be_tied(sample, ada):
    places = [Place("trace", 0, 13), notes.lines_place(sample, "kernel", 5, 7)]
    notes.create_note(sample, ada, places, "key_insight")
    assert [place.words for place in thread(sample, ada).anchors] == ["trace, line 1", "kernel, lines 5 to 7"]


def test_answers_form_a_thread_in_their_order(sample, note, ada, ben):
    notes.answer_note(note, ben, "Is it?")
    notes.answer_note(note, ada, "It is.\r\n")
    said = [(one.entry.author.username, one.text) for one in thread(sample, ada).answers]
    assert said == [("ben", "Is it?"), ("ada", "It is.")]


def test_a_note_is_resolved_and_reopened_by_anybody_who_annotates(sample, note, ada, ben):
    notes.resolve_note(note, ben)
    notes.resolve_note(note, ada)
    assert thread(sample, ada).state == "resolved"
    notes.reopen_note(note, ada)
    assert thread(sample, ada).state == "open"
    assert [entry.kind for entry in thread(sample, ada).changes] == ["resolve", "reopen"]


def test_an_edit_keeps_the_earlier_text(sample, note, ada):
    notes.edit_note(note, ada, "it says so itself")
    opening = thread(sample, ada).opening
    assert (opening.text, [entry.text for entry in opening.earlier]) == (
        "it says so itself",
        ["it finds its own fault"],
    )


def test_only_its_author_edits_a_text(note, ben, cleo):
    for other in (ben, cleo):
        with pytest.raises(notes.NoteError, match="Only ada may edit"):
            notes.edit_note(note, other, "mine now")


def test_an_edit_that_another_page_overtook_is_refused_with_the_newer_text(sample, note, ada):
    notes.edit_note(note, ada, "from the first tab", seen=0)
    with pytest.raises(notes.NoteEditedError, match="from the first tab"):
        notes.edit_note(note, ada, "from the second tab", seen=0)
    notes.edit_note(note, ada, "from the second tab", seen=1)
    assert thread(sample, ada).opening.text == "from the second tab"


def test_a_withdrawn_note_stays_with_its_reason_and_takes_nothing_more(sample, note, ada, ben):
    notes.withdraw_note(note, ada, "I misread the mask.")
    row = thread(sample, ben)
    assert (row.state, row.withdrawn.text, row.opening.text) == (
        "withdrawn",
        "I misread the mask.",
        "it finds its own fault",
    )
    for act in (
        lambda: notes.answer_note(note, ben, "Why?"),
        lambda: notes.edit_note(note, ada, "no"),
        lambda: notes.resolve_note(note, ben),
        lambda: notes.reopen_note(note, ben),
        lambda: notes.withdraw_note(note, ada, "again"),
    ):
        with pytest.raises(notes.NoteClosedError, match=r"ada withdrew this note: “I misread the mask\.”"):
            act()


def test_an_answer_is_withdrawn_alone(sample, note, ada, ben):
    answer = notes.answer_note(note, ben, "No.")
    notes.withdraw_note(note, ben, "Too short.", answer=answer.pk)
    row = thread(sample, ada)
    assert (row.state, row.answers[0].text, row.answers[0].withdrawn.text) == ("open", "No.", "Too short.")
    with pytest.raises(notes.NoteClosedError):
        notes.edit_note(note, ben, "Yes.", answer=answer.pk)


def test_a_curator_withdraws_any_note_and_another_annotator_none(sample, note, ben, cleo):
    with pytest.raises(PermissionDenied):
        notes.withdraw_note(note, ben, "I disagree.")
    notes.withdraw_note(note, cleo, "Off the subject.")
    assert thread(sample, ben).state == "withdrawn"


def test_a_withdrawal_needs_a_reason(note, ada):
    with pytest.raises(notes.NoteError, match="The reason is empty"):
        notes.withdraw_note(note, ada, "  ")


def test_a_reader_writes_nothing(sample, note):
    reader = acting(make_user("reader"))
    for act in (
        lambda: write(sample, reader),
        lambda: notes.answer_note(note, reader, "x"),
        lambda: notes.resolve_note(note, reader),
    ):
        with pytest.raises(PermissionDenied):
            act()


def test_no_row_can_be_changed_or_deleted(note):
    for row in (note, note.anchors.get(), note.entries.get()):
        with pytest.raises(AppendOnlyError):
            row.save()
        with pytest.raises(AppendOnlyError):
            row.delete()


def test_a_repeated_submission_is_stored_once(sample, ada, note):
    key = uuid4()
    assert write(sample, ada, key=key) == write(sample, ada, key=key)
    assert notes.answer_note(note, ada, "Yes.", key) == notes.answer_note(note, ada, "Yes. ", key)
    assert (Note.objects.count(), NoteEntry.objects.count()) == (2, 3)


def test_a_key_with_other_content_is_refused(sample, ada, ben, note):
    key = uuid4()
    write(sample, ada, key=key)
    with pytest.raises(KeyReusedError):
        write(sample, ada, end=21, key=key)
    with pytest.raises(KeyReusedError):
        write(sample, ben, key=key)
    notes.answer_note(note, ada, "Yes.", note.pk)
    with pytest.raises(KeyReusedError):
        notes.answer_note(note, ada, "No.", note.pk)


def test_mentioned_accounts_are_found_and_unknown_ones_named(note, ada, ben):
    entry = notes.answer_note(note, ada, "See @ben, @nobody and mail a@ben.example.")
    assert list(entry.mentions.all()) == [ben.user]
    assert notes.unknown_mentions("See @ben, @nobody.") == ["nobody"]


@pytest.mark.parametrize(
    ("start", "end"), [(-1, 3), (3, 3), (5, 3), (0, len(TRACE) + 1), (10**12, 10**12 + 1)]
)
def test_offsets_out_of_range_are_refused_with_a_sentence(sample, ada, start, end):
    with pytest.raises(notes.NoteError, match="has 51 characters"):
        write(sample, ada, start, end)
    assert not Note.objects.exists()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"label": "nonsense"}, "A label is one of: key_insight, redundant"),
        ({"label": "", "comment": " "}, "Choose a label or write a comment"),
        ({"comment": "x" * 10_001}, "10,001 characters; at most 10,000"),
        ({"comment": "\x1b[2J"}, "U\\+001B"),
    ],
)
def test_invalid_fields_are_refused_with_a_sentence(sample, ada, fields, sentence):
    with pytest.raises(notes.NoteError, match=sentence):
        write(sample, ada, **fields)


def test_a_sample_without_a_trace_has_no_place_in_one(ada):
    with pytest.raises(notes.NoteError, match="This sample has no trace"):
        write(make_sample(reasoning=""), ada)


def test_a_person_has_so_many_places_on_a_sample(sample, ada, ben, monkeypatch):
    monkeypatch.setattr(verbs, "MOST_ANCHORS", 2)
    write(sample, ada)
    write(sample, ada)
    with pytest.raises(notes.NoteError, match="You have 2 places on this sample; at most 2"):
        write(sample, ada)
    write(sample, ben)


def test_a_person_writes_so_much_in_a_minute(sample, ada, monkeypatch):
    monkeypatch.setattr(verbs, "MOST_PER_MINUTE", 2)
    note = write(sample, ada)
    notes.answer_note(note, ada, "one")
    with pytest.raises(notes.NoteError, match="At most 2 entries a minute"):
        notes.answer_note(note, ada, "two")


def test_a_thread_ends_somewhere_but_can_still_be_withdrawn(note, ada, monkeypatch):
    monkeypatch.setattr(verbs, "MOST_ENTRIES", 1)
    with pytest.raises(notes.NoteError, match="write a new note"):
        notes.answer_note(note, ada, "one")
    notes.withdraw_note(note, ada, "Full.")


def test_a_note_of_a_replaced_text_is_kept_and_marked(sample, note, ada):
    SampleBody.objects.filter(sample=sample).update(reasoning="Another trace altogether.")
    sample.body.refresh_from_db()
    row = thread(sample, ada)
    assert (row.anchors[0].is_current, row.anchors[0].words) == (False, "an earlier trace")
    assert row.anchors[0].anchor.quote == "Wait,"
    assert notes.spans_of([row]) == {}


def test_a_span_chosen_in_a_replaced_text_is_refused(sample, ada):
    with pytest.raises(notes.TextReplacedError, match="The trace was replaced"):
        notes.create_note(sample, ada, [Place("trace", 0, 3, notes.digest_of("an older trace"))], "race")


def test_withdrawn_notes_are_not_drawn_and_resolved_ones_are_quiet(sample, ada):
    one, other, third = write(sample, ada), write(sample, ada), write(sample, ada)
    notes.withdraw_note(one, ada, "No.")
    notes.resolve_note(other, ada)
    drawn = notes.spans_of(notes.notes_of(sample, ada).threads)["trace"]
    assert {span.key for span in drawn.spans} == {str(other.pk), str(third.pk)}
    assert (drawn.labels[str(other.pk)], drawn.labels[str(third.pk)]) == ("resolved", "self_correction")


def test_in_blind_review_other_peoples_notes_appear_with_ones_own_review(
    sample, note, ada, ben, cleo, settings
):
    settings.REVIEW_BLIND = True
    assert (notes.notes_of(sample, ben).threads, notes.notes_of(sample, ben).is_blind) == ([], True)
    assert len(notes.notes_of(sample, ada).threads) == len(notes.notes_of(sample, cleo).threads) == 1
    submit_review(sample, ben, "accept")
    assert len(notes.notes_of(sample, ben).threads) == 1


@pytest.mark.parametrize("count", [1, 5])
def test_reading_notes_takes_as_many_queries_for_one_as_for_many(
    sample, ada, ben, count, django_assert_num_queries
):
    for _ in range(count):
        notes.answer_note(write(sample, ada), ben, "@ada why?")
    with django_assert_num_queries(5):
        for row in notes.notes_of(sample, ada).threads:
            assert [str(one.entry.author) for one in (row.opening, *row.answers)] == ["ada", "ben"]


def test_more_notes_than_a_page_shows_are_counted(sample, ada, monkeypatch):
    from datasets_app.review.notes import threads

    monkeypatch.setattr(threads, "MOST_SHOWN", 2)
    for _ in range(3):
        write(sample, ada)
    found = notes.notes_of(sample, ada)
    assert (len(found.threads), found.more) == (2, 1)
