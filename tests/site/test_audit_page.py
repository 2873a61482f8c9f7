"""Tests of the audit log's page: in words, filtered, for administrators."""

import pytest

from concur_site.audit_page import ENTRIES_PER_PAGE
from datasets_app.accounts import audit
from datasets_app.accounts.actor import COMMAND
from datasets_app.models import AuditEntry
from tests.factories import acting, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    ada, grace = make_user("curator", "ada"), make_user("curator", "grace")
    audit.record(acting(ada), "recipe.create", ada, name="kernels")
    audit.record(acting(grace), "tag.create", grace, name="<b>bold</b>")
    return ada


def shown(client, **query):
    text = client.get("/people/audit/", query).content.decode()
    return [name for name in ("created the recipe kernels", "created the tag") if name in text]


BOTH = ["created the recipe kernels", "created the tag"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, BOTH),
        ({"person": "ada"}, BOTH[:1]),
        ({"person": "ad"}, []),
        ({"action": "tag"}, BOTH[1:]),
        ({"object": "kernels"}, BOTH[:1]),
        ({"object": "user"}, BOTH),
        ({"object": "nothing"}, []),
        ({"first_day": "2999-01-01"}, []),
        ({"last_day": "1999-01-01"}, []),
        ({"first_day": "1999-01-01", "last_day": "9999-12-31"}, BOTH),
    ],
)
def test_a_filter_shows_the_entries_that_match(administrator, ada, query, expected):
    assert shown(administrator, **query) == expected


def test_names_of_others_are_shown_as_text(administrator, ada):
    assert b"<b>bold" not in administrator.get("/people/audit/").content


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"first_day": "yesterday", "person": "ada"}, "Enter a day as YYYY-MM-DD."),
        ({"first_day": "2026-02-01", "last_day": "2026-01-01", "person": "ada"}, "is after the last day"),
    ],
)
def test_a_bad_filter_is_answered_with_a_sentence_and_kept(administrator, query, sentence):
    answer = administrator.get("/people/audit/", query)
    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert 'value="ada"' in answer.content.decode()


def test_older_entries_are_reached_under_the_same_filter(administrator, ada, django_assert_max_num_queries):
    for number in range(ENTRIES_PER_PAGE + 1):
        audit.record(COMMAND, "tag.create", ada, name=f"tag-{number}")
    with django_assert_max_num_queries(5):
        first = administrator.get("/people/audit/?person=command").content.decode()
    assert "tag tag-1<" in first
    assert "tag tag-0<" not in first
    last = AuditEntry.objects.filter(detail__name="tag-1").get().pk
    assert f"?person=command&amp;before={last}" in first
    second = administrator.get(f"/people/audit/?person=command&before={last}").content.decode()
    assert "tag tag-0<" in second
    assert "Older entries" not in second


def test_the_log_is_for_administrators(curator):
    assert curator.get("/people/audit/").status_code == 403
