"""The rows of the database as rules see them: one query of scalars, streamed; never a body."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from datasets_app.curate import evidence, fingerprints
from datasets_app.curate.definition import Definition
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Rule
from datasets_app.curate.rules.held_out import HeldOut
from datasets_app.curate.selection import Selection, apply
from datasets_app.models import Sample, Task

CHUNK = 2000
FINGERPRINTS_ON_A_PAGE = 2000  # a page makes so many at most, some 2 s of work; a worker makes the rest

# field of Row -> column. Fingerprints join two more tables, so they are read only where a rule needs them.
COLUMNS = {
    "id": "id",
    "task": "task_id",
    "task_name": "task__name",
    "kind": "task__kind",
    "suite": "task__suite",
    "level": "task__level",
    "operators": "task__operator_count",
    "source": "source__name",
    "licence": "source__licence",
    "generator": "generator",
    "language": "language",
    "trace_tokens": "trace_tokens",
    "tokenizer": "tokenizer",
    "claimed_speedup": "claimed_speedup",
    "claimed_correct": "claimed_correct",
    "outcome": "outcome",
    "measured_speedup": "measured_speedup",
    "device": "device",
    "verdict": "verdict",
}
ON_DEMAND = {"kernel": "fingerprint__sha256", "program": "task__fingerprint__sha256"}


def rows(needs: Collection[str] = ()) -> Iterator[Row]:
    """Every sample, in the order that the database likes."""
    columns = COLUMNS | {name: column for name, column in ON_DEMAND.items() if name in needs}
    severities = read_severities() if "findings" in needs else {}
    samples = Sample.objects.order_by().values_list(*columns.values())
    for values in samples.iterator(chunk_size=CHUNK):
        fields = dict(zip(columns, values, strict=True))
        yield make_row(fields, severities)


def make_row(fields: dict[str, Any], severities: dict[str, frozenset[str]]) -> Row:
    ident = str(fields["id"])
    fields.update(id=ident, task=str(fields["task"]), findings=severities.get(ident, frozenset()))
    for name in ON_DEMAND:
        fields[name] = fields.get(name) or ""
    return Row(**fields)


def read_severities() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for ident, severity in evidence.source.severities():
        found[str(ident)] = found.get(str(ident), frozenset()) | {severity}
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
