"""Tests that suggestions leave as JSON Lines and come in again as the same bytes, and that a faulty line says why."""

import json

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from datasets_app import review
from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Suggestion, SuggestionAnswer, SuggestionSource
from datasets_app.review import suggestions
from datasets_app.review.suggestions.records import RecordError, exported_lines, import_suggestions, parsed
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
TRACE = "First a plan.\n\nWait, the \u202etail\u202c is “lost” \U0001f600.\n"


@pytest.fixture
def filled(ada):
    """Store a verdict that was taken and then saved, a span that was dropped, a rule's one, and a withdrawn one."""
    sample, program = make_sample(reasoning=TRACE), acting(make_user("annotator", "critic’s programme"))
    rows = [
        {
            "verdict": "fix",
            "scores": {"kernel_quality": 2, "correctness": 4},
            "words": "the “tail”",
            "confidence": 0.1,
        },
        {"text": "trace", "start": 15, "end": 30, "label": "redundant", "words": "said before"},
        {"scores": {"correctness": 1}, "words": "withdrawn"},
    ]
    sent = [{"sample": str(sample.pk), **row} for row in rows]
    posted = suggestions.post_suggestions(program, "critic", "2.1", sent[:2])
    posted += suggestions.post_suggestions(program, "critic", "2.2", sent[2:])
    verdict, span, gone = (one.suggestion for one in posted)
    suggestions.withdraw_suggestion(gone, program)
    fields = {
        "maker": "refused-by-engine",
        "version": "1",
        "kind": "verdict",
        "verdict": "reject",
        "words": "refused",
    }
    Suggestion.objects.create(
        sample=sample, source=SuggestionSource.EVIDENCE, basis="verification:1", **fields
    )
    for one in (verdict, span):
        SuggestionAnswer.objects.create(suggestion=one, reviewer=ada.user)
    suggestions.take(sample, verdict.pk, ada)
    suggestions.drop(sample, span.pk, ada)
    review.submit_review(sample, ada, "accept", {"correctness": 4})
    return verdict


def erase():
    """Empty the tables, as on another site to which the reviews have been brought."""
    with connection.cursor() as cursor:
        for model in (SuggestionAnswer, Suggestion):
            cursor.execute(f"DELETE FROM {model._meta.db_table}")


def test_what_was_exported_comes_in_again_as_the_same_bytes(filled, tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    call_command("suggestions", "export", str(first))
    erase()
    call_command("suggestions", "import", str(first))
    call_command("suggestions", "export", str(second))
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes().splitlines()) == 4
    answer = SuggestionAnswer.objects.get(suggestion=filled)
    assert (answer.reply, answer.agreed, answer.review.verdict) == ("overruled", False, "accept")


def test_what_is_there_already_is_left_as_it_is(filled):
    lines = list(exported_lines())
    done = import_suggestions(COMMAND, lines)
    assert (done.stored, done.present, done.refused) == (0, 4, [])
    Suggestion.objects.filter(pk=filled.pk).update(words="other words")
    done = import_suggestions(COMMAND, lines)
    assert (done.stored, done.present, len(done.refused)) == (0, 3, 1)
    assert "stored with other content" in done.refused[0][1]


def test_only_administrators_import(ada, filled):
    with pytest.raises(PermissionDenied):
        import_suggestions(ada, [])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sample": "00000000-0000-0000-0000-000000000001"}, "There is no sample"),
        ({"posted_by": "nobody"}, "No account is called nobody"),
        ({"posted_by": None}, "This is not a suggestion"),
        ({"verdict": "perfect"}, "is not a valid choice"),
        ({"verdict": "", "scores": {}}, "This is not a suggestion"),
        ({"scores": {"correctness": 6}}, "This is not a suggestion"),
        ({"confidence": 2}, "suggestion_confidence_0_to_1"),
        ({"text": "trace", "start": 1, "end": 3}, "suggestion_span_has_place"),
        ({"words": "a\u0000b"}, "The reason"),
        ({"created_at": "2026-11-25T08:00:00"}, "has no time zone"),
        ({"answers": None}, "This is not a suggestion"),
    ],
)
def test_a_line_that_nobody_could_have_sent_says_what_is_wrong(filled, change, said):
    record = next(row for row in map(json.loads, exported_lines()) if row["id"] == str(filled.pk))
    with pytest.raises(RecordError, match=said):
        parsed(json.dumps({**record, **change}))


def test_a_reply_names_a_review_that_is_here(filled, tmp_path):
    record = next(row for row in map(json.loads, exported_lines()) if row["id"] == str(filled.pk))
    record["answers"][0]["review"] = "00000000-0000-0000-0000-000000000001"
    erase()
    file = tmp_path / "lines.jsonl"
    file.write_text(json.dumps(record) + "\n")
    with pytest.raises(CommandError, match="1 refused"):
        call_command("suggestions", "import", str(file))
    assert not Suggestion.objects.exists()


def test_two_suggestions_of_one_maker_for_one_sample_are_one(filled):
    record = next(row for row in map(json.loads, exported_lines()) if row["id"] == str(filled.pk))
    record |= {"id": "00000000-0000-0000-0000-000000000002", "created_at": timezone.now().isoformat()}
    ((_, said),) = import_suggestions(COMMAND, [json.dumps(record)]).refused
    assert "suggested this for the sample already" in said
