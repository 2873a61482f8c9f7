"""Loops: further turns of a synthesis that start by themselves, under a policy with stop rules."""

import uuid

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from datasets_app.models.bulk import BulkAction
from datasets_app.models.ingest import IngestState
from datasets_app.models.job import Job, JobState
from datasets_app.models.synthesis import NAME_CHARS, Synthesis
from datasets_app.models.verification import Verification

ENDED = (IngestState.DONE, IngestState.FAILED, IngestState.CANCELLED)


class LoopPolicy(models.TextChoices):
    SERIAL = "serial", "serial turns, with feedback"
    BEST_OF_N = "best_of_n", "best of N, no feedback"
    EVOLUTION = "evolution", "evolution on islands"
    CROSSOVER = "crossover", "evolution with crossover"


class LoopEnd(models.TextChoices):
    GOOD_ENOUGH = "good_enough", "every candidate passed and is fast enough"
    TURNS = "turns", "it had all its turns"
    NO_GAIN = "no_gain", "its last turns brought no gain"
    BUDGET = "budget", "its budget is used"
    NOTHING_TO_ASK = "nothing_to_ask", "no candidate has a verdict to go on from"


class Loop(Job):
    """The turns that follow a synthesis. It is queued while its current turn works, and due when that is verified."""

    state = models.CharField(max_length=10, choices=IngestState, default=IngestState.QUEUED, db_index=True)
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    first = models.OneToOneField(Synthesis, on_delete=models.PROTECT, related_name="started_loop")
    current = models.ForeignKey(
        Synthesis, on_delete=models.PROTECT, related_name="+", help_text="the newest turn"
    )
    policy = models.CharField(max_length=12, choices=LoopPolicy)
    most_turns = models.PositiveSmallIntegerField(help_text="the first one included")
    until = models.FloatField(help_text="a speedup over eager that is good enough; 0: passing is")
    patience = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="turns without a gain that end it; null: any number"
    )
    most_tokens = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="of all turns, the judge's included; null: no limit"
    )
    most_cost = models.FloatField(
        null=True, blank=True, help_text="of all turns, the judge's included; null: no limit"
    )
    told_turns = models.PositiveSmallIntegerField(
        default=1, help_text="earlier turns that the model is told of"
    )
    verify_profile = models.CharField(max_length=20)
    inspect = models.BooleanField(
        default=False, help_text="verifications collect SASS and the profiler's counters"
    )
    judge_endpoint = models.CharField(max_length=40, blank=True, help_text="empty: no judge")
    judge_model = models.CharField(max_length=NAME_CHARS, blank=True)
    islands = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1)], help_text="evolution: populations apart from each other"
    )
    migrate_every = models.PositiveSmallIntegerField(
        default=3, help_text="evolution: in each such turn an island takes parents of the next one"
    )
    ended_by = models.CharField(
        max_length=20, choices=LoopEnd, blank=True, help_text="the rule that ended it"
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"turns of {self.first.name}"

    def get_absolute_url(self) -> str:
        return reverse("synthesis", args=[self.first_id])

    @classmethod
    def due(cls) -> Q:
        """Return the condition of a loop whose current turn has ended and has no verification under way.

        Written with subqueries alone, so that claiming stays one conditional UPDATE of one table.
        """
        turn = Synthesis.objects.filter(pk=OuterRef("current_id"), state__in=ENDED)
        requesting = BulkAction.objects.filter(pk=OuterRef("verify_action_id")).exclude(
            state__in=[JobState.DONE, JobState.FAILED]
        )
        unfinished = Verification.objects.unfinished().filter(
            sample__candidates__synthesis=OuterRef("current_id")
        )
        return Q(Exists(turn.exclude(Exists(requesting)))) & ~Q(Exists(unfinished))

    @property
    def evolves(self) -> bool:
        """Return whether the candidates of a task are populations, of which one good kernel is enough."""
        return self.policy in (LoopPolicy.EVOLUTION, LoopPolicy.CROSSOVER)

    @property
    def is_finished(self) -> bool:
        return self.state in ENDED

    @property
    def last_turn(self) -> int:
        """Return the number of the last turn that it may have; a first turn is 0."""
        return self.most_turns - 1

    @property
    def has_judge(self) -> bool:
        return bool(self.judge_endpoint)
