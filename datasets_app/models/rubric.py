from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import models

from datasets_app.models.append_only import AppendOnly
from datasets_app.models.bounds import LONGEST_REASON, LONGEST_TEXT


@dataclass(frozen=True)
class Criterion:
    """What a reviewer scores from 1 to 5, with the meanings of 1, 3 and 5."""

    name: str  # in the scores of a review; keeps its meaning from version to version
    title: str
    key: str  # marks this criterion on the review page; digits then score it
    low: str
    middle: str
    high: str
    needs_trace: bool = False  # left out for samples without a trace
    required: bool = False

    @property
    def meaning(self) -> str:
        return f"1 {self.low}; 3 {self.middle}; 5 {self.high}."


@dataclass(frozen=True)
class Reason:
    """A reason for a verdict, as a code that programs can count."""

    code: str  # in the reasons of a review; keeps its meaning from version to version
    title: str
    key: str  # gives or takes back this reason on the review page
    meaning: str
    verdicts: tuple[str, ...] = ()  # that it goes with; none: any

    def goes_with(self, verdict: str) -> bool:
        return not self.verdicts or verdict in self.verdicts


class RubricVersion(AppendOnly):
    """One version of the site's rubric. Append-only: a change is a new version, and each review names its own.

    Criteria and reasons are JSON and not tables: a version is written once and always read whole.
    """

    number = models.PositiveSmallIntegerField(primary_key=True)
    criteria = models.JSONField(default=list, help_text="the fields of Criterion, in the form's order")
    reasons = models.JSONField(default=list, help_text="the fields of Reason, in the form's order")
    reason_required_for = models.JSONField(default=list, help_text="verdicts that need a reason")
    comment_required_for = models.JSONField(default=list, help_text="verdicts that need a comment")
    guidelines = models.TextField(
        blank=True, max_length=LONGEST_TEXT, help_text="worked examples, in paragraphs"
    )
    note = models.TextField(blank=True, max_length=LONGEST_REASON, help_text="what changed, and why")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="rubric_versions",
        help_text="empty: comes with the project",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"rubric version {self.number}"

    @cached_property
    def criterion_list(self) -> list[Criterion]:
        return [Criterion(**known(Criterion, one)) for one in self.criteria]

    @cached_property
    def reason_list(self) -> list[Reason]:
        rows = [known(Reason, one) for one in self.reasons]
        return [Reason(**{**row, "verdicts": tuple(row.get("verdicts") or ())}) for row in rows]


def known(kind: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the dataclass that a stored row has."""
    return {field.name: row[field.name] for field in fields(kind) if field.name in row}
