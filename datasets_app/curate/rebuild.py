"""Check a release: does its hash hold over its rows, what would the same recipe choose today, and do splits leak?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from datasets_app.curate.canonical import ContentHash
from datasets_app.curate.definition import parse
from datasets_app.curate.leaks import SplitReport, report
from datasets_app.curate.row import Row
from datasets_app.curate.selection import Chosen
from datasets_app.curate.snapshot import Snapshot, snapshots
from datasets_app.curate.store import select
from datasets_app.models import Release, ReleaseRow, Sample

CHUNK = 500


@dataclass
class Difference:
    """One row that a rebuild today would treat otherwise."""

    sample: str
    change: str  # added, removed, changed
    why: str


@dataclass
class Check:
    release: str
    stored_sha256: str
    computed_sha256: str = ""
    hash_holds: bool = False
    rows: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def same(self) -> bool:
        return self.hash_holds and not self.differences

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"same": self.same}


def check(release: Release) -> Check:
    """Read the frozen rows once, in order, beside what the frozen definition selects now. Changes nothing."""
    frozen_ids = {
        str(pk) for pk in release.rows.values_list("sample_id", flat=True).iterator(chunk_size=CHUNK)
    }
    definition = replace(parse(release.definition), device=release.device)
    selection = select(definition, watched=frozen_ids)
    today = {chosen.row.id: chosen for chosen in selection.chosen}
    result, content = Check(release.name, release.content_sha256), ContentHash()
    for batch in frozen_batches(release):
        ids = [str(row.sample_id) for row in batch]
        facts = snapshots(ids, selection.device)
        left_out = withdrawn(ids)
        for row in batch:
            content.add(row.sample_id, row.split, row.reason, row.snapshot)
            sample = str(row.sample_id)
            fate = left_out.get(sample) or selection.fates.get(sample, "")
            compare(result, row, today.pop(sample, None), facts.get(sample, {}), fate)
    for sample, chosen in sorted(today.items()):
        result.differences.append(
            Difference(sample, "added", f"{chosen.reason} chooses it now, as {chosen.split}")
        )
    result.computed_sha256 = content.hexdigest()
    result.hash_holds = result.computed_sha256 == release.content_sha256 and result.rows == release.row_count
    return result


# Of Row, by keyword; the rows of a release have all of them.
OF_ROW = {
    "id": "sample_id",
    "task": "sample__task_id",
    "suite": "sample__task__suite",
    "level": "sample__task__level",
    "problem": "sample__task__problem",
    "program": "sample__task__fingerprint__sha256",
    "kernel": "sample__fingerprint__sha256",
    "cluster": "sample__fingerprint__cluster",
}


def split_report(release: Release) -> SplitReport:
    """Return what the frozen splits share by what is known today of programs and similar kernels."""
    rows = release.rows.order_by("position").values_list("split", *OF_ROW.values())
    placed = (
        (
            Row(**{**dict(zip(OF_ROW, values, strict=True)), "id": str(values[0]), "task": str(values[1])}),
            split,
        )
        for split, *values in rows.iterator(chunk_size=CHUNK)
    )
    return report(placed, parse(release.definition).together)


def frozen_batches(release: Release) -> Iterator[list[ReleaseRow]]:
    last = -1
    while batch := list(release.rows.filter(position__gt=last).order_by("position")[:CHUNK]):
        yield batch
        last = batch[-1].position


def withdrawn(ids: list[str]) -> dict[str, str]:
    """Return why no rule judged those of these samples that were withdrawn."""
    rows = Sample.objects.filter(pk__in=ids, withdrawn=True).values_list("pk", flat=True)
    return {str(pk): "the sample is withdrawn" for pk in rows}


def compare(result: Check, row: ReleaseRow, now: Chosen | None, facts: Snapshot, fate: str) -> None:
    result.rows += 1
    sample = str(row.sample_id)
    if now is None:
        result.differences.append(Difference(sample, "removed", fate or "no recipe judges the sample now"))
        return
    before = {"split": row.split, "reason": row.reason, **row.snapshot}
    after = {"split": now.split, "reason": now.reason, **facts}
    changes = [
        f"{name}: {before.get(name)!r} became {after.get(name)!r}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]
    if changes:
        result.differences.append(Difference(sample, "changed", "; ".join(changes)))
