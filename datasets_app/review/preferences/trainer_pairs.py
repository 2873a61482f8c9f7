"""Preference pairs for trainers, as JSON Lines in TRL's conversational form: prompt, chosen, rejected, and ids.

Of each pair of samples, the one that more standing preferences chose is `chosen`. A tie is a vote for neither; a pair
with as many votes for one as for the other is left out, and counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, F, Q, When
from django.db.models.functions import Greatest, Least

from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.export.turns import DEFAULT_TEMPLATE, answer, assistant, prompt, user
from datasets_app.models import Preference, PreferenceChoice, Sample
from datasets_app.models.honeypot import honeypot_ids

BATCH = 50  # pairs whose texts are in memory together


@dataclass(frozen=True)
class PairVotes:
    """The votes on one pair: for its first sample, for its second one, and for neither."""

    first: UUID
    second: UUID
    for_first: int
    for_second: int
    ties: int

    @property
    def is_decided(self) -> bool:
        return self.for_first != self.for_second


@dataclass(frozen=True)
class PairCounts:
    """What an export contains, and what it leaves out: pairs of which every vote is a tie, and even splits."""

    decided: int = 0
    tied: int = 0
    even: int = 0


def votes() -> Iterator[PairVotes]:
    """Yield the votes on every pair that was compared, without honeypots and withdrawn samples, by task."""
    barred = honeypot_ids()
    on_the_left = Q(left=F("first"))
    in_use = Preference.objects.standing().filter(left__withdrawn=False, right__withdrawn=False)
    standing = in_use.annotate(first=Least("left_id", "right_id"), second=Greatest("left_id", "right_id"))
    for first, second, left_first, right_first, ties, total in (
        standing.order_by("task_id", "first", "second")
        .values("task_id", "first", "second")
        .annotate(
            left_first=Count(Case(When(on_the_left & Q(choice=PreferenceChoice.LEFT), then="pk"))),
            right_first=Count(Case(When(~on_the_left & Q(choice=PreferenceChoice.RIGHT), then="pk"))),
            ties=Count(Case(When(choice=PreferenceChoice.TIE, then="pk"))),
            total=Count("pk"),
        )
        .values_list("first", "second", "left_first", "right_first", "ties", "total")
        .iterator()
    ):
        for_first = left_first + right_first
        if first in barred or second in barred:
            continue
        yield PairVotes(first, second, for_first, total - ties - for_first, ties)


@needs(Scope.CURATE)
def count_pairs(actor: Actor) -> PairCounts:
    decided = tied = even = 0
    for pair in votes():
        decided += pair.is_decided
        tied += not (pair.for_first or pair.for_second)
        even += bool(pair.for_first) and not pair.is_decided
    return PairCounts(decided, tied, even)


@needs(Scope.CURATE)
def pair_lines(actor: Actor) -> Iterator[bytes]:
    """Return the lines of the decided pairs, read as they are sent."""
    return lines()


def lines() -> Iterator[bytes]:
    decided = (pair for pair in votes() if pair.is_decided)
    while batch := list(islice(decided, BATCH)):
        ids = {pk for pair in batch for pk in (pair.first, pair.second)}
        samples = Sample.objects.with_body().in_bulk(ids)
        for pair in batch:
            text = json.dumps(row(pair, samples), ensure_ascii=False, allow_nan=False)
            yield text.encode("utf-8", "replace") + b"\n"


def row(pair: PairVotes, samples: dict[UUID, Sample]) -> dict[str, Any]:
    first, second = samples[pair.first], samples[pair.second]
    chosen, rejected = (first, second) if pair.for_first > pair.for_second else (second, first)
    return {
        "prompt": [user(prompt(DEFAULT_TEMPLATE, texts(chosen)))],
        "chosen": [assistant(answer(texts(chosen)).text)],
        "rejected": [assistant(answer(texts(rejected)).text)],
        "task": str(chosen.task_id),
        "chosen_id": str(chosen.pk),
        "rejected_id": str(rejected.pk),
        "votes_chosen": max(pair.for_first, pair.for_second),
        "votes_rejected": min(pair.for_first, pair.for_second),
        "votes_tie": pair.ties,
    }


def texts(sample: Sample) -> dict[str, str]:
    """Return the texts of a sample under the names that they have in a file's row."""
    return {
        "pytorch_code": sample.task.body.pytorch_code,
        "generated_think": sample.body.reasoning if sample.has_trace else "",
        "generated_code": sample.body.kernel_code,
    }
