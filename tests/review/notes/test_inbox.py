"""Tests of the inbox: what is in it, what takes it out, on the page, on home and by REST."""

import pytest
from django.urls import reverse

from datasets_app.models import NoteRead
from datasets_app.review import notes
from tests.factories import acting, make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db
TRACE = "First a plan.\n\nWait, the tail is lost.\n"


@pytest.fixture
def sample():
    return make_sample(reasoning=TRACE)


def written(sample, author, comment="is this a race?"):
    return notes.create_note(sample, author, [notes.lines_place(sample, "kernel", 1)], "race", comment)


def texts(actor):
    return [entry.text for entry in notes.inbox_of(actor)]


def test_mentions_and_answers_arrive_and_own_words_do_not(sample, ada, ben):
    mine, other = written(sample, ada, "hm, @ada"), written(sample, ben, "what does @ada think?")
    notes.answer_note(mine, ben, "no race")
    notes.answer_note(mine, ada, "sure?")
    notes.answer_note(mine, ben, "yes, I am")
    notes.answer_note(other, ben, "nobody is named")
    assert texts(ada) == ["yes, I am", "what does @ada think?"]  # answered since: the first was seen
    assert texts(ben) == []  # and what answered them was followed by an answer of their own


def test_one_who_answers_has_seen_what_came_before(sample, ada, ben):
    note = written(sample, ada)
    notes.answer_note(note, ben, "no race")
    assert [entry.names_me for entry in notes.inbox_of(ada)] == [False]
    notes.answer_note(note, ada, "then I resolve it")
    assert texts(ada) == []


def test_what_was_withdrawn_is_gone(sample, ada, ben):
    mine, other = written(sample, ada), written(sample, ben, "see @ada")
    answer = notes.answer_note(mine, ben, "no race")
    notes.withdraw_note(mine, ben, "misread", answer=answer.pk)
    notes.withdraw_note(other, ben, "misread")
    assert texts(ada) == []


def test_marking_an_entry_marks_those_before_it_and_no_later_one(sample, ada, ben):
    note = written(sample, ada)
    for said in ("one", "two", "three"):
        notes.answer_note(note, ben, said)
    middle = next(entry for entry in notes.inbox_of(ada) if entry.text == "two")
    assert notes.mark_seen(ada, [middle.pk]) == 1
    assert texts(ada) == ["three"]
    assert notes.mark_seen(ada, [middle.pk]) == 0
    assert notes.mark_seen(ben, [entry.pk for entry in notes.inbox_of(ada)]) == 0  # not theirs
    assert notes.mark_seen(ada, [entry.pk for entry in notes.inbox_of(ada)]) == 1
    assert NoteRead.objects.get().number == 4


def test_blind_reviewers_are_not_told_of_what_they_may_not_read(sample, ada, ben, settings):
    written(sample, ben, "see @ada")
    settings.REVIEW_BLIND = True
    assert texts(ada) == []
    assert len(texts(acting(make_user("curator", "cleo")))) == 0
    settings.REVIEW_BLIND = False
    assert texts(ada) == ["see @ada"]


def test_the_page_shows_hostile_text_as_text_and_marks_what_it_showed(client, sample, ada, ben):
    note = written(sample, ada)
    answer = notes.answer_note(note, ben, "<img src=x> \u202eback")
    client.force_login(ada.user)
    text = client.get(reverse("inbox")).content.decode()
    assert "&lt;img src=x&gt;" in text
    assert "\u202e" not in text
    assert note.get_absolute_url() in text
    notes.answer_note(note, ben, "came later")
    client.post(reverse("inbox"), {"entry": [str(answer.pk), "nonsense"]})
    assert texts(ada) == ["came later"]
    assert "note for you that you have not seen" in client.get("/").content.decode()
    client.post(reverse("inbox"), {"entry": [str(entry.pk) for entry in notes.inbox_of(ada)]})
    assert "Nothing new" in client.get(reverse("inbox")).content.decode()
    assert reverse("inbox") in client.get("/browse/").content.decode()


def test_rest_lists_and_marks(client, sample, ada, ben):
    note = written(sample, ben, "see @ada")
    client.force_login(ada.user)
    (row,) = client.get("/api/v1/inbox/").json()["results"]
    assert (row["note"], row["sample"], row["author"], row["reason"]) == (
        str(note.pk), str(sample.pk), "ben", "mention",
    )  # fmt: skip
    for seen in (1, 0):
        answer = client.post("/api/v1/inbox/", {"entries": [row["id"]]}, "application/json")
        assert (answer.status_code, answer.json()) == (200, {"seen": seen})
    assert client.post("/api/v1/inbox/", {"entries": []}, "application/json").status_code == 400


def test_the_page_costs_the_same_queries_however_much_is_in_it(
    client, ada, ben, django_assert_max_num_queries
):
    make_queue("unrelated", acting(make_user("curator")))
    for _ in range(6):
        written(make_sample(reasoning=TRACE), ben, "see @ada")
    client.force_login(ada.user)
    with django_assert_max_num_queries(
        4
    ):  # session, account with role, the entries, and what blind queues hide
        client.get(reverse("inbox"))
