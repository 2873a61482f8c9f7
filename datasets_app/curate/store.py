"""The rows of the database as rules see them: one query of scalars, streamed; never a body."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from django.db.models import CharField, Value
from django.db.models.functions import Cast, Coalesce

from datasets_app.curate import fingerprints
from datasets_app.curate.definition import Definition
from datasets_app.curate.device import on_its_device
from datasets_app.curate.evidence import Findings, findings_on
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Rule
from datasets_app.curate.rules.held_out import HeldOut
from datasets_app.curate.selection import Selection, apply
from datasets_app.models import Sample, SampleTag, Task
from datasets_app.models.licence import joined
from datasets_app.models.sample import SampleQuerySet

CHUNK = 2000
FINGERPRINTS_ON_A_PAGE = 2000  # a page makes so many at most, some 2 s of work; a worker makes the rest

# In the order of Row's fields up to `runs_disagree`.
COLUMNS = (
    "id_text",
    "task_text",
    "task__name",
    "task__kind",
    "task__suite",
    "task__level",
    "task__operator_count",
    "task__operator_calls",
    "source__name",
    "licence_text",
    "generator",
    "language",
    "trace_tokens",
    "tokenizer",
    "claimed_speedup",
    "claimed_correct",
    "verdict",
    "decided",
    "there__speedup",
    "speedup_low",
    "profile",
    "runs_disagree",
)
LICENCE = COLUMNS.index("licence_text") - 2  # after the two ids
# The next of Row's fields, which join more tables or convert more values: read where a rule needs them.
COSTLY = {
    "verified_at": "there__finished_at",
    "changed": "there__environment__changed",
    "time_confirmed": "there__time_confirmed",
    "custom_kernel_share": "there__custom_kernel_share",
    "kernel": "fingerprint__sha256",
    "program": "task__fingerprint__sha256",
}
NONE: frozenset[str] = frozenset()
NOTHING_NOTICED = Findings()


def rows(device: str, needs: Collection[str] = (), first: int | None = None) -> Iterator[Row]:
    """Yield every sample with its evidence on `device`, in the order that the database likes.

    `first`: at most this number of samples, those of the tasks with the smallest ids."""
    costly = [column if name in needs else "none" for name, column in COSTLY.items()]
    findings = findings_on(device) if "findings" in needs else {}
    tags = read_tags() if "tags" in needs else {}
    samples = samples_on(device) if first is None else samples_on(device).order_by("task_id")[:first]
    for values in samples.values_list(*COLUMNS, *costly).iterator(chunk_size=CHUNK):
        ident, task, *scalars = values
        scalars[LICENCE] = joined(scalars[LICENCE])
        ident = dashed(ident)
        noticed = findings.get(ident, NOTHING_NOTICED)
        yield Row._make((ident, dashed(task), *scalars, *noticed, tags.get(ident, NONE)))


def samples_on(device: str) -> SampleQuerySet:
    """Return samples with their evidence joined; missing values become Row's defaults in the database."""
    return (
        Sample.objects.order_by()
        .with_evidence_on(device)
        .with_licence()
        .annotate(
            id_text=Cast("id", CharField()),
            task_text=Cast("task_id", CharField()),
            decided=Coalesce("there__outcome", Value("")),
            speedup_low=Coalesce("there__between_low", "there__speedup_low"),
            profile=Coalesce("there__profile", Value("")),
            runs_disagree=Coalesce("there__runs_disagree", False),
            none=Value(None, output_field=CharField()),
        )
    )


def rows_of_some_tasks(device: str, needs: Collection[str], most: int) -> list[Row]:
    """Return all samples of the tasks with the smallest ids, about `most` in all; of a task with more, that many."""
    read_rows = list(rows(device, needs, most))
    cut = read_rows[-1].task  # its other samples may be beyond the last that was read
    return [row for row in read_rows if row.task != cut] or read_rows


def dashed(uuid_text: str) -> str:
    """Return a UUID's text with dashes, which SQLite omits. Two UUID objects per row would take most of the time."""
    t = uuid_text
    return t if len(t) == 36 else f"{t[:8]}-{t[8:12]}-{t[12:16]}-{t[16:20]}-{t[20:]}"


def read_tags() -> dict[str, frozenset[str]]:
    """Return sample id to the names of its tags; most samples have none."""
    by_sample: dict[str, frozenset[str]] = {}
    rows = SampleTag.objects.order_by().values_list("sample_id", "tag__name")
    for ident, name in rows.iterator(chunk_size=CHUNK):
        by_sample[str(ident)] = by_sample.get(str(ident), NONE) | {name}
    return by_sample


def context_for(definition: Definition) -> Context:
    suites = {
        suite
        for rule in every_rule(definition.rules)
        if isinstance(rule, HeldOut)
        for suite in rule["suites"]
    }
    return Context(definition.seed, {suite: programs_of(suite) for suite in suites})


def every_rule(rules: tuple[Rule, ...]) -> Iterator[Rule]:
    for rule in rules:
        yield rule
        yield from every_rule(rule.rules)


def programs_of(suite: str) -> frozenset[str]:
    """Return the fingerprints of a suite's programs, or of one level's if it is written suite/level."""
    name, _, level = suite.partition("/")
    tasks = Task.objects.filter(suite=name, fingerprint__isnull=False)
    if level:
        tasks = tasks.filter(level=level) if level.isdigit() else tasks.none()
    return frozenset(tasks.values_list("fingerprint__sha256", flat=True))


def select(
    definition: Definition, watched: Collection[str] = (), fingerprint_limit: int | None = None
) -> Selection:
    """Return what `definition` chooses from the store now. Makes the fingerprints that it needs, up to the limit."""
    fingerprints.fill_needed(definition.needs(), fingerprint_limit)
    return select_stored(definition, watched)


def select_stored(definition: Definition, watched: Collection[str] = ()) -> Selection:
    """As `select`, and writes nothing: the fingerprints that it needs are made before."""
    definition = on_its_device(definition)
    stored = rows(definition.device, definition.needs())
    return apply(definition, stored, context_for(definition), watched)
