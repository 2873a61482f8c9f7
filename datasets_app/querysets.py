"""The reading vocabulary: each word is one queryset method, built on the ones before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    from datasets_app.models import Release, Review, Sample, Task

    TaskBase = models.QuerySet[Task]
    SampleBase = models.QuerySet[Sample]
    ReviewBase = models.QuerySet[Review]
    ReleaseBase = models.QuerySet[Release]
else:
    TaskBase = SampleBase = ReviewBase = ReleaseBase = models.QuerySet


class TaskQuerySet(TaskBase):
    def with_body(self) -> TaskQuerySet:
        return self.select_related("body")

    def with_sample_counts(self) -> TaskQuerySet:
        passed = models.Count("samples", filter=models.Q(samples__outcome="passed"))
        return self.annotate(sample_count=models.Count("samples"), passed_count=passed)


class SampleQuerySet(SampleBase):
    def for_list(self) -> SampleQuerySet:
        """What a list shows, in one query and without a body."""
        return self.select_related("task", "source")

    def with_body(self) -> SampleQuerySet:
        return self.select_related("task__body", "body", "source")

    def verified(self) -> SampleQuerySet:
        return self.exclude(outcome="")

    def passed(self) -> SampleQuerySet:
        return self.filter(outcome="passed")

    def with_trace(self) -> SampleQuerySet:
        return self.filter(has_trace=True)

    def reviewed(self) -> SampleQuerySet:
        return self.exclude(verdict="")

    def unreviewed(self) -> SampleQuerySet:
        return self.filter(verdict="")


class ReviewQuerySet(ReviewBase):
    def with_reviewer(self) -> ReviewQuerySet:
        return self.select_related("reviewer")

    def for_sample(self, sample_id: Any) -> ReviewQuerySet:
        return self.filter(sample_id=sample_id).with_reviewer()


class ReleaseQuerySet(ReleaseBase):
    def ready(self) -> ReleaseQuerySet:
        return self.filter(state="done")
