"""Tests of the pages that compare two: sides, what is hidden, undo with its text, and errors that lose nothing."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from datasets_app.models import Preference
from datasets_app.review.preferences import submit_preference
from datasets_app.review.preferences.pairs import sided
from tests.factories import make_sample, make_task, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def site(client, ada):
    client.force_login(ada.user)
    return client


def address(actor, pair):
    return reverse("compare-pair", args=sided(actor.user.pk, *(one.pk for one in pair)))


def form(choice="left", reason="", **more):
    return {"key": str(uuid4()), "choice": choice, "reason": reason, **more}


def test_the_next_pair_opens_with_sides_of_its_own_which_stay_the_same(site, ada, pair):
    first = site.get(reverse("compare-next"))
    assert first.url == address(ada, pair)
    assert site.get(first.url).status_code == 200
    assert site.get(reverse("compare-next")).url == first.url


def test_a_choice_is_stored_and_the_start_page_says_that_no_pair_is_left(site, ada, pair):
    answer = site.post(address(ada, pair), form("right", "no race"), follow=True)
    stored = Preference.objects.get()
    assert (stored.choice, stored.reason) == ("right", "no race")
    assert (stored.left_id, stored.right_id) == sided(ada.user.pk, pair[0].pk, pair[1].pk)
    assert "No pair is left for you" in answer.content.decode()


def test_a_skipped_pair_is_not_the_next_one_while_another_task_has_some(site, ada, pair):
    make_sample(other := make_task())
    make_sample(other)
    skipped = site.get(f"{reverse('compare-next')}?after={pair[0].task_id}").url
    assert skipped != address(ada, pair)


def test_undo_takes_the_choice_back_and_opens_it_again_with_its_text(site, ada, pair):
    site.post(address(ada, pair), form("left", "fewer <b>syncs</b>"))
    page = site.post(reverse("compare-undo"), follow=True).content.decode()
    assert not Preference.objects.standing().exists()
    assert "You took this choice back: left is better." in page
    assert "fewer &lt;b&gt;syncs&lt;/b&gt;</textarea>" in page
    site.post(address(ada, pair), form("tie"))
    assert Preference.objects.standing().get().choice == "tie"


def test_undo_without_a_choice_says_so(site):
    page = site.post(reverse("compare-undo"), follow=True).content.decode()
    assert "There is no choice of yours to take back." in page


def test_nobody_takes_back_the_choice_of_another(site, ben, pair):
    other = submit_preference(*pair, ben, "left")
    assert site.post(reverse("compare-undo"), {"preference": other.pk}).status_code == 404
    assert Preference.objects.standing().exists()


def test_a_blind_site_hides_who_wrote_the_kernels_until_the_choice(site, ada, settings):
    settings.REVIEW_BLIND = True
    task = make_task()
    pair = [make_sample(task, generator="oracle-9b", claimed_speedup=7.25) for _ in range(2)]
    before = site.get(address(ada, pair)).content.decode()
    assert "oracle-9b" not in before
    assert "7.25" not in before
    assert "This site reviews blind" in before
    site.post(address(ada, pair), form("left"))
    after = site.get(address(ada, pair)).content.decode()
    assert "oracle-9b" in after
    assert "7.25" in after
    assert "You chose:" in after


def test_an_open_site_shows_the_evidence_of_both(site, ada):
    task = make_task()
    pair = [make_sample(task, generator=f"oracle-{size}b", claimed_speedup=7.25) for size in (9, 70)]
    page = site.get(address(ada, pair)).content.decode()
    assert "oracle-9b" in page
    assert "oracle-70b" in page


def test_the_difference_is_one_press_away_and_keeps_the_text(site, ada, pair):
    page = site.post(address(ada, pair), {**form(reason="so far"), "show": "difference"}).content.decode()
    assert "Lines that differ" in page
    assert "so far</textarea>" in page
    assert not Preference.objects.exists()


@pytest.mark.parametrize(
    ("fields", "status", "sentence"),
    [
        (form("best", "typed words"), 400, "Choose left, right or tie."),
        (form("left", "typed words " * 1000), 400, "The reason has"),
        (form("left", "typed words", key="lost"), 400, "lost its hidden fields"),
    ],
)
def test_a_refused_form_comes_back_with_a_sentence_and_its_text(site, ada, pair, fields, status, sentence):
    answer = site.post(address(ada, pair), fields)
    assert answer.status_code == status
    assert sentence in answer.content.decode()
    assert "typed words" in answer.content.decode()
    assert not Preference.objects.exists()


def test_a_repeated_form_is_stored_once_and_a_used_key_is_renewed_with_the_text(site, ada, pair):
    third = make_sample(pair[0].task)
    fields = form("left", "typed words")
    for _ in range(2):
        assert site.post(address(ada, pair), fields).status_code == 302
    answer = site.post(address(ada, [pair[0], third]), {**fields, "reason": "other words"})
    page = answer.content.decode()
    assert (answer.status_code, Preference.objects.count()) == (409, 1)
    assert "already stored with other content" in page
    assert "other words</textarea>" in page
    assert fields["key"] not in page


def test_a_second_choice_from_another_tab_is_refused_with_its_text(site, ada, pair):
    site.post(address(ada, pair), form("left"))
    answer = site.post(address(ada, pair), form("right", "typed words"))
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "You have compared these two samples already" in page
    assert "typed words</textarea>" in page


def test_a_pair_that_is_not_there_gives_the_text_back(site, pair):
    for other in (uuid4(), make_sample().pk, pair[0].pk):
        answer = site.post(reverse("compare-pair", args=[pair[0].pk, other]), form("left", "typed words"))
        assert answer.status_code == 404
        assert "typed words</textarea>" in answer.content.decode()


def test_a_visitor_signs_in_first_and_a_reader_may_not_compare(client, ada, pair):
    assert client.post(address(ada, pair), form()).status_code == 302
    client.force_login(make_user("reader"))
    assert client.post(address(ada, pair), form()).status_code == 403
    assert not Preference.objects.exists()


def test_hostile_kernels_and_traces_are_escaped(site, ada):
    task = make_task()
    text = "class ModelNew:\n    x = '<script>alert(1)</script>'\n"
    pair = [make_sample(task, kernel=f"{text}# {n}", reasoning=f"<img src=x> {n}") for n in (1, 2)]
    page = site.get(address(ada, pair)).content.decode()
    assert "<script>alert" not in page
    assert "<img src=x>" not in page


def test_a_pair_takes_as_many_queries_whatever_was_compared(site, ada, ben, pair):
    def queries():
        with CaptureQueriesContext(connection) as caught:
            assert site.get(address(ada, pair)).status_code == 200
        return len(caught)

    queries()
    few = queries()
    for _ in range(5):
        submit_preference(pair[0], make_sample(pair[0].task), ben, "left")
    assert queries() == few
