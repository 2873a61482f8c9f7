"""Tests that the policy of a sample's queue decides its verdict, now and after a change, and what queries and recipes
read of it."""

import pytest

from datasets_app import review
from datasets_app.browse.query import parse_query
from datasets_app.browse.query.sets import Sets
from datasets_app.curate.rules.votes import VotesAgree, VotesAtLeast
from datasets_app.curate.store import rows
from datasets_app.db.facet_index import read
from datasets_app.db.facet_index.sets import size
from datasets_app.models import AuditEntry, Sample
from datasets_app.review import queues
from datasets_app.review.adjudicate import adjudicate, disputed
from tests.factories import acting, make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return [acting(make_user("annotator")) for _ in range(3)]


def judged(people, verdicts, **fields):
    sample = make_sample(**fields)
    for person, verdict in zip(people, verdicts, strict=False):
        review.submit_review(sample, person, verdict)
    return sample


def verdict_of(sample):
    return Sample.objects.get(pk=sample.pk).verdict


def test_the_queues_policy_decides_and_the_sites_where_it_has_none(cur, people):
    inside, outside = make_sample(generator="a"), make_sample(generator="b")
    queues.open_queue(make_queue("q", cur, query="generator:a", overlap=2, policy="unanimous"), cur)
    for sample in (inside, outside):
        review.submit_review(sample, people[0], "accept")
        review.submit_review(sample, people[1], "reject")
    assert (verdict_of(inside), verdict_of(outside)) == ("contested", "reject")


def test_opening_changing_and_closing_decide_again_and_say_so(cur, people):
    sample = judged(people, ["accept", "accept", "reject"])
    queue = make_queue("q", cur, policy="majority", overlap=3)
    queues.open_queue(queue, cur)
    assert verdict_of(sample) == "accept"
    queues.change_queue(queue, cur, {"policy": "unanimous"})
    assert verdict_of(sample) == "contested"
    entries = AuditEntry.objects.filter(action="queue.decide").order_by("pk")
    assert [entry.detail["policy"] for entry in entries] == ["majority", "unanimous"]
    queues.close_queue(queue, cur)
    assert verdict_of(sample) == "contested"
    assert entries.count() == 2


def test_a_recount_that_was_cut_short_is_completed_by_the_next_change(cur, people, monkeypatch):
    from datasets_app.review.queues import verbs

    samples = [judged(people, ["accept", "reject"]) for _ in range(3)]
    queue = make_queue("q", cur, overlap=2)
    queues.open_queue(queue, cur)
    monkeypatch.setattr(verbs, "BATCH", 1)
    steps, real = [], verbs.decide_again

    def breaks(ids):
        steps.append(ids)
        if len(steps) == 2:
            raise RuntimeError("the process ends")
        return real(ids)

    monkeypatch.setattr(verbs, "decide_again", breaks)
    with pytest.raises(RuntimeError):
        queues.change_queue(queue, cur, {"policy": "unanimous"})
    assert [verdict_of(sample) for sample in samples] == ["contested", "reject", "reject"]
    queues.close_queue(queue, cur)
    assert [verdict_of(sample) for sample in samples] == ["contested"] * 3


def test_adjudication_only_waits_for_a_curator_even_where_votes_agree(cur, people):
    sample = make_sample()
    queues.open_queue(make_queue("q", cur, overlap=2, policy="adjudicated"), cur)
    for person in people[:2]:
        review.submit_review(sample, person, "accept")
    assert verdict_of(sample) == "contested"
    assert list(disputed()) == [sample]
    adjudicate(sample, cur, "accept", "both are right")
    assert verdict_of(sample) == "accept"
    assert not disputed().exists()


@pytest.mark.parametrize(
    ("line", "names"),
    [("votes:>=2", "bc"), ("votes:<2", "ad"), ("agreement:>=1", "ac"), ("agreement:<1", "b")],
)
def test_the_query_line_knows_votes_and_agreement(people, line, names):
    samples = {
        "a": judged(people, ["accept"]),
        "b": judged(people, ["accept", "reject"]),
        "c": judged(people, ["fix", "fix"]),
        "d": make_sample(),
    }
    chosen = parse_query(line)
    assert set(chosen.queryset()) == {samples[name] for name in names}
    assert size(Sets(chosen, read()).matching()) == len(names)


def test_recipes_read_votes_and_agreement(people):
    sample = judged(people, ["accept", "reject", "reject"])
    (row,) = rows("")
    assert (row.id, row.verdict, row.votes, row.agreement) == (str(sample.pk), "reject", 3, 2 / 3)
    assert VotesAtLeast({"minimum": 3}).refuses(row) == ""
    assert VotesAtLeast({"minimum": 4}).refuses(row) == "too few votes"
    assert VotesAgree({"percent": 66.0}).refuses(row) == ""
    assert VotesAgree({"percent": 67.0}).refuses(row) == "too few votes agree with its verdict"
    assert (
        VotesAgree({"percent": 0.0}).refuses(row._replace(votes=0, agreement=None))
        == "nobody has voted on it"
    )
