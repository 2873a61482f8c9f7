from django.conf import settings
from django.db import models
from django.utils import timezone

from datasets_app.models.append_only import AppendOnly
from datasets_app.models.bounds import LONGEST_REASON


class JudgementWithdrawal(AppendOnly):
    """The withdrawal of a person's judgement, with its reason. What is withdrawn stays stored, and counts nowhere."""

    withdrawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(max_length=LONGEST_REASON)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True
        ordering = ["-created_at", "-id"]
