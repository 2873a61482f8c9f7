"""The facts of an export's samples at one moment: outcome, speedup, verdict and everything else that may change.

They are read in one snapshot and written to a file; the texts, which never change, are joined later. An export that
takes an hour holds what was true when it began, and the snapshot is open for seconds.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson

from datasets_app.accounts.actor import account
from datasets_app.browse.query.hidden_reviews import hidden_from
from datasets_app.browse.query.sets import few_numbered
from datasets_app.bulk.groups import number, numbers_of
from datasets_app.db.snapshot import read_snapshot
from datasets_app.export.columns import FROZEN_LOOKUPS, facts
from datasets_app.export.files import HashingStream, write_whole
from datasets_app.jobs import job_row
from datasets_app.jobs.heartbeat import heartbeat_thread
from datasets_app.models import BulkAction

AT_ONCE = 2000
# In blind review, until the reviewer's own review: what people decided and wrote about the sample.
AS_UNREVIEWED = {"verdict": "", "votes": 0, "agreement": None, "notes": [], "preferences": []}
Row = dict[str, Any]


class Facts:
    """One line per sample, in the order of their numbers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: Iterator[Row] = iter(())

    def fix(self, bulk: BulkAction) -> None:
        """Write the file, unless an earlier attempt did: a resumed export rests on the same snapshot."""
        if not self.path.exists():
            with heartbeat_thread(bulk), read_snapshot():
                write_whole(self.path, lambda stream: write(stream, bulk))
        self.lines = self.read()
        if bulk.counted:  # at the time of the request; further samples may match by now
            job_row.renew(bulk, total=sum(1 for _ in self.read()))

    def read(self) -> Iterator[Row]:
        with self.path.open("rb") as file:
            for line in file:
                yield orjson.loads(line)

    def numbers(self) -> array[int]:
        return array("q", (row["number"] for row in self.read()))

    def of(self, ids: Sequence[UUID]) -> dict[UUID, Row]:
        """Return the rows of these samples, which follow those of the previous call."""
        wanted = set(ids)
        rows: dict[UUID, Row] = {}
        while len(rows) < len(wanted) and (row := next(self.lines, None)) is not None:
            if (pk := UUID(row["id"])) in wanted:
                rows[pk] = row
        return rows

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)


def write(stream: HashingStream, bulk: BulkAction) -> None:
    numbers, hidden = numbers_of(bulk), hidden_from(account(bulk.actor))
    for start in range(0, len(numbers), AT_ONCE):
        rows = few_numbered(numbers[start : start + AT_ONCE])
        if bulk.ids is None:  # samples stored after the request are left alone: it named a count
            rows = rows.filter(created_at__lte=bulk.created_at)
        ordered = rows.with_headline_evidence().with_licence().annotate(number=number()).order_by("number")
        found = list(ordered.values_list("number", "pk", *FROZEN_LOOKUPS))
        number_of = {str(pk): place for place, pk, *_ in found}
        unseen = {str(pk) for pk in hidden.among(pk for _, pk, *_ in found)} if hidden else set()
        for pk, row in facts({str(pk): values for _, pk, *values in found}).items():
            line = {"number": number_of[pk], "id": pk, **row}
            stream.write(orjson.dumps(line | AS_UNREVIEWED if pk in unseen else line) + b"\n")
