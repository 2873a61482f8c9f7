"""The rows of the database as rules see them: one query of scalars, streamed; never a body."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import CharField, Value
from django.db.models.functions import Cast

from datasets_app.curate import evidence, fingerprints
from datasets_app.curate.definition import Definition
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Rule
from datasets_app.curate.rules.held_out import HeldOut
from datasets_app.curate.selection import Selection, apply
from datasets_app.models import Sample, SampleTag, Task
from datasets_app.models.licence import joined

CHUNK = 2000
FINGERPRINTS_ON_A_PAGE = 2000  # a page makes so many at most, some 2 s of work; a worker makes the rest

# Columns in the order of Row's fields up to `verdict`. Fingerprints join two more tables: read where a rule needs them.
COLUMNS = (
    "id_text",
    "task_text",
    "task__name",
    "task__kind",
    "task__suite",
    "task__level",
    "task__operator_count",
    "source__name",
    "source__licence",
    "task__own_licence",
    "generator",
    "language",
    "trace_tokens",
    "tokenizer",
    "claimed_speedup",
    "claimed_correct",
    "outcome",
    "measured_speedup",
    "device",
    "verdict",
)
LICENCE = (
    COLUMNS.index("source__licence") - 2
)  # after the two ids; the program's own follows, and a row has both in one
FINGERPRINTS = {"kernel": "fingerprint__sha256", "program": "task__fingerprint__sha256"}
NONE: frozenset[str] = frozenset()


def rows(needs: Collection[str] = (), first: int | None = None) -> Iterator[Row]:
    """Every sample, in the order that the database likes; `first`: so many, by the ids of their tasks."""
    last = [column if name in needs else "none" for name, column in FINGERPRINTS.items()]
    severities = read_severities() if "findings" in needs else {}
    tags = read_tags() if "tags" in needs else {}
    samples = Sample.objects.order_by().annotate(
        id_text=Cast("id", CharField()), task_text=Cast("task_id", CharField()), none=Value("")
    )
    if first is not None:
        samples = samples.order_by("task_id")[:first]
    for values in samples.values_list(*COLUMNS, *last).iterator(chunk_size=CHUNK):
        yield make_row(values, severities, tags)


def rows_of_some_tasks(needs: Collection[str], most: int) -> list[Row]:
    """All samples of the tasks with the smallest ids, about `most` in all. Of a task with more, that many."""
    found = list(rows(needs, most))
    cut = found[-1].task  # its other samples may be beyond the last that was read
    return [row for row in found if row.task != cut] or found


def make_row(
    values: tuple[Any, ...], severities: dict[str, frozenset[str]], tags: dict[str, frozenset[str]]
) -> Row:
    ident, task, *facts, kernel, program = values
    facts[LICENCE : LICENCE + 2] = [joined(*facts[LICENCE : LICENCE + 2])]
    ident = dashed(ident)
    marks = (severities.get(ident, NONE), tags.get(ident, NONE))
    return Row._make((ident, dashed(task), *facts, *marks, kernel or "", program or ""))


def dashed(uuid_text: str) -> str:
    """SQLite keeps UUIDs as 32 digits. Text all the way: two UUID objects a row would take most of the time."""
    t = uuid_text
    return t if len(t) == 36 else f"{t[:8]}-{t[8:12]}-{t[12:16]}-{t[16:20]}-{t[20:]}"


def read_severities() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for ident, severity in evidence.severities():
        found[str(ident)] = found.get(str(ident), frozenset()) | {severity}
    return found


def read_tags() -> dict[str, frozenset[str]]:
    """Sample id to the names of its tags; tags are few, and most samples have none."""
    found: dict[str, frozenset[str]] = {}
    rows = SampleTag.objects.order_by().values_list("sample_id", "tag__name")
    for ident, name in rows.iterator(chunk_size=CHUNK):
        found[str(ident)] = found.get(str(ident), NONE) | {name}
    return found


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
    """Fingerprints of a suite's programs, or of one level's where it is written suite/level."""
    name, _, level = suite.partition("/")
    tasks = Task.objects.filter(suite=name, fingerprint__isnull=False)
    if level:
        tasks = tasks.filter(level=level) if level.isdigit() else tasks.none()
    return frozenset(tasks.values_list("fingerprint__sha256", flat=True))


def select(
    definition: Definition, watched: Collection[str] = (), fingerprint_limit: int | None = None
) -> Selection:
    """What `definition` chooses from the store now. Makes the fingerprints that it needs, up to the limit."""
    needs = definition.needs()
    fingerprints.fill_needed(needs, fingerprint_limit)
    return apply(definition, rows(needs), context_for(definition), watched)
