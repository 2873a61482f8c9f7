"""Syntheses: candidates that a model behind an endpoint is asked to write, each with what became of it."""

import uuid
from collections.abc import Collection

from django.conf import settings
from django.db import models
from django.db.models import Count, F, Q, Sum
from django.urls import reverse

from datasets_app.models.bulk import BulkAction
from datasets_app.models.evaluation_run import EvaluationRun
from datasets_app.models.ingest import Ingest, IngestState
from datasets_app.models.job import Job
from datasets_app.models.sample import Sample
from datasets_app.models.source import Source
from datasets_app.models.task import Task

NAME_CHARS = 120


class Synthesis(Job):
    """Samples of some tasks, asked of one model under one prompt. What it was asked with is stored with it."""

    state = models.CharField(max_length=10, choices=IngestState, default=IngestState.QUEUED, db_index=True)
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=NAME_CHARS, unique=True, help_text="also of its samples' source")
    endpoint = models.CharField(max_length=40, help_text="a name in CONCUR_ENDPOINTS")
    model = models.CharField(max_length=NAME_CHARS, help_text="as the endpoint calls it")
    template = models.CharField(max_length=60, help_text="the prompt's name and version")
    messages = models.JSONField(help_text="the prompt's texts as they were, before a task is put in")
    sampling = models.JSONField(default=dict, help_text="temperature and the like, sent with every request")
    per_task = models.PositiveSmallIntegerField(help_text="candidates for each task")
    seed = models.PositiveIntegerField(
        help_text="of the first candidate of a task; each further one has the next"
    )
    at_once = models.PositiveSmallIntegerField(help_text="requests that wait for an answer at the same time")
    requests_a_minute = models.PositiveIntegerField(default=0, help_text="0: no limit")
    most_tokens = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="of prompts and answers; null: no limit"
    )
    most_cost = models.FloatField(
        null=True, blank=True, help_text="in the endpoint's currency, the judge's included; null: no limit"
    )
    verify_profile = models.CharField(
        max_length=20,
        blank=True,
        help_text="its samples are verified under it at the end; empty: they are not",
    )
    inspect = models.BooleanField(
        default=False, help_text="its verifications collect SASS and the profiler's counters"
    )
    verify_action = models.ForeignKey(
        BulkAction, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    stopped = models.CharField(
        max_length=300, blank=True, help_text="why it ended before every candidate was asked for"
    )
    turn = models.PositiveSmallIntegerField(default=0, help_text="0: a first turn")
    refines = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="refinements",
        help_text="the synthesis whose samples were fed back; null: a first turn",
    )
    loop = models.ForeignKey(
        "Loop",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="turns",
        help_text="that started this turn, or that follows it",
    )
    run = models.ForeignKey(
        EvaluationRun,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="turns",
        help_text="the run that it is a turn of",
    )
    told_turns = models.PositiveSmallIntegerField(
        default=1, help_text="earlier turns that the model is told of"
    )
    judge_endpoint = models.CharField(max_length=40, blank=True, help_text="empty: no judge")
    judge_model = models.CharField(max_length=NAME_CHARS, blank=True)
    judge_template = models.CharField(max_length=60, blank=True, help_text="its prompt's name and version")
    judge_messages = models.JSONField(default=list, blank=True, help_text="its prompt's texts as they were")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="syntheses")
    ingest = models.ForeignKey(Ingest, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "syntheses"

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("synthesis", args=[self.pk])

    tally: dict[str, int]  # set by attach_tallies

    @property
    def is_finished(self) -> bool:
        return self.state in (IngestState.DONE, IngestState.FAILED, IngestState.CANCELLED)

    @property
    def shown_state(self) -> str:
        """Return its state, and `stopped` where it ended before every candidate was asked for."""
        return "stopped" if self.state == IngestState.DONE and self.stopped else self.state

    @property
    def asked(self) -> int:
        """Return the number of its candidates, once the tally is attached."""
        return sum(self.tally.values())


class CandidateState(models.TextChoices):
    WAITING = "waiting"
    STORED = "stored"
    REFUSED = "refused", "no kernel in the answer"
    FAILED = "failed", "no answer"


class CandidateQuerySet(models.QuerySet["Candidate"]):
    def waiting(self) -> "CandidateQuerySet":
        return self.filter(state=CandidateState.WAITING)

    def tally(self) -> dict[str, int]:
        """Return how many candidates are in each state, in one query."""
        rows = self.order_by().values_list("state").annotate(n=Count("pk"))
        return {**dict.fromkeys(CandidateState.values, 0), **dict(rows)}

    def reasons(self) -> list[tuple[str, int]]:
        """Return how often each reason occurs, the most frequent first."""
        named = self.exclude(reason="").order_by().values_list("reason").annotate(n=Count("pk"))
        return sorted(named, key=lambda pair: (-pair[1], pair[0]))

    def tokens(self) -> int:
        """Return the tokens of all prompts and answers, the judge's included, as the endpoints counted them."""
        asked = F("prompt_tokens") + F("answer_tokens")
        return self.aggregate(n=Sum(asked + F("judge_prompt_tokens") + F("judge_answer_tokens")))["n"] or 0

    def cost(self) -> float | None:
        """Return what all answers cost as far as it is known, the judge's included; None if nothing is."""
        return self.aggregate(n=Sum("cost"))["n"]


class Candidate(models.Model):
    """One answer that is asked for: waiting, stored as a sample, refused with its text, or never given."""

    synthesis = models.ForeignKey(Synthesis, on_delete=models.CASCADE, related_name="candidates")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveSmallIntegerField(help_text="among those of its task, from 0")
    trajectory = models.PositiveSmallIntegerField(
        default=0, help_text="number of the first turn's candidate of this task that it goes back to"
    )
    parent = models.ForeignKey(
        Sample,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="the sample of the turn before",
    )
    feedback = models.TextField(blank=True, help_text="on the parent, as the model is told")
    advice = models.TextField(blank=True, help_text="of the judge, told after the feedback")
    state = models.CharField(max_length=10, choices=CandidateState, default=CandidateState.WAITING)
    reason = models.CharField(max_length=40, blank=True, help_text="of one that is not stored, by name")
    detail = models.CharField(max_length=500, blank=True)
    answer = models.TextField(blank=True, help_text="what was answered, kept where no sample holds it")
    finish_reason = models.CharField(max_length=40, blank=True, help_text="as the endpoint names it")
    prompt_tokens = models.PositiveIntegerField(default=0)
    answer_tokens = models.PositiveIntegerField(default=0, help_text="reasoning included")
    judge_prompt_tokens = models.PositiveIntegerField(default=0)
    judge_answer_tokens = models.PositiveIntegerField(default=0)
    mean_logprob = models.FloatField(null=True, blank=True, help_text="of the answer's tokens, natural")
    logprobs = models.JSONField(
        null=True,
        blank=True,
        help_text="each token of the answer with its log-probability; null: not asked for",
    )
    cost = models.FloatField(
        null=True,
        blank=True,
        help_text="as stated or by CONCUR_PRICES, the judge's included; null: not known",
    )
    seconds = models.FloatField(null=True, blank=True, help_text="of the request that was answered")
    tries = models.PositiveSmallIntegerField(default=0)
    sample = models.ForeignKey(
        Sample, on_delete=models.SET_NULL, null=True, blank=True, related_name="candidates"
    )

    objects = CandidateQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["synthesis", "state", "id"], name="candidate_state")]
        constraints = [
            models.UniqueConstraint(fields=["synthesis", "task", "number"], name="candidate_asked_once"),
            models.CheckConstraint(
                name="candidate_reason_of_what_is_not_stored",
                condition=Q(state__in=["waiting", "stored"], reason="")
                | (Q(state__in=["refused", "failed"]) & ~Q(reason="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.synthesis_id} / {self.task_id} / {self.number}"

    @property
    def seed(self) -> int:
        return self.synthesis.seed + self.number


def attach_tallies(syntheses: Collection[Synthesis]) -> None:
    """Set each synthesis' `tally`: how many of its candidates are in each state. One query for all."""
    rows = Candidate.objects.filter(synthesis__in=[one.pk for one in syntheses]).order_by()
    for one in syntheses:
        one.tally = dict.fromkeys(CandidateState.values, 0)
    by_id = {one.pk: one for one in syntheses}
    for pk, state, n in rows.values_list("synthesis", "state").annotate(n=Count("pk")):
        by_id[pk].tally[state] = n
