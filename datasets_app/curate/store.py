"""The rows of the database as rules see them: one query of scalars, streamed; never a body."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from uuid import UUID

from django.db.models import Case, CharField, F, FloatField, IntegerField, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce

from datasets_app.browse.query.hidden_reviews import HiddenReviews
from datasets_app.curate import fingerprints
from datasets_app.curate.contamination import contaminated
from datasets_app.curate.definition import Definition
from datasets_app.curate.device import on_its_device
from datasets_app.curate.evidence import Findings, findings_on
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Rule
from datasets_app.curate.rules.decontaminate import Decontaminate
from datasets_app.curate.rules.held_out import HeldOut
from datasets_app.curate.rules.near_duplicates import LikeJudged
from datasets_app.curate.selection import Selection, apply
from datasets_app.models import Sample, SampleTag, Task, TaskFinding
from datasets_app.models.honeypot import honeypot_ids
from datasets_app.models.licence import joined
from datasets_app.models.sample import SampleQuerySet
from datasets_app.text_input.numbers import whole_number
from datasets_app.traces.difficulty import Traces, read_arls, read_traces

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
    "task__problem",
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
    "shown_verdict",
    "shown_votes",
    "shown_agreement",
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
    "cluster": "fingerprint__cluster",
}
NONE: frozenset[str] = frozenset()
NO_TRACES: Traces = {}
NOTHING_NOTICED = Findings()


def rows(
    device: str,
    needs: Collection[str] = (),
    first: int | None = None,
    hidden: HiddenReviews | None = None,
    tasks: Collection[UUID] | None = None,
) -> Iterator[Row]:
    """Yield every sample but honeypots and withdrawn ones with its evidence on `device`, in the database's order.

    `first`: at most this number of samples, those of the tasks with the smallest ids. `hidden`: the reviews that the
    reader may not see; their samples count as unreviewed. `tasks`: only their samples.
    """
    costly = [column if name in needs else "none" for name, column in COSTLY.items()]
    known = honeypots()
    findings = findings_on(device) if "findings" in needs else {}
    tags = read_tags() if "tags" in needs else {}
    superseded = read_superseded() if "superseded" in needs else NONE
    arls = read_arls() if "arl" in needs else {}
    traces = read_traces() if "traces" in needs else {}
    task_findings = read_task_findings() if "task_findings" in needs else {}
    samples = samples_on(device).annotate(**reviews_shown(hidden))
    samples = samples if tasks is None else samples.filter(task_id__in=tasks)
    samples = samples if first is None else samples.order_by("task_id")[:first]
    for values in samples.values_list(*COLUMNS, *costly).iterator(chunk_size=CHUNK):
        ident, task, *scalars = values
        scalars[LICENCE] = joined(scalars[LICENCE])
        ident = dashed(ident)
        if ident in known:
            continue
        noticed = findings.get(ident, NOTHING_NOTICED)
        task = dashed(task)
        of_task = (arls.get(task), traces.get(task, NO_TRACES), task_findings.get(task, NONE))
        listed = (tags.get(ident, NONE), ident in superseded, *of_task)
        yield Row._make((ident, task, *scalars, *noticed, *listed))


def samples_on(device: str) -> SampleQuerySet:
    """Return samples with their evidence joined; missing values become Row's defaults in the database."""
    return (
        Sample.objects.order_by()
        .in_use()
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


def reviews_shown(hidden: HiddenReviews | None) -> dict[str, Combinable]:
    """Return the sample's columns about reviews; those of an unreviewed sample where they are hidden."""
    if hidden is None:
        return {"shown_verdict": F("verdict"), "shown_votes": F("votes"), "shown_agreement": F("agreement")}
    unseen = hidden.condition()
    return {
        "shown_verdict": Case(When(unseen, then=Value("")), default=F("verdict"), output_field=CharField()),
        "shown_votes": Case(When(unseen, then=Value(0)), default=F("votes"), output_field=IntegerField()),
        "shown_agreement": Case(
            When(unseen, then=Value(None)), default=F("agreement"), output_field=FloatField()
        ),
    }


def rows_of_some_tasks(
    device: str, needs: Collection[str], most: int, hidden: HiddenReviews | None = None
) -> list[Row]:
    """Return all samples of the tasks with the smallest ids, about `most` in all; of a task with more, that many."""
    read_rows = list(rows(device, needs, most, hidden))
    cut = read_rows[-1].task  # its other samples may be beyond the last that was read
    return [row for row in read_rows if row.task != cut] or read_rows


def dashed(uuid_text: str) -> str:
    """Return a UUID's text with dashes, which SQLite omits. Two UUID objects per row would take most of the time."""
    t = uuid_text
    return t if len(t) == 36 else f"{t[:8]}-{t[8:12]}-{t[12:16]}-{t[16:20]}-{t[20:]}"


def honeypots() -> frozenset[str]:
    """Return the ids that no recipe ever chooses: honeypots and their revisions, some hundred at most."""
    return frozenset(map(str, honeypot_ids()))


def read_tags() -> dict[str, frozenset[str]]:
    """Return sample id to the names of its tags; most samples have none."""
    by_sample: dict[str, frozenset[str]] = {}
    rows = SampleTag.objects.order_by().values_list("sample_id", "tag__name")
    for ident, name in rows.iterator(chunk_size=CHUNK):
        by_sample[str(ident)] = by_sample.get(str(ident), NONE) | {name}
    return by_sample


def read_superseded() -> frozenset[str]:
    """Return the ids of the samples that a revision replaced; most sites have few."""
    return frozenset(str(pk) for pk in Sample.objects.superseded().order_by().values_list("pk", flat=True))


def context_for(definition: Definition) -> Context:
    rules = list(every_rule(definition.rules))
    suites = {suite for rule in rules if isinstance(rule, HeldOut) for suite in rule["suites"]}
    verdicts = {verdict for rule in rules if isinstance(rule, LikeJudged) for verdict in rule["verdicts"]}
    return Context(
        definition.seed,
        {suite: programs_of(suite) for suite in suites},
        {verdict: clusters_of(verdict) for verdict in verdicts},
        {rule.key(): contaminated(rule) for rule in rules if isinstance(rule, Decontaminate)},
    )


def every_rule(rules: tuple[Rule, ...]) -> Iterator[Rule]:
    for rule in rules:
        yield rule
        yield from every_rule(rule.rules)


def clusters_of(verdict: str) -> frozenset[str]:
    """Return the clusters of similar kernels in which a sample has the verdict."""
    judged = Sample.objects.filter(verdict=verdict, fingerprint__isnull=False).exclude(pk__in=honeypot_ids())
    clusters = (
        judged.exclude(fingerprint__cluster="").order_by().values_list("fingerprint__cluster", flat=True)
    )
    return frozenset(clusters)


def programs_of(suite: str) -> frozenset[str]:
    """Return the fingerprints of a suite's programs, or of one level's if it is written suite/level."""
    name, _, level = suite.partition("/")
    tasks = Task.objects.filter(suite=name, fingerprint__isnull=False)
    if level:
        number = whole_number(level, 0, 2**15 - 1)
        tasks = tasks.none() if number is None else tasks.filter(level=number)
    return frozenset(tasks.values_list("fingerprint__sha256", flat=True))


def select(
    definition: Definition,
    watched: Collection[str] = (),
    fingerprint_limit: int | None = None,
    hidden: HiddenReviews | None = None,
) -> Selection:
    """Return what `definition` chooses from the store now. Makes the fingerprints that it needs.

    With a limit, which is for a page: that many at most, and only those that rules need. Splits are then drawn by what
    is known of similar kernels.
    """
    if fingerprint_limit is None:
        fingerprints.fill_needed(definition.needs())
    else:
        fingerprints.fill_needed(definition.rule_needs(), fingerprint_limit)
    return select_stored(definition, watched, hidden)


def select_stored(
    definition: Definition, watched: Collection[str] = (), hidden: HiddenReviews | None = None
) -> Selection:
    """As `select`, and writes nothing: the fingerprints that it needs are made before."""
    definition = on_its_device(definition)
    stored = rows(definition.device, definition.needs(), hidden=hidden)
    return apply(definition, stored, context_for(definition), watched)


def read_task_findings() -> dict[str, frozenset[str]]:
    """Return the admission findings of the tasks that have any; one query."""
    found: dict[str, set[str]] = {}
    for task, code in (
        TaskFinding.objects.order_by().values_list("task_id", "code").iterator(chunk_size=CHUNK)
    ):
        found.setdefault(str(task), set()).add(code)
    return {task: frozenset(codes) for task, codes in found.items()}
