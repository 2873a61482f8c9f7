"""Tests of what is suggested to a reviewer: from which evidence, when no longer, and what blind review hides."""

import pytest

from datasets_app import review
from datasets_app.accounts.actor import SITE
from datasets_app.browse.sample.evidence import evidence_of
from datasets_app.ingest.withdraw import withdraw_sample
from datasets_app.maintenance import runs
from datasets_app.models import MaintenanceKind, Sample, Suggestion, SuggestionAnswer
from datasets_app.review import suggestions
from tests.browser.states.cast import verify
from tests.factories import acting, make_sample, make_task, make_user
from tests.traces.test_redundancy import OTHER, PLAN
from tests.verify import reports

pytestmark = pytest.mark.django_db
ALIKE = "x = 1 + y\n" * 30


def offered(sample, actor, blind=False):
    read = Sample.objects.with_body().get(pk=sample.pk)
    return suggestions.offered(read, actor, evidence_of(read), blind)


def said(sample, actor, blind=False):
    return [(one.title, one.suggestion.maker) for one in offered(sample, actor, blind)]


def twins(verdict, reviewer):
    """Return two samples of one task with nearly the same kernel, the first reviewed."""
    task = make_task()
    first, second = make_sample(task, kernel=ALIKE), make_sample(task, kernel=ALIKE.replace("y", "w"))
    runs.run(runs.request(MaintenanceKind.NEIGHBOURS, SITE, in_background=False).pk)
    review.submit_review(first, reviewer, verdict)
    return first, second


def test_a_cheat_is_suggested_for_rejection_with_the_findings_sentence_and_its_evidence(ada):
    sample = make_sample()
    run = verify(sample, reports.cheated(sample.pk))
    (offer,) = offered(sample, ada)
    assert (offer.title, offer.suggestion.maker, offer.suggestion.version) == (
        "Reject",
        "refused-by-engine",
        "1",
    )
    assert offer.suggestion.words == "the engine refused it as cheated: trial 4 got trial 2's answer"
    assert offer.suggestion.evidence_url == run.get_absolute_url()


def test_a_broken_promise_is_suggested_for_a_fix(ada):
    sample = make_sample()
    verify(sample, reports.broken_promise(sample.pk))
    assert [title for title, _ in said(sample, ada)] == ["needs a fix"]


@pytest.mark.parametrize("outcome", ["timeout", "out_of_memory", "infra_error"])
def test_what_may_be_the_devices_fault_suggests_nothing(ada, outcome):
    sample = make_sample()
    verify(sample, reports.report(sample.pk, outcome))
    assert not said(sample, ada)


def test_a_pass_on_another_device_is_no_refusal(ada):
    sample = make_sample()
    verify(sample, reports.cheated(sample.pk))
    verify(sample, reports.passed(sample.pk, device={"kind": "cuda", "name": "NVIDIA A100"}))
    assert not said(sample, ada)


def test_newer_evidence_makes_a_new_suggestion_and_the_old_one_is_kept_but_not_offered(ada):
    sample = make_sample()
    verify(sample, reports.cheated(sample.pk))
    assert len(said(sample, ada)) == 1
    verify(sample, reports.passed(sample.pk), "standard")
    assert not said(sample, ada)
    assert Suggestion.objects.count() == 1


def test_a_repeated_look_stores_a_suggestion_and_that_it_was_shown_once(ada, ben):
    sample = make_sample()
    verify(sample, reports.cheated(sample.pk))
    first = offered(sample, ada)[0].answer.shown_at
    assert offered(sample, ada)[0].answer.shown_at == first
    offered(sample, ben)
    assert Suggestion.objects.count() == 1
    assert SuggestionAnswer.objects.count() == 2


def test_a_suggestion_changes_no_verdict_and_no_draft(ada):
    sample = make_sample()
    verify(sample, reports.cheated(sample.pk))
    offered(sample, ada)
    sample.refresh_from_db()
    assert (sample.verdict, sample.drafts.count()) == ("", 0)


def test_a_near_duplicate_of_a_reviewed_sample_is_suggested_its_verdict_with_a_link(ada, ben):
    first, second = twins("fix", ben)
    (offer,) = offered(second, ada)
    assert (offer.title, offer.suggestion.maker) == ("needs a fix", "near-duplicate")
    assert (
        offer.suggestion.words == "its kernel is 100 % similar to one of this task that was marked for a fix"
    )
    assert offer.suggestion.evidence_url == first.get_absolute_url()
    review.submit_review(first, ben, "reject")
    assert [title for title, _ in said(second, ada)] == ["Reject"]


def test_a_near_duplicate_of_a_withdrawn_sample_suggests_nothing(ada, ben):
    first, second = twins("accept", ben)
    withdraw_sample(first, acting(make_user("curator")), "Its licence forbids it.")
    assert said(second, ada) == []


def test_a_near_duplicate_with_another_outcome_suggests_nothing(ada, ben):
    _, second = twins("accept", ben)
    verify(second, reports.wrong(second.pk))
    assert said(second, ada) == [("Reject", "refused-by-engine")]


def test_in_blind_review_a_near_duplicate_is_suggested_only_from_what_the_reader_has_reviewed(
    settings, ada, ben
):
    first, second = twins("accept", ben)
    assert len(said(second, acting(make_user("curator")))) == 1  # stored now
    settings.REVIEW_BLIND = True
    assert not said(second, ada, blind=True)
    assert not suggestions.readable_suggestions(ada)
    review.submit_review(first, ada, "accept")
    assert len(said(second, ada, blind=True)) == 1
    assert suggestions.readable_suggestions(ada).count() == 1


def test_a_repeated_paragraph_is_suggested_as_a_redundant_span_with_its_lines(ada):
    sample = make_sample(reasoning=f"{PLAN}\n\n{OTHER}\n\n{PLAN}\n")
    (offer,) = offered(sample, ada)
    assert (offer.title, offer.place, offer.fragment) == ("redundant", "trace, line 5", "trace-L5")
    assert offer.suggestion.words == "100 % of it was said before in this trace"


def test_the_setting_switches_all_of_it_off_and_records_nothing(settings, ada):
    settings.SUGGESTIONS = False
    sample = make_sample()
    verify(sample, reports.cheated(sample.pk))
    assert not said(sample, ada)
    assert not Suggestion.objects.exists()


def test_many_suggestions_cost_as_many_queries_as_one(ada, django_assert_max_num_queries):
    sample = make_sample()
    for number in range(8):
        row = {"sample": str(sample.pk), "verdict": "fix", "words": "no mask"}
        suggestions.post_suggestions(ada, "critic", str(number), [row])
    read = Sample.objects.with_body().get(pk=sample.pk)
    evidence = evidence_of(read)
    with django_assert_max_num_queries(6):
        assert len(suggestions.offered(read, ada, evidence, False)) == 8
