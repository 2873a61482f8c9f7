"""Reviews go out and come in again as the same bytes, and bad lines are refused by number."""

import json

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from datasets_app import review
from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Review, ReviewWithdrawal, Sample
from datasets_app.review.adjudicate import adjudicate
from datasets_app.review.json_lines import RecordError
from datasets_app.review.records import exported_lines, import_reviews, parsed
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled():
    """Three votes, one of them withdrawn, and an adjudication of one sample."""
    ada, ben, cleo = (acting(make_user("annotator", name)) for name in ("ada", "ben", "cleo"))
    sample = make_sample()
    first = review.submit_review(
        sample,
        ada,
        "reject",
        {"kernel_quality": 2, "correctness": 1},
        "“warp” \U0001f600\nno race",
        reasons=["cheat"],
    )
    review.withdraw_review(first, ada, "misread\nthe loop")
    review.submit_review(sample, ben, "accept", {"correctness": 5}, active_s=61)
    review.submit_review(sample, cleo, "reject", reasons=["cheat", "poor_code"])
    adjudicate(sample, acting(make_user("curator", "dora")), "fix", "both have a point")
    return sample


def erase():
    """Empty the tables, as on another site: the models refuse it."""
    with connection.cursor() as cursor:
        for table in (ReviewWithdrawal, Review):
            cursor.execute(f"DELETE FROM {table._meta.db_table}")
    Sample.objects.update(verdict="", reviewed_at=None)


def test_what_was_exported_comes_in_again_as_the_same_bytes(filled, tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    call_command("reviews", "export", str(first))
    before = Sample.objects.values("verdict", "reviewed_at", "votes", "agreement").get()
    erase()
    call_command("reviews", "import", str(first))
    call_command("reviews", "export", str(second))
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes().splitlines()) == 4
    assert Sample.objects.values("verdict", "reviewed_at", "votes", "agreement").get() == before
    assert before["verdict"] == "fix"


def test_what_is_there_already_is_left_as_it_is(filled):
    done = import_reviews(COMMAND, list(exported_lines()))
    assert (done.stored, done.present, done.refused) == (0, 4, [])


def test_a_stored_review_is_never_replaced(filled):
    line = list(exported_lines())[1].replace('"accept"', '"reject"')
    [(number, reason)] = import_reviews(COMMAND, [line]).refused
    assert number == 1
    assert "is stored with other content" in reason


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sample": "7a6b28e1-6f0a-5f6f-8f86-6f5b8c1d2e3f"}, "ingest it first"),
        ({"reviewer": "nobody"}, "make it first"),
        ({"rubric": 9}, "no version 9 of the rubric"),
        ({"rubric": True}, "not a review"),
        ({"scores": {"speed": 3}}, "speed is not a criterion"),
        ({"scores": {"correctness": 6}}, "from 1 to 5"),
        ({"scores": {"correctness": None}}, "not a review"),
        ({"reasons": ["ugly"]}, "ugly is not a reason"),
        ({"verdict": "maybe"}, "A verdict is one of"),
        ({"kind": "guess"}, "not a review"),
        ({"comment": " padded "}, "not a review"),
        ({"active_s": 1.5}, "not a review"),
        ({"active_s": -1}, "from 0 to 86,400"),
        ({"created_at": "2026-11-23T10:00:00"}, "no time zone"),
        ({"withdrawal": {"withdrawn_by": "ben", "reason": "", "created_at": "x"}}, "The reason is empty"),
        ({"id": "7"}, "not a review"),
    ],
)
def test_a_bad_line_is_refused_by_number_and_the_others_go_in(filled, change, said):
    lines = list(exported_lines())
    erase()
    lines[1] = json.dumps(json.loads(lines[1]) | change) + "\n"
    done = import_reviews(COMMAND, lines)
    assert done.stored == 3
    [(number, reason)] = done.refused
    assert number == 2
    assert said in reason


@given(st.text(max_size=60) | st.dictionaries(st.text(max_size=9), st.none() | st.integers()).map(json.dumps))
def test_no_line_breaks_the_reader(line):
    with pytest.raises(RecordError):
        parsed(line)


def test_only_administrators_import(filled):
    with pytest.raises(PermissionDenied):
        import_reviews(acting(make_user("curator")), [])


def test_the_command_names_bad_lines_and_files(tmp_path, capsys):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"a": 1}\n')
    with pytest.raises(CommandError, match="0 reviews stored, 0 were there, 1 refused"):
        call_command("reviews", "import", str(path))
    assert "line 1: This is not a review" in capsys.readouterr().err
    with pytest.raises(CommandError, match=r"absent\.jsonl"):
        call_command("reviews", "import", str(tmp_path / "absent.jsonl"))
