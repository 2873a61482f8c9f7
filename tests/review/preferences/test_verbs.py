"""Tests that a preference is stored once, stands once per reviewer and pair, and is withdrawn with a reason."""

from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied

from datasets_app.accounts.actor import COMMAND
from datasets_app.ingest.withdraw import restore_sample, withdraw_sample
from datasets_app.models import AuditEntry, Preference, PreferenceWithdrawal
from datasets_app.models.append_only import AppendOnlyError
from datasets_app.review import KeyReusedError, preferences
from datasets_app.review.preferences.verbs import TAKEN_BACK
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


def test_a_preference_is_stored_with_its_sides_and_audited(ada, pair):
    given = preferences.submit_preference(*pair, ada, "left", " Coalesced.\r\nNo race. ")
    stored = Preference.objects.get()
    assert (stored.left, stored.right, stored.task) == (*pair, pair[0].task)
    assert (stored.choice, stored.reason, stored.reviewer) == ("left", "Coalesced.\nNo race.", ada.user)
    assert AuditEntry.objects.filter(action="preference.submit", actor=ada.user).count() == 1
    with pytest.raises(AppendOnlyError):
        given.save()
    with pytest.raises(AppendOnlyError):
        given.delete()


def test_a_repeated_submission_is_stored_once_and_a_key_with_other_content_is_refused(ada, ben, pair):
    key = uuid4()
    first = preferences.submit_preference(*pair, ada, "tie", "same", key)
    assert preferences.submit_preference(*pair, ada, "tie", "same", key) == first
    for actor, choice in ((ada, "left"), (ben, "tie")):
        with pytest.raises(KeyReusedError):
            preferences.submit_preference(*pair, actor, choice, "same", key)
    assert Preference.objects.count() == 1


def test_a_second_choice_of_one_reviewer_is_refused_whichever_side_it_is_on(ada, ben, pair):
    left, right = pair
    preferences.submit_preference(left, right, ada, "left")
    with pytest.raises(preferences.AlreadyComparedError, match="Take that choice back first"):
        preferences.submit_preference(right, left, ada, "left")
    preferences.submit_preference(right, left, ben, "left")
    assert Preference.objects.count() == 2


@pytest.mark.parametrize(
    ("choice", "reason", "sentence"),
    [
        ("best", "", "Choose left, right or tie."),
        ("left", "x" * 10_001, "10,001 characters"),
        ("left", "a\x07b", "invisible"),
    ],
)
def test_invalid_fields_are_refused_with_a_sentence(ada, pair, choice, reason, sentence):
    with pytest.raises(preferences.PreferenceError, match=sentence):
        preferences.submit_preference(*pair, ada, choice, reason)


def test_only_two_different_samples_of_one_task_are_compared(ada, pair):
    with pytest.raises(preferences.PreferenceError, match="two tasks"):
        preferences.submit_preference(pair[0], make_sample(), ada, "left")
    with pytest.raises(preferences.PreferenceError, match="with itself"):
        preferences.submit_preference(pair[0], pair[0], ada, "left")


def test_readers_and_the_site_itself_compare_nothing(pair):
    for actor in (acting(make_user("reader")), COMMAND):
        with pytest.raises(PermissionDenied):
            preferences.submit_preference(*pair, actor, "left")


def test_a_withdrawn_preference_stays_stored_and_the_pair_is_open_again(ada, pair):
    given = preferences.submit_preference(*pair, ada, "left")
    preferences.withdraw_preference(given, ada, "misread")
    assert Preference.objects.get().withdrawal.reason == "misread"
    assert not Preference.objects.standing().exists()
    preferences.submit_preference(*pair, ada, "right")
    assert Preference.objects.standing().get().choice == "right"


def test_only_its_reviewer_or_a_curator_withdraws_a_preference(ada, ben, cyd, pair):
    given = preferences.submit_preference(*pair, ada, "left")
    with pytest.raises(PermissionDenied):
        preferences.withdraw_preference(given, ben, "I disagree")
    preferences.withdraw_preference(given, cyd, "a test account")
    assert PreferenceWithdrawal.objects.get().withdrawn_by == cyd.user


def test_a_repeated_withdrawal_stores_nothing_new_and_another_one_is_refused(ada, pair):
    given = preferences.submit_preference(*pair, ada, "left")
    preferences.withdraw_preference(given, ada, "misread")
    preferences.withdraw_preference(given, ada, "misread")
    with pytest.raises(preferences.PreferenceWithdrawnError, match="ada withdrew this preference: “misread”"):
        preferences.withdraw_preference(given, ada, "other")
    with pytest.raises(preferences.PreferenceError, match="The reason is empty"):
        preferences.withdraw_preference(given, ada, "  ")


def test_the_newest_standing_preference_is_taken_back_and_then_the_one_before(ada, ben, pair):
    third = make_sample(pair[0].task)
    first = preferences.submit_preference(*pair, ada, "left")
    second = preferences.submit_preference(pair[0], third, ada, "tie")
    preferences.submit_preference(*pair, ben, "right")
    assert [preferences.take_back_last(ada) for _ in range(3)] == [second, first, None]
    assert {one.reason for one in PreferenceWithdrawal.objects.all()} == {TAKEN_BACK}
    assert Preference.objects.standing().get().reviewer == ben.user


def test_where_the_site_reviews_blind_only_curators_read_what_others_chose(settings, ada, ben, cyd, pair):
    own = preferences.submit_preference(*pair, ada, "left")
    other = preferences.submit_preference(*pair, ben, "right")
    assert set(preferences.readable_preferences(ada)) == {own, other}
    settings.REVIEW_BLIND = True
    assert list(preferences.readable_preferences(ada)) == [own]
    assert set(preferences.readable_preferences(cyd)) == {own, other}


def test_a_withdrawn_sample_is_neither_compared_nor_ranked_until_it_is_brought_back(ada, ben, cyd, pair):
    preferences.submit_preference(*pair, ada, "left")
    withdraw_sample(pair[1], cyd, "Its licence forbids it.")
    with pytest.raises(preferences.PreferenceError, match="cyd withdrew this sample: “Its licence"):
        preferences.submit_preference(*pair, ben, "left")
    assert preferences.ranking_of(pair[0].task, ada).rows == []
    restore_sample(pair[1], cyd)
    preferences.submit_preference(*pair, ben, "left")
    assert [row.sample for row in preferences.ranking_of(pair[0].task, ada).rows] == list(pair)
