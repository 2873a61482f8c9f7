"""Links the turns of a trajectory, and kernels with the ones that they translate into another language.

A relative is named by a sample's id, or by its own id within the same source. It may come later in the file, so the
name is kept with the sample until the whole file is read. A name that matches no sample, or several, is kept: a later
file may bring it.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction

from datasets_app.db.batched import batched
from datasets_app.ingest.rows import SamplePart
from datasets_app.models import Ingest, Sample, SampleBody
from datasets_app.models.identity import as_uuid

KEYS = ("parent", "twin")  # of a sample's extra columns, and the fields that take their place
AT_ONCE = 200


def keep_references(part: SamplePart) -> dict[str, Any]:
    """Return the extra columns with the names of the relatives that are still to be found."""
    return {**part.extra, **{key: name for key in KEYS if (name := getattr(part, key))}}


def names_relative(extra: Mapping[str, Any]) -> bool:
    return any(key in extra for key in KEYS)


def link_relatives(ingest: Ingest, among: Collection[uuid.UUID] | None = None) -> int:
    """Link the samples of this ingest, or those `among` them, to the parents and twins that they name. Return how many
    links were made.

    Outside of a transaction other writers can work between groups of samples. A second call links what is left.
    """
    return sum(link_all(key, ingest, among) for key in KEYS)


def link_all(key: str, ingest: Ingest, among: Collection[uuid.UUID] | None) -> int:
    waiting = SampleBody.objects.filter(sample__ingest=ingest, extra__has_key=key)
    if among is not None:
        waiting = waiting.filter(pk__in=among)
    ids = list(waiting.order_by("sample_id").values_list("sample_id", flat=True))
    return sum(link(key, part, ingest) for part in batched(ids, AT_ONCE))


@transaction.atomic
def link(key: str, ids: Sequence[uuid.UUID], ingest: Ingest) -> int:
    waiting = SampleBody.objects.filter(pk__in=ids, extra__has_key=key)
    bodies = list(waiting.only("sample_id", "extra").order_by("sample_id"))
    named = {str(body.extra[key]) for body in bodies}
    relatives = find(named, ingest.source_id or 0)
    linked = [body for body in bodies if relatives.get(str(body.extra[key])) not in (None, body.sample_id)]
    rows = []
    for body in linked:
        row = Sample(id=body.sample_id)
        setattr(row, f"{key}_id", relatives[str(body.extra.pop(key))])
        rows.append(row)
    Sample.objects.bulk_update(rows, [key])
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
