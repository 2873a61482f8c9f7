"""Tests that notes leave as JSON Lines and come in again as the same bytes, and that a faulty line says why."""

import json
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Note, NoteAnchor, NoteEntry
from datasets_app.review import notes
from datasets_app.review.notes.records import RecordError, exported_lines, import_notes, parsed
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
TRACE = "First a plan.\n\nWait, the \u202etail\u202c is “lost” \U0001f600.\n"


@pytest.fixture
def ben():
    return acting(make_user("annotator", "bén"))


@pytest.fixture
def filled(ada, ben):
    sample = make_sample(reasoning=TRACE)
    places = [notes.lines_place(sample, "trace", 3), notes.lines_place(sample, "kernel", 5)]
    note = notes.create_note(sample, ada, places, "self_correction", "see @bén\nand “this”")
    answer = notes.answer_note(note, ben, "No.")
    notes.edit_note(note, ben, "Not quite.", answer=answer.pk)
    notes.withdraw_note(note, ben, "Too short.", answer=answer.pk)
    notes.resolve_note(note, ada)
    notes.reopen_note(note, ben)
    other = notes.create_note(make_sample(), ben, [notes.Place("kernel", 0, 5)], "race")
    notes.withdraw_note(other, ben, "Misread.")
    return note


def erase():
    """Empty the tables, as on another site: the models refuse it."""
    with connection.cursor() as cursor:
        for table in (NoteEntry.mentions.through, NoteEntry, NoteAnchor, Note):
            cursor.execute(f"DELETE FROM {table._meta.db_table}")


def test_what_was_exported_comes_in_again_as_the_same_bytes(filled, tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    call_command("notes", "export", str(first))
    erase()
    call_command("notes", "import", str(first))
    call_command("notes", "export", str(second))
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes().splitlines()) == 2


def test_what_is_there_already_is_left_as_it_is(filled):
    done = import_notes(COMMAND, list(exported_lines()))
    assert (done.stored, done.present, done.refused) == (0, 2, [])


def test_a_stored_note_is_never_replaced_by_another_text(filled):
    line = next(exported_lines()).replace("Not quite.", "Quite.")
    [(number, reason)] = import_notes(COMMAND, [line]).refused
    assert (number, "stored with other content" in reason) == (1, True)


def changed(line, **fields):
    return json.dumps({**json.loads(line), **fields}, ensure_ascii=False)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"sample": str(uuid4())}, "There is no sample"),
        ({"author": "nobody"}, "No account is called nobody"),
        ({"label": "nonsense"}, "not a valid choice"),
        ({"entries": []}, "not a note as"),
        ({"anchors": []}, "not a note as"),
        ({"created_at": "2026-01-01T00:00:00"}, "no time zone"),
        ({"id": 7}, "not a note as"),
    ],
)
def test_a_line_that_cannot_be_stored_is_refused_with_its_number_and_the_rest_is_kept(
    filled, fields, sentence
):
    first, second = exported_lines()
    erase()
    done = import_notes(COMMAND, [second, changed(first, **fields)])
    [(number, reason)] = done.refused
    assert (done.stored, number) == (1, 2)
    assert sentence in reason


def test_an_edit_of_something_that_nobody_said_is_refused(filled):
    record = json.loads(next(exported_lines()))
    erase()
    record["entries"][2]["target"] = str(uuid4())
    assert import_notes(COMMAND, [json.dumps(record)]).refused
    assert not Note.objects.exists()


@given(
    st.text(max_size=60)
    | st.recursive(
        st.none() | st.integers() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["id", "sample", "author", "label", "anchors", "entries"]), inner
            )
        ),
        max_leaves=8,
    ).map(json.dumps)
)
def test_no_line_breaks_the_reader(line):
    with pytest.raises(RecordError):
        parsed(line)


def test_the_command_reports_refused_lines_and_fails(filled, tmp_path, capsys):
    path = tmp_path / "notes.jsonl"
    path.write_text("{}\n")
    with pytest.raises(CommandError, match="0 notes stored, 0 were there, 1 refused"):
        call_command("notes", "import", str(path))
    with pytest.raises(CommandError, match=r"missing\.jsonl"):
        call_command("notes", "import", str(tmp_path / "missing.jsonl"))


def test_only_an_administrator_brings_notes_in(ada):
    with pytest.raises(PermissionDenied):
        import_notes(ada, [])
