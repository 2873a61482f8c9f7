"""Tests of the preference pairs for trainers: the majority decides, ties and even splits are left out and counted."""

import json

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from datasets_app.ingest.withdraw import restore_sample, withdraw_sample
from datasets_app.models import Honeypot
from datasets_app.review.preferences import submit_preference, withdraw_preference
from datasets_app.review.preferences.trainer_pairs import PairCounts, count_pairs, pair_lines
from tests.factories import acting, make_sample, make_task, make_user

pytestmark = pytest.mark.django_db


def voted(choices, task=None):
    """Return two samples, compared by as many people as choices; every second one sees the sides exchanged."""
    task = task or make_task()
    one, other = make_sample(task), make_sample(task)
    exchanged = {"left": "right", "right": "left", "tie": "tie"}
    for number, choice in enumerate(choices):
        actor = acting(make_user("annotator"))
        if number % 2:
            submit_preference(other, one, actor, exchanged[choice])
        else:
            submit_preference(one, other, actor, choice)
    return one, other


def rows(actor):
    return [json.loads(line) for line in pair_lines(actor)]


@pytest.mark.parametrize("choices", [["left"], ["left", "left", "right"], ["left", "tie", "tie"]])
def test_the_majority_of_the_votes_decides_whichever_side_a_sample_was_on(cyd, choices):
    one, other = voted(choices)
    (row,) = rows(cyd)
    assert (row["chosen_id"], row["rejected_id"]) == (str(one.pk), str(other.pk))
    assert row["task"] == str(one.task_id)
    assert (row["votes_chosen"], row["votes_rejected"], row["votes_tie"]) == tuple(
        choices.count(choice) for choice in ("left", "right", "tie")
    )


def test_ties_and_even_splits_are_left_out_and_counted(cyd):
    voted(["tie", "tie"])
    voted(["left", "right"])
    voted(["left", "right", "tie"])
    chosen, _ = voted(["left"])
    assert count_pairs(cyd) == PairCounts(decided=1, tied=1, even=2)
    assert [row["chosen_id"] for row in rows(cyd)] == [str(chosen.pk)]


def test_a_row_is_trls_conversational_form_with_the_stored_texts(cyd):
    task = make_task()
    one = make_sample(task, reasoning="Think “twice”.", kernel="class ModelNew: ...\n")
    other = make_sample(task, reasoning="")
    submit_preference(one, other, cyd, "left")
    (row,) = rows(cyd)
    assert list(row)[:3] == ["prompt", "chosen", "rejected"]
    assert [message["role"] for name in list(row)[:3] for message in row[name]] == [
        "user",
        "assistant",
        "assistant",
    ]
    assert task.body.pytorch_code in row["prompt"][0]["content"]
    answer = "<think>\nThink “twice”.\n</think>\n```python\nclass ModelNew: ...\n\n```"
    assert row["chosen"][0]["content"] == answer
    assert row["rejected"][0]["content"] == f"```python\n{other.body.kernel_code}\n```"


def test_a_withdrawn_preference_counts_nowhere(cyd, ada, pair):
    withdraw_preference(submit_preference(*pair, ada, "left"), ada, "misread")
    assert (rows(cyd), count_pairs(cyd)) == ([], PairCounts())


def test_texts_are_read_in_batches(cyd, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr("datasets_app.review.preferences.trainer_pairs.BATCH", 2)
    for _ in range(5):
        voted(["left"])
    with django_assert_num_queries(5):
        assert len(rows(cyd)) == 5


def test_only_curators_take_pairs_out(ada):
    for verb in (pair_lines, count_pairs):
        with pytest.raises(PermissionDenied):
            verb(ada)


@pytest.mark.parametrize("name", ["compare-pairs", "api-preference-pairs"])
def test_the_link_and_rest_send_the_same_pairs_with_their_counts(client, cyd, ada, name):
    voted(["left"])
    voted(["tie"])
    client.force_login(cyd.user)
    answer = client.get(reverse(name))
    assert b"".join(answer.streaming_content) == b"".join(pair_lines(cyd))
    assert [answer[f"X-Pairs{more}"] for more in ("", "-Tied", "-Even")] == ["1", "1", "0"]
    assert (
        "1 pair with more votes for one sample than for the other"
        in client.get(reverse("compare")).content.decode()
    )
    client.force_login(ada.user)
    assert client.get(reverse(name)).status_code == 403
    assert "for trainers" not in client.get(reverse("compare")).content.decode()


def test_a_pair_with_a_honeypot_never_leaves_the_site(cyd):
    one, _ = voted(["left"])
    Honeypot.objects.create(sample=one, answer="cheat", family="replay", explanation="It replays.")
    assert (rows(cyd), count_pairs(cyd)) == ([], PairCounts())


def test_a_pair_with_a_withdrawn_sample_is_left_out_until_that_is_brought_back(cyd):
    one, _ = voted(["left"])
    withdraw_sample(one, cyd, "Its licence forbids it.")
    assert (rows(cyd), count_pairs(cyd)) == ([], PairCounts())
    restore_sample(one, cyd)
    assert len(rows(cyd)) == 1
