"""What the page of a pair shows: two kernels side by side, or their difference, and evidence unless it is hidden."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Count

from datasets_app.accounts.actor import Actor
from datasets_app.bounded import AnalysisError, analysed
from datasets_app.browse.panes.code_pane import CodePane
from datasets_app.browse.panes.read import read_two
from datasets_app.browse.sample.comparison import Comparison, difference
from datasets_app.browse.sample.evidence import SampleEvidence, evidence_of
from datasets_app.models import Preference, PreferenceChoice, Sample
from datasets_app.review.blind import hidden_verdicts

READ_SECONDS = 0.8


@dataclass(frozen=True)
class Side:
    """One sample of a pair. Without `evidence`, the page also hides generator, claims and verdict."""

    name: str
    sample: Sample
    pane: CodePane
    verdict: str  # empty: none, or not for this reader's eyes
    evidence: SampleEvidence | None


def samples_of(left: UUID, right: UUID) -> tuple[Sample, Sample] | None:
    """Return the two samples with their bodies; None unless both are there and of one task."""
    samples = {sample.pk: sample for sample in Sample.objects.with_body().filter(pk__in=[left, right])}
    if len(samples) < 2 or samples[left].task_id != samples[right].task_id:
        return None
    return samples[left], samples[right]


def is_hidden(mine: Preference | None) -> bool:
    """Return whether the page hides who wrote the kernels and what is known about them: before a blind choice."""
    return bool(settings.REVIEW_BLIND) and mine is None


def sides(left: Sample, right: Sample, actor: Actor, hidden: bool) -> list[Side]:
    """Return both sides, with their kernels read in a child process, or plain if that fails."""
    unseen = hidden_verdicts(actor, [left.pk, right.pk])
    panes = panes_of(left.body.kernel_code, right.body.kernel_code)
    return [
        Side(
            str(name),
            sample,
            pane,
            "" if hidden or sample.pk in unseen else sample.verdict,
            None if hidden else evidence_of(sample),
        )
        for name, sample, pane in zip(PreferenceChoice.values[:2], (left, right), panes, strict=True)
    ]


def panes_of(left: str, right: str) -> tuple[CodePane, CodePane]:
    try:
        return analysed(read_two, left, right, seconds=READ_SECONDS)
    except AnalysisError as error:
        one, other = read_two(left, right, coloured=False)
        return replace(one, failure=str(error), is_read=True), replace(
            other, failure=str(error), is_read=True
        )


def difference_of(left: Sample, right: Sample) -> Comparison:
    """Return the difference from the left kernel to the right one, in one column."""
    diff, failure = difference(left.body.kernel_code, right.body.kernel_code, "kernel", False, 1)
    return Comparison(
        "the left kernel", diff, "kernel", True, False, str(left.pk), other=left, failure=failure
    )


def standing_choice(reviewer: Any, left: Sample, right: Sample) -> Preference | None:
    return Preference.objects.standing().filter(reviewer=reviewer).of_pair(left.pk, right.pk).first()


def taken_back(reviewer: Any, left: Sample, right: Sample) -> Preference | None:
    """Return the newest preference of this pair that the reviewer took back; its text opens the form again."""
    own = Preference.objects.filter(reviewer=reviewer, withdrawal__withdrawn_by=reviewer)
    return own.of_pair(left.pk, right.pk).first()


def choice_words(preference: Preference | None, left: Sample) -> str:
    """Return a choice in words, as a page says it that has `left` on the left; empty without one."""
    if preference is None:
        return ""
    if preference.choice == PreferenceChoice.TIE:
        return "a tie"
    better = preference.left_id if preference.choice == PreferenceChoice.LEFT else preference.right_id
    return "left is better" if better == left.pk else "right is better"


def own_counts(reviewer: Any) -> dict[str, int]:
    """Return how often the reviewer chose left, right and tie, and how often in total."""
    own = Preference.objects.standing().filter(reviewer=reviewer).order_by()
    counts = dict(own.values_list("choice").annotate(times=Count("pk")))
    return {
        **{choice: counts.get(choice, 0) for choice in PreferenceChoice.values},
        "all": sum(counts.values()),
    }
