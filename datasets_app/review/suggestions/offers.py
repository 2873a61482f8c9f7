"""What a review page shows: suggestions that hold now, each with what this reviewer did with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, Q

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.roles import Scope
from datasets_app.browse.sample.evidence import SampleEvidence
from datasets_app.models import (
    NoteAnchor,
    NoteLabel,
    Sample,
    Suggestion,
    SuggestionAnswer,
    SuggestionKind,
    SuggestionReply,
    SuggestionSource,
    Verdict,
)
from datasets_app.models.rubric import Criterion
from datasets_app.models.suggestion import SuggestionQuerySet
from datasets_app.review.notes.threads import StoredTexts
from datasets_app.review.rubric import criteria_for, current_rubric
from datasets_app.review.suggestions.rules import NEAR_DUPLICATE, proposed

MOST_OFFERED = 12


@dataclass(frozen=True)
class Offer:
    """A suggestion on a reviewer's page."""

    suggestion: Suggestion
    answer: SuggestionAnswer
    lines: tuple[int, int] | None = None  # of a span
    scores: tuple[tuple[str, int], ...] = ()  # of the criteria that apply, by title

    @property
    def title(self) -> str:
        """Return what is suggested in a few words, such as "Reject" or "redundant: trace, lines 3 to 5"."""
        one = self.suggestion
        if one.kind == SuggestionKind.SPAN:
            return str(NoteLabel(one.label).label)
        return str(Verdict(one.verdict).label) if one.verdict else "scores"

    @property
    def fragment(self) -> str:
        return f"{self.suggestion.text}-L{self.lines[0]}" if self.lines else ""

    @property
    def place(self) -> str:
        """Return such as `trace, lines 3 to 5`; empty without a span."""
        if self.lines is None:
            return ""
        first, last = self.lines
        lines = f"line {first:,}" if first == last else f"lines {first:,} to {last:,}"
        return f"{self.suggestion.text}, {lines}"

    @property
    def is_note(self) -> bool:
        """Return whether taking it wrote a note, which is withdrawn like any other one."""
        return self.suggestion.kind == SuggestionKind.SPAN and self.answer.reply == SuggestionReply.TAKEN

    @property
    def is_open(self) -> bool:
        return not self.answer.reply


def offered(sample: Sample, actor: Actor, evidence: SampleEvidence, blind: bool) -> list[Offer]:
    """Return the suggestions for a sample, which comes with its bodies, and record that they were shown.

    Rules are asked again each time, so that what rests on older evidence is offered no longer. At most eight queries.
    """
    if not settings.SUGGESTIONS:
        return []
    texts = StoredTexts(sample)
    offers = []
    for one in stored(sample, list(proposed(sample, actor, evidence, blind))):
        lines = texts.lines_of(anchor_of(one)) if one.kind == SuggestionKind.SPAN else None
        if lines or one.kind == SuggestionKind.VERDICT:  # a span of an earlier text is offered no longer
            offers.append((one, lines))
    answers = answers_of([one for one, _ in offers[:MOST_OFFERED]], actor)
    criteria = criteria_for(current_rubric(), sample) if any(one.scores for one, _ in offers) else []
    return [
        Offer(one, answers[one.pk], lines, tuple(scores_of(one, criteria)))
        for one, lines in offers[:MOST_OFFERED]
    ]


def scores_of(suggestion: Suggestion, criteria: Iterable[Criterion]) -> Iterator[tuple[str, int]]:
    for row in criteria:
        if row.name in suggestion.scores:
            yield row.title, suggestion.scores[row.name]


def stored(sample: Sample, proposals: Sequence[Suggestion]) -> list[Suggestion]:
    """Store what the rules propose, each once, and return it with what models suggest, in the order of the page."""
    bases = {(one.maker, one.version, one.basis) for one in proposals}
    found = standing(sample)
    missing = bases - {key(one) for one in found}
    if missing:
        new = [one for one in proposals if key(one) in missing]
        Suggestion.objects.bulk_create(new, ignore_conflicts=True)  # another reviewer may open it now
        found = standing(sample)
    holding = [one for one in found if one.source == SuggestionSource.MODEL or key(one) in bases]
    for one in holding:
        one.sample = sample
    kinds, sources = list(SuggestionKind), list(SuggestionSource)
    return sorted(
        holding,
        key=lambda one: (
            kinds.index(SuggestionKind(one.kind)),
            sources.index(SuggestionSource(one.source)),
            one.created_at,
            one.start or 0,
            str(one.pk),
        ),
    )


def anchor_of(suggestion: Suggestion) -> NoteAnchor:
    """Return the span of a suggestion as a note would have it, not stored."""
    start, end = suggestion.start or 0, suggestion.end or 0
    return NoteAnchor(text=suggestion.text, start=start, end=end, digest=suggestion.digest)


def standing(sample: Sample) -> list[Suggestion]:
    return list(Suggestion.objects.standing().filter(sample=sample))


def key(suggestion: Suggestion) -> tuple[str, str, str]:
    return suggestion.maker, suggestion.version, suggestion.basis


def answers_of(shown: Iterable[Suggestion], actor: Actor) -> dict[UUID, SuggestionAnswer]:
    """Return the reviewer's answers by suggestion; a suggestion that is shown for the first time gets one."""
    reviewer, rows = actor.person(), list(shown)
    mine = SuggestionAnswer.objects.filter(reviewer=reviewer, suggestion__in=rows)
    answers = {one.suggestion_id: one for one in mine}
    if new := [SuggestionAnswer(suggestion=one, reviewer=reviewer) for one in rows if one.pk not in answers]:
        SuggestionAnswer.objects.bulk_create(new, ignore_conflicts=True)
        answers |= {one.suggestion_id: one for one in new}
    return answers


def readable_suggestions(actor: Actor) -> SuggestionQuerySet:
    """Return the suggestions of all samples.

    Those that tell the verdict of another sample, which may be reviewed blind, only to curators and to reviewers whose
    page showed them.
    """
    if actor.may(Scope.CURATE):
        return Suggestion.objects.all()
    telling = Q(source=SuggestionSource.EVIDENCE, maker=NEAR_DUPLICATE.name)
    shown = SuggestionAnswer.objects.filter(suggestion=OuterRef("pk"), reviewer=actor.user)
    return Suggestion.objects.filter(~telling | Exists(shown))
