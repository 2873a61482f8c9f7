"""Links the turns of a trajectory. A parent is named by a sample's id, or by its own id within the same source.

Parents may come after their children in the file, so the name is kept with the sample until the whole file is read. A
name that matches no sample, or several, is kept: a later file may bring the parent.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from datasets_app.ingest.rows import SamplePart
from datasets_app.models import Ingest, Sample, SampleBody

KEY = "parent"
AT_ONCE = 200


def keep_reference(part: SamplePart) -> dict[str, Any]:
    return {**part.extra, KEY: part.parent} if part.parent else dict(part.extra)


def names_parent(extra: Mapping[str, Any]) -> bool:
    return KEY in extra


def link_parents(ingest: Ingest) -> int:
    """Link the samples of this ingest to the parents that they name. Return how many were linked.

    Outside of a transaction other writers can work between groups of children. A second call links what is left.
    """
    waiting = SampleBody.objects.filter(sample__ingest=ingest, extra__has_key=KEY)
    ids = list(waiting.order_by("sample_id").values_list("sample_id", flat=True))
    return sum(link(ids[start : start + AT_ONCE], ingest) for start in range(0, len(ids), AT_ONCE))


@transaction.atomic
def link(ids: list[uuid.UUID], ingest: Ingest) -> int:
    waiting = SampleBody.objects.filter(pk__in=ids, extra__has_key=KEY)
    children = list(waiting.only("sample_id", "extra").order_by("sample_id"))
    named = {str(body.extra[KEY]) for body in children}
    parents = find(named, ingest.source_id or 0)
    linked = [body for body in children if parents.get(str(body.extra[KEY])) not in (None, body.sample_id)]
    rows = [Sample(id=body.sample_id, parent_id=parents[str(body.extra.pop(KEY))]) for body in linked]
    Sample.objects.bulk_update(rows, ["parent"])
    SampleBody.objects.bulk_update(linked, ["extra"])
    return len(linked)


def find(names: set[str], source_id: int) -> dict[str, uuid.UUID]:
    """Return the sample ids of those names that match exactly one sample."""
    ids = {name: pk for name in names if (pk := as_uuid(name))}
    stored = set(Sample.objects.filter(pk__in=ids.values()).values_list("pk", flat=True))
    by_id = {name: pk for name, pk in ids.items() if pk in stored}
    rows = Sample.objects.filter(source_id=source_id, external_id__in=names - set(by_id))
    by_name: dict[str, list[uuid.UUID]] = {}
    for name, pk in rows.values_list("external_id", "pk"):
        by_name.setdefault(name, []).append(pk)
    return {**{name: matches[0] for name, matches in by_name.items() if len(matches) == 1}, **by_id}


def as_uuid(name: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(name)
    except ValueError:
        return None
