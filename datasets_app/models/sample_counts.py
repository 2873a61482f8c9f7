"""How many samples a task has, beside the task's own columns."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Coalesce

from datasets_app.models.sample import Sample, SampleQuerySet
from datasets_app.models.task import TaskQuerySet


def with_sample_counts(tasks: TaskQuerySet) -> TaskQuerySet:
    """Annotate `sample_count` and `passed_count`, counted per row that is read: a page of a long list stays cheap."""
    return tasks.annotate(
        sample_count=counted(Sample.objects.all()), passed_count=counted(Sample.objects.passed())
    )


def counted(samples: SampleQuerySet) -> Coalesce:
    """Return the number of these samples that belong to the outer row's task."""
    of_task = samples.filter(task=models.OuterRef("pk")).order_by().values("task")
    return Coalesce(models.Subquery(of_task.annotate(n=models.Count("pk")).values("n")), 0)
