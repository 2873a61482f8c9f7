"""The values that a filter may be given, most frequent first, each with the rows that it would leave."""

from __future__ import annotations

from typing import Any

from django.db.models import Count

from datasets_app.browse.evidence import verifications
from datasets_app.browse.fields import NO, NONE, YES, ChoiceField, Field, FlagField, NameField, StateField
from datasets_app.browse.filter import BrowseFilter
from datasets_app.browse.link_fields import LinkField
from datasets_app.models import Operator, Task

MOST = 40
Counted = list[tuple[str, int | None]]


def values_of(field: Field, begun: str, rest: BrowseFilter) -> Counted:
    """Values of `field` that hold `begun`, among the rows of `rest`; a count of None was not taken."""
    rows = rest.queryset(without=[field.name])
    if isinstance(field, StateField):
        return [(value, None) for value in field.allowed() if begun.lower() in value]
    if isinstance(field, ChoiceField):
        return choices(field, begun.lower(), rows)
    if isinstance(field, LinkField):
        return linked(field, begun, rows if rest else None)
    if isinstance(field, FlagField):
        return [
            (value, rows.filter(field.condition((value,))).count()) for value in (YES, NO) if begun in value
        ]
    return open_values(field, begun, rows)


def choices(field: ChoiceField, begun: str, rows: Any) -> Counted:
    """All that are allowed, also those that no row has: a closed list is worth knowing whole."""
    found = dict(rows.values_list(field.lookup).annotate(n=Count("pk")).order_by())
    counts = {value: sum(found.get(cell, 0) for cell in field.cells((value,))) for value in field.allowed()}
    fitting = [
        (value, n) for value, n in counts.items() if begun in value or begun in field.word(value).lower()
    ]
    return sorted(fitting, key=lambda item: (not item[0].startswith(begun), -item[1]))


def linked(field: LinkField, begun: str, rows: Any) -> Counted:
    links = field.samples().filter(**{f"{field.path}__icontains": begun})
    if rows is not None:
        links = links.filter(sample__in=rows.values("pk"))
    counted = (
        links.values_list(field.path).annotate(n=Count("sample", distinct=True)).order_by("-n", field.path)
    )
    return [*counted[:MOST], *([(NONE, None)] if NONE.startswith(begun.lower()) else [])]


def open_values(field: Field, begun: str, rows: Any) -> Counted:
    if isinstance(field, NameField):
        return counted_column(field.lookup, begun, rows)
    if field.name == "device":
        return counted_column("device", begun, rows)
    if field.name == "task":
        return uncounted(Task.objects.filter(name__icontains=begun).order_by("name").values_list("name"))
    if field.name == "operator":
        return uncounted(Operator.objects.filter(name__icontains=begun).order_by("name").values_list("name"))
    if field.name == "finding":
        codes = verifications().filter(findings__code__icontains=begun).order_by("findings__code")
        return uncounted(codes.values_list("findings__code"))
    return []


def counted_column(lookup: str, begun: str, rows: Any) -> Counted:
    fitting = rows.filter(**{f"{lookup}__icontains": begun}) if begun else rows
    found = fitting.values_list(lookup).annotate(n=Count("pk")).order_by("-n", lookup)[:MOST]
    return [(value or NONE, n) for value, n in found]


def uncounted(rows: Any) -> Counted:
    return [(value, None) for (value,) in rows.distinct()[:MOST]]
