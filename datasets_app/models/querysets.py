"""The reading vocabulary: each word is one queryset method, built on the ones before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import connections, models
from django.db.models.functions import Coalesce, Concat

from datasets_app.db.text_index import matching_ids
from datasets_app.models.licence import AND

if TYPE_CHECKING:
    from datasets_app.models import Release, Review, Sample, Task


class TaskQuerySet(models.QuerySet["Task"]):
    def search(self, text: str) -> TaskQuerySet:
        """Tasks whose program holds all the words, or whose name holds the text as it stands."""
        found = matching_ids(connections[self.db].vendor, "task", text)
        return self.filter(models.Q(pk__in=found) | models.Q(name__icontains=text))

    def with_body(self) -> TaskQuerySet:
        return self.select_related("body")

    def with_sample_counts(self) -> TaskQuerySet:
        """Counted for the rows that are read, not for all there are: a page of a long list stays cheap."""
        from datasets_app.models import Sample

        return self.annotate(
            sample_count=counted(Sample.objects.all()), passed_count=counted(Sample.objects.passed())
        )


def counted(samples: SampleQuerySet) -> Any:
    """The number of these samples that belong to the outer row's task."""
    of_task = samples.filter(task=models.OuterRef("pk")).order_by().values("task")
    return Coalesce(models.Subquery(of_task.annotate(n=models.Count("pk")).values("n")), 0)


THERE = ("outcome_there", "speedup_there")


class SampleQuerySet(models.QuerySet["Sample"]):
    def search(self, text: str) -> SampleQuerySet:
        """Samples whose program, trace and kernel together hold all the words (see db.text_index.terms)."""
        return self.filter(pk__in=matching_ids(connections[self.db].vendor, "sample", text))

    def for_list(self) -> SampleQuerySet:
        """What a list shows, in one query and without a body."""
        return self.select_related("task", "source").defer("sampling", "task__admission", "source__note")

    def with_body(self) -> SampleQuerySet:
        return self.select_related("task__body", "body", "source")

    def verified(self) -> SampleQuerySet:
        return self.exclude(outcome="")

    def passed(self) -> SampleQuerySet:
        return self.filter(outcome="passed")

    def stale(self) -> SampleQuerySet:
        """Whose newest evidence was found under versions that have changed since."""
        from datasets_app.models import Environment

        return self.filter(environment__in=list(Environment.objects.stale().values_list("key", flat=True)))

    def with_evidence_on(self, device: str) -> SampleQuerySet:
        """Join the evidence on this device, if any, as `there`: each with `outcome_there` and `speedup_there`."""
        named = {name: models.F(f"there__{name.removesuffix('_there')}") for name in THERE}
        return self.joined(models.Q(evidence__device=device)).annotate(**named)

    def with_result_on(self, device: str) -> SampleQuerySet:
        """Annotate `outcome_there` and `speedup_there` alone, by the cheaper of two ways to read the same values.

        Unless some sample's evidence on the device is not its headline, the samples' own columns hold all of it.
        """
        from datasets_app.models import DECIDING, Evidence

        if not device or Evidence.objects.on(device).beside_headlines().exists():
            return self.with_evidence_on(device)
        return self.annotate(
            outcome_there=models.Case(models.When(device=device, outcome__in=DECIDING, then="outcome")),
            speedup_there=models.Case(models.When(device=device, then="measured_speedup")),
        )

    def with_headline_evidence(self) -> SampleQuerySet:
        """Join the evidence that lists show, if any, as `there`; it is of the device that the sample names."""
        return self.joined(models.Q(evidence__is_headline=True))

    def joined(self, evidence: models.Q) -> SampleQuerySet:
        return self.annotate(there=models.FilteredRelation("evidence", condition=evidence))

    def with_licence(self) -> SampleQuerySet:
        """Annotate `licence_text`: the licences of source and program; licence.joined() drops repeated parts."""
        own, source = models.F("task__own_licence"), models.F("source__licence")
        both = Concat(source, models.Value(AND), own)
        return self.annotate(
            licence_text=models.Case(
                models.When(task__own_licence="", then=source),
                models.When(source__licence="", then=own),
                default=both,
            )
        )

    def with_trace(self) -> SampleQuerySet:
        return self.filter(has_trace=True)

    def reviewed(self) -> SampleQuerySet:
        return self.exclude(verdict="")

    def unreviewed(self) -> SampleQuerySet:
        return self.filter(verdict="")


class ReviewQuerySet(models.QuerySet["Review"]):
    def with_reviewer(self) -> ReviewQuerySet:
        return self.select_related("reviewer")

    def for_sample(self, sample_id: Any) -> ReviewQuerySet:
        return self.filter(sample_id=sample_id).with_reviewer()


class ReleaseQuerySet(models.QuerySet["Release"]):
    def ready(self) -> ReleaseQuerySet:
        return self.filter(state="done")
