"""Tests that preferences go out and come in again as the same bytes, and that bad lines are refused by number."""

import json
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.db import connection

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Preference, PreferenceWithdrawal
from datasets_app.review import preferences
from datasets_app.review.preferences.records import (
    RecordError,
    exported_lines,
    import_preferences,
    parsed,
)
from tests.factories import make_sample

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled(ada, ben, pair):
    first = preferences.submit_preference(*pair, ada, "left", "“warp” \U0001f600\u202etail\u202c\nno race")
    preferences.withdraw_preference(first, ada, "misread\nthe loop")
    preferences.submit_preference(*pair, ada, "right")
    return preferences.submit_preference(*pair, ben, "tie", "the same")


def erase():
    """Empty the tables, as on another site: the models refuse it."""
    with connection.cursor() as cursor:
        for table in (PreferenceWithdrawal, Preference):
            cursor.execute(f"DELETE FROM {table._meta.db_table}")


def test_what_was_exported_comes_in_again_as_the_same_bytes(filled, tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    call_command("preferences", "export", str(first))
    erase()
    call_command("preferences", "import", str(first))
    call_command("preferences", "export", str(second))
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes().splitlines()) == 3
    assert Preference.objects.standing().count() == 2


def test_what_is_there_already_is_left_as_it_is(filled):
    done = import_preferences(COMMAND, list(exported_lines()))
    assert (done.stored, done.present, done.refused) == (0, 3, [])


def test_a_stored_preference_is_never_replaced(filled):
    line = list(exported_lines())[-1].replace("the same", "equal")
    [(number, reason)] = import_preferences(COMMAND, [line]).refused
    assert (number, "stored with other content" in reason) == (1, True)


def changed(line, **fields):
    return json.dumps({**json.loads(line), **fields}, ensure_ascii=False)


def test_a_second_standing_preference_of_one_reviewer_and_pair_is_refused(filled):
    line = changed(list(exported_lines())[-1], id=str(uuid4()))
    [(_, reason)] = import_preferences(COMMAND, [line]).refused
    assert "bén has another preference of this pair" in reason


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"left": str(uuid4())}, "There is no sample"),
        ({"task": str(uuid4())}, "not of the task"),
        ({"reviewer": "nobody"}, "No account is called nobody"),
        ({"choice": "best"}, "Choose left, right or tie"),
        ({"choice": None}, "Choose left, right or tie"),
        ({"reason": " padded "}, "not a preference as"),
        ({"created_at": "2026-01-01T00:00:00"}, "no time zone"),
        ({"withdrawal": {}}, "not a preference as"),
        ({"id": 7}, "not a preference as"),
    ],
)
def test_a_line_that_cannot_be_stored_is_refused_with_its_number_and_the_rest_is_kept(
    filled, fields, sentence
):
    lines = list(exported_lines())
    erase()
    done = import_preferences(COMMAND, [lines[1], changed(lines[2], **fields)])
    [(number, reason)] = done.refused
    assert (done.stored, number) == (1, 2)
    assert sentence in reason


def test_samples_of_two_tasks_are_refused(filled):
    line = changed(list(exported_lines())[-1], right=str(make_sample().pk))
    erase()
    assert "two tasks" in import_preferences(COMMAND, [line]).refused[0][1]


NOTHING = ["", "[]", "7", "null", "{", '"x"', "\ud800", "{}", '{"id": []}', "[" * 100_000]


@pytest.mark.parametrize("line", [*NOTHING, "x" * 300_000], ids=range(len(NOTHING) + 1))
def test_no_line_breaks_the_reader(line):
    with pytest.raises(RecordError):
        parsed(line)


def test_the_command_reports_refused_lines_and_fails(filled, tmp_path):
    path = tmp_path / "preferences.jsonl"
    path.write_text("{}\n")
    with pytest.raises(CommandError, match="0 preferences stored, 0 were there, 1 refused"):
        call_command("preferences", "import", str(path))


def test_only_an_administrator_brings_preferences_in(ada):
    with pytest.raises(PermissionDenied):
        import_preferences(ada, [])
