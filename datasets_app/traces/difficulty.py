"""Difficulty of a task by its average reasoning length (ARL), as ConCuR classes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Avg, Count, Sum

from datasets_app.db.uuids import among
from datasets_app.models import Sample
from datasets_app.models.honeypot import honeypot_ids

EASY_BELOW_TOKENS, HARD_ABOVE_TOKENS = (
    4_000,
    8_500,
)  # ConCuR's thresholds, for traces of Kevin-32B in its own tokens
CHUNK = 2000
Traces = Mapping[tuple[str, str], tuple[int, int]]  # of a task: generator, tokenizer -> tokens in all, traces


@dataclass(frozen=True)
class Setting:
    """What an average reasoning length is over, and what is called easy and hard.

    A length means little without its setting: another generator writes longer traces, another tokenizer counts them
    differently. `at_least` is M, the traces that a task's average needs.
    """

    generators: tuple[str, ...] = ()  # empty: all
    tokenizers: tuple[str, ...] = ()  # that the thresholds belong to; empty: all
    at_least: int = 1
    easy_below: float = EASY_BELOW_TOKENS
    hard_above: float = HARD_ABOVE_TOKENS

    def average(self, traces: Traces) -> float | None:
        """Return the mean length of a task's traces under this setting; None if there are fewer than it needs."""
        counted = [
            entry
            for (generator, tokenizer), entry in traces.items()
            if (not self.generators or generator in self.generators)
            and (not self.tokenizers or tokenizer in self.tokenizers)
        ]
        tokens, number = sum(entry[0] for entry in counted), sum(entry[1] for entry in counted)
        return tokens / number if number >= max(1, self.at_least) else None

    def class_of(self, average_tokens: float) -> str:
        if average_tokens < self.easy_below:
            return "easy"
        return "hard" if average_tokens > self.hard_above else "middling"


CONCUR = Setting()


def class_of(average_tokens: float) -> str:
    """Return ConCuR's class of difficulty of an average reasoning length."""
    return CONCUR.class_of(average_tokens)


def read_arls(tasks: Iterable[UUID] | None = None) -> dict[str, float]:
    """Return task id to the mean length of its traces in use, in tokens, of these tasks or of all; one query.

    Honeypots are in no data set, and do not count.
    """
    traced = Sample.objects.in_use().with_trace().filter(trace_tokens__isnull=False)
    if tasks is not None:
        traced = traced.filter(task__in=among(tasks))
    rows = (
        traced.exclude(pk__in=honeypot_ids()).order_by().values_list("task").annotate(arl=Avg("trace_tokens"))
    )
    return {str(task): float(arl) for task, arl in rows.iterator(chunk_size=CHUNK)}


def read_traces() -> dict[str, Traces]:
    """Return, per task, the tokens and the number of its traces by generator and tokenizer; one query."""
    traced = Sample.objects.in_use().with_trace().filter(trace_tokens__isnull=False)
    grouped = traced.exclude(pk__in=honeypot_ids()).order_by().values_list("task", "generator", "tokenizer")
    rows = grouped.annotate(tokens=Sum("trace_tokens"), number=Count("pk"))
    found: dict[str, dict[tuple[str, str], tuple[int, int]]] = defaultdict(dict)
    for task, generator, tokenizer, tokens, number in rows.iterator(chunk_size=CHUNK):
        found[str(task)][generator, tokenizer] = (int(tokens), int(number))
    return dict(found)
