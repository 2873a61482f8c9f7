"""Honeypots: samples whose right verdict is known, by which a queue tells how closely its reviewers look."""

from __future__ import annotations

from uuid import UUID

from django.db import models

from datasets_app.models.bounds import LONGEST_TEXT
from datasets_app.models.sample import Sample, Verdict

LONGEST_FAMILY = 80


class HoneypotAnswer(models.TextChoices):
    CHEAT = "cheat", "known cheat"
    SOUND = "sound", "known to be sound"


MISSES = {HoneypotAnswer.CHEAT: Verdict.ACCEPT, HoneypotAnswer.SOUND: Verdict.REJECT}


class Honeypot(models.Model):
    """A sample with a known answer. It looks like any other sample, and no recipe ever chooses it."""

    sample = models.OneToOneField(Sample, on_delete=models.PROTECT, primary_key=True, related_name="honeypot")
    answer = models.CharField(max_length=10, choices=HoneypotAnswer)
    family = models.CharField(max_length=LONGEST_FAMILY, help_text="what kind of cheat; for the miss rates")
    explanation = models.TextField(max_length=LONGEST_TEXT, help_text="told to a reviewer after judging")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["family", "sample"]

    def __str__(self) -> str:
        return f"{self.answer}: {self.sample_id}"

    def is_missed_by(self, verdict: str) -> bool:
        """Return whether the verdict is wrong: a cheat accepted, or a sound kernel rejected. A fix is no miss."""
        return verdict == MISSES[HoneypotAnswer(self.answer)]


def honeypot_ids() -> set[UUID]:
    """Return the ids of honeypots and of their revisions, some hundred at most: no data set ever contains them."""
    newest = list(Honeypot.objects.order_by().values_list("pk", flat=True))
    known = set(newest)
    while newest:  # one query more for each generation of revisions
        newest = list(Sample.objects.order_by().filter(edit__base__in=newest).values_list("pk", flat=True))
        known.update(newest)
    return known
