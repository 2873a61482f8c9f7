"""A sample's verifications as its page lists them: result, device, and what has changed since."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from datasets_app.evidence.choose import moment
from datasets_app.models import Evidence, MachineCode, StageChange, Verification
from eval_app.workers.fleet import Fleet

LOG_SHOWN = 60


@dataclass(frozen=True)
class HistoryRow:
    """One row of the history."""

    verification: Verification
    listings: list[MachineCode]  # without their texts

    @property
    def evidence(self) -> Evidence | None:
        """Return the evidence that rests on it, if it counts for the sample on its device."""
        return getattr(self.verification, "evidence", None)

    @property
    def changed(self) -> str:
        """Return what has changed since the run; empty if it is up to date."""
        environment = self.verification.environment
        return environment.changed if environment else ""

    @property
    def has_sass(self) -> bool:
        return any(code.kind == MachineCode.Kind.SASS for code in self.listings)


@dataclass(frozen=True)
class LogLine:
    """One line of the log; `seconds` until the next line, None for the present stage."""

    change: StageChange
    seconds: float | None


@dataclass(frozen=True)
class Unfinished:
    """A queued or running verification: why it waits, and its stages so far."""

    verification: Verification
    reason: str
    log: list[LogLine]


def deciding(rows: list[Verification]) -> Verification | None:
    """Return the sample's headline evidence; if nothing has decided, the newest finished run."""
    done = [row for row in rows if row.state == "done"]
    headline = (row for row in done if (evidence := getattr(row, "evidence", None)) and evidence.is_headline)
    return next(headline, None) or max(done, key=moment, default=None)


def history(rows: list[Verification]) -> list[HistoryRow]:
    """Return the rows of the history, with one query for the listings of those that were inspected."""
    inspected = listings_of(rows)
    return [HistoryRow(row, inspected[row.pk]) for row in rows]


def listings_of(rows: list[Verification]) -> dict[UUID, list[MachineCode]]:
    listings: dict[UUID, list[MachineCode]] = {row.pk: [] for row in rows}
    for code in MachineCode.objects.filter(verification__in=rows).defer("text"):
        listings[code.verification_id].append(code)
    return listings


def unfinished(rows: list[Verification], fleet: Fleet) -> list[Unfinished]:
    """Return the queued and running ones, with at most one query for their logs."""
    unfinished_rows = [row for row in rows if not row.is_finished]
    logs = logs_of(unfinished_rows)
    return [Unfinished(row, waits_for(fleet, row), logs[row.pk]) for row in unfinished_rows]


def logs_of(rows: list[Verification]) -> dict[UUID, list[LogLine]]:
    """Return the stages of each row in order."""
    changes: dict[UUID, list[StageChange]] = {row.pk: [] for row in rows}
    if rows:
        for change in StageChange.objects.filter(verification__in=rows).order_by("at", "id"):
            changes[change.verification_id].append(change)
    ends = {row.pk: row.finished_at for row in rows}
    return {pk: timed(stages, ends[pk])[-LOG_SHOWN:] for pk, stages in changes.items()}


def timed(changes: list[StageChange], end: datetime | None) -> list[LogLine]:
    moments = [*(change.at for change in changes[1:]), end]
    return [
        LogLine(change, (until - change.at).total_seconds() if until else None)
        for change, until in zip(changes, moments, strict=False)
    ]


def waits_for(fleet: Fleet, row: Verification) -> str:
    return fleet.waits_for(row.wanted_device, row.requirement) if row.state == "queued" else ""
