"""How far an edit is: decided by the runs of its newest version, and stored nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from datasets_app.models import Edit, EditState, EditVersion, Evidence, JobState, Outcome, Verification


class EditStatus(StrEnum):
    VERIFYING = "being verified"
    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "not decided"  # the run said nothing about the kernel, or was cancelled
    ACCEPTED = "accepted"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class Standing:
    """An edit with its newest version, the runs of that, newest first, and what follows from them."""

    edit: Edit
    version: EditVersion
    status: EditStatus
    runs: list[Verification] = field(default_factory=list)
    rests_on: list[Verification] = field(default_factory=list)  # of the base's kernel, which the edit keeps

    @property
    def is_acceptable(self) -> bool:
        return self.status is EditStatus.PASSED

    @property
    def newest(self) -> Verification | None:
        return self.runs[0] if self.runs else None


def standing_of(edit: Edit) -> Standing:
    return standings_of([edit])[0]


def standings_of(edits: Iterable[Edit]) -> list[Standing]:
    """Return the standing of each edit, without the texts of their versions; three queries for all, none for none."""
    rows = list(edits)
    if not rows:
        return []
    versions = EditVersion.objects.filter(edit__in=rows).defer("reasoning", "kernel_code").order_by("number")
    newest = {version.edit_id: version for version in versions}
    runs: dict[int, list[Verification]] = {}
    listed = Verification.runs.filter(edit_version__in=newest.values()).order_by("-created_at", "-id")
    for run in listed.select_related("environment"):
        runs.setdefault(run.edit_version_id or 0, []).append(run)
    kept = [edit.base_id for edit in rows if not newest[edit.pk].kernel_changed]
    rests: dict[object, list[Verification]] = {}
    if kept:
        for run in passing_runs(kept):
            rests.setdefault(run.sample_id, []).append(run)
    return [
        standing(edit, newest[edit.pk], runs.get(newest[edit.pk].pk, []), rests.get(edit.base_id, []))
        for edit in rows
    ]


def standing(
    edit: Edit, version: EditVersion, runs: list[Verification], base_runs: list[Verification]
) -> Standing:
    rests_on = [] if version.kernel_changed else base_runs
    return Standing(edit, version, status_by(edit, runs, rests_on), runs, rests_on)


def status_by(edit: Edit, runs: list[Verification], rests_on: list[Verification]) -> EditStatus:
    """Return what the newest run decides. A run that decides nothing displaces no earlier one that did."""
    if edit.state != EditState.OPEN:
        return EditStatus(edit.state)
    if any(run.state in (JobState.QUEUED, JobState.RUNNING) for run in runs):
        return EditStatus.VERIFYING
    decided = [run for run in runs if run.deciding and run.worker]
    if decided:
        return EditStatus.PASSED if decided[0].outcome == Outcome.PASSED else EditStatus.FAILED
    return EditStatus.PASSED if rests_on else EditStatus.UNDECIDED


def passing_runs(base_ids: Iterable[object]) -> list[Verification]:
    """Return the runs of these samples' headline evidence that passed and that this site's own workers made.

    The engine runs the program and the kernel, never the trace: such a run holds for every trace. An imported or
    recorded report does not count for an edit.
    """
    headline = Evidence.objects.headline().passed().filter(sample__in=list(base_ids))
    return list(Verification.objects.own().filter(pk__in=headline.values("verification")))
