"""The values that a filter may be given, most frequent first, each with the rows that it would leave."""

from __future__ import annotations

from datasets_app.browse.list.clusters import clusters_of
from datasets_app.browse.list.facets import facet, total_of
from datasets_app.browse.query.fields import NONE, ChoiceField, Field, IdField
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.link_fields import LinkField
from datasets_app.browse.query.sets import Sets
from datasets_app.db.facet_index import read
from datasets_app.db.facet_index.facets import names
from datasets_app.models import Task

MOST = 40
Counted = list[tuple[str, int | None]]


def values_of(field: Field, begun: str, rest: BrowseFilter) -> Counted:
    """Return the values of `field` that contain `begun`, with counts among the rows of `rest`; None: not counted."""
    if field.name == "task":
        named = Task.objects.filter(name__icontains=begun).order_by("name").values_list("name", flat=True)
        return [(name, None) for name in named.distinct()[:MOST]]
    if field.name == "cluster":
        clusters = clusters_of(rest, MOST)
        return [
            (cluster.name, None if clusters.at_least else cluster.count)
            for cluster in clusters.rows
            if cluster.name.startswith(begun.lower())
        ]
    if field.name not in names() or isinstance(field, IdField):
        return []
    counts = counted(field, Sets(rest.having(field.name), read()))
    fitting = [(value, n) for value, n in counts.items() if fits(field, value, begun.lower())]
    return sorted(fitting, key=lambda item: (not item[0].lower().startswith(begun.lower()), -(item[1] or 0)))[
        :MOST
    ]


def fits(field: Field, value: str, begun: str) -> bool:
    return begun in value.lower() or begun in field.facet_word(value).lower()


def counted(field: Field, sets: Sets) -> dict[str, int | None]:
    """Return the values of rows, then allowed ones without rows. Counts are None if they would be lower bounds."""
    counts: dict[str, int | None] = {entry.value: entry.count for entry in facet(field.name, sets).values}
    for value in field.allowed() if isinstance(field, ChoiceField) else []:
        if value not in counts:
            counts[value] = total_of(field.name, value, sets)
    if isinstance(field, LinkField):
        counts[NONE] = total_of(field.name, NONE, sets)
    return dict.fromkeys(counts) if sets.cut_short else counts
