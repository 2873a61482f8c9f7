"""The columns that are read for many samples together, by few queries each: lists, and what a task's samples share.

Each function takes the other facts of the samples by id, and returns its values by the id as text. A sample that it
leaves out has the column's missing value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from datasets_app.db.uuids import among
from datasets_app.models import (
    Baseline,
    Finding,
    Note,
    NoteAnchor,
    NoteEntry,
    Preference,
    SampleBody,
    SampleTag,
    Task,
    TaskFinding,
)
from datasets_app.models.finding import gravest_first
from datasets_app.models.note import NoteEntryKind
from datasets_app.models.preference import PreferenceChoice
from datasets_app.models.source_claim import ALSO_CLAIMED, of_further_rows
from datasets_app.traces.difficulty import class_of, read_arls

LEFT, RIGHT, TIE = PreferenceChoice.LEFT, PreferenceChoice.RIGHT, PreferenceChoice.TIE
PLACES: dict[str, int] = {LEFT: 0, RIGHT: 1, TIE: 2}  # in a list of votes: for it, against it, for neither
MIRRORED: dict[str, str] = {LEFT: RIGHT, RIGHT: LEFT, TIE: TIE}
CLAIM_PARTS = ("quantity", "value", "over", "device", "on")
Facts = Mapping[Any, Mapping[str, Any]]
Lists = Mapping[str, list[Any]]
Values = Mapping[str, Any]


def tags(facts: Facts) -> Lists:
    found: dict[str, list[Any]] = defaultdict(list)
    rows = SampleTag.objects.filter(sample__in=among(facts)).order_by("tag__name")
    for sample, name in rows.values_list("sample_id", "tag__name"):
        found[str(sample)].append(name)
    return found


def operators(facts: Facts) -> Lists:
    by_task: dict[Any, list[str]] = defaultdict(list)
    task_of = tasks_of(facts)
    through = Task.operators.through.objects.filter(task__in=among(task_of.values()))
    for task, name in through.order_by("operator__name").values_list("task_id", "operator__name"):
        by_task[task].append(name)
    return {str(sample): list(by_task[task]) for sample, task in task_of.items()}


def findings(facts: Facts) -> Lists:
    """Return the findings of the run in the column `verification`, the gravest first."""
    sample_of = {str(row["verification"]): str(pk) for pk, row in facts.items() if row.get("verification")}
    found: dict[str, list[Any]] = defaultdict(list)
    rows = Finding.objects.filter(verification__in=among(sample_of)).order_by("code", "id")
    for finding in gravest_first(rows):
        entry = {"code": finding.code, "severity": finding.severity, "detail": finding.detail}
        found[sample_of[str(finding.verification_id)]].append(entry)
    return found


def baselines(facts: Facts) -> Lists:
    """Return the newest time per mode of the task's reference on the device in the column `device`."""
    on = {str(pk): row.get("device") for pk, row in facts.items() if row.get("device")}
    task_of = tasks_of({pk: row for pk, row in facts.items() if row.get("device")})
    times: dict[Any, dict[str, float]] = defaultdict(dict)
    rows = Baseline.objects.filter(task__in=among(task_of.values()), device__in=set(on.values()))
    for task, device, mode, median in rows.order_by("measured_at", "id").values_list(
        "task_id", "device", "mode", "median_ms"
    ):
        times[task, device][mode] = median
    return {
        str(sample): [
            {"mode": mode, "median_ms": median}
            for mode, median in sorted(times[task, on[str(sample)]].items())
        ]
        for sample, task in task_of.items()
    }


def notes(facts: Facts) -> Lists:
    """Return the labelled and unlabelled spans of notes that are not withdrawn, in the order of the texts.

    The comment is the note's first, as its author last edited it; the thread that follows stays on the site.
    """
    standing: Any = Note.objects.with_state().filter(sample__in=among(facts)).order_by()
    rows = standing.values_list("pk", "sample_id", "label", "last_state")
    state = {
        pk: (sample, label, last == NoteEntryKind.RESOLVE)
        for pk, sample, label, last in rows
        if last != NoteEntryKind.WITHDRAW
    }
    said = comments(list(state))
    found: dict[str, list[Any]] = defaultdict(list)
    anchors = NoteAnchor.objects.filter(note__in=list(state)).order_by("text", "start", "end", "note_id")
    for note, text, start, end in anchors.values_list("note_id", "text", "start", "end"):
        sample, label, resolved = state[note]
        span = {"text": text, "start": start, "end": end, "label": label, "resolved": resolved}
        span["comment"] = said.get(note, "")
        found[str(sample)].append(span)
    return found


def comments(notes: list[Any]) -> dict[Any, str]:
    """Return each note's first entry, or the newest edit of it."""
    first = Q(kind=NoteEntryKind.COMMENT) | Q(kind=NoteEntryKind.EDIT, target__kind=NoteEntryKind.COMMENT)
    rows = NoteEntry.objects.filter(first, note__in=notes).order_by("number")
    return dict(rows.values_list("note_id", "text"))


def claims(facts: Facts) -> Lists:
    """Return what the sources claim on every device, each entry with all its parts."""
    claiming = ~Q(claims=[]) | Q(extra__has_key=ALSO_CLAIMED)
    rows = SampleBody.objects.filter(claiming, pk__in=among(facts)).order_by()
    return {
        str(pk): [
            {name: claim.get(name, None if name == "value" else "") for name in CLAIM_PARTS}
            for claim in [*entries, *of_further_rows(further)]
            if isinstance(claim, dict)
        ]
        for pk, entries, further in rows.values_list("pk", "claims", f"extra__{ALSO_CLAIMED}")
    }


def preferences(facts: Facts) -> Lists:
    """Return, for each other sample that reviewers compared it with, the votes for it, against it and for neither."""
    these = among(facts)
    votes: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    rows = Preference.objects.standing().filter(Q(left__in=these) | Q(right__in=these)).order_by()
    for left, right, choice in rows.values_list("left_id", "right_id", "choice"):
        votes[str(left), str(right)][PLACES[choice]] += 1
        votes[str(right), str(left)][PLACES[MIRRORED[choice]]] += 1
    found: dict[str, list[Any]] = defaultdict(list)
    for (one, other), (won, lost, tied) in sorted(votes.items()):
        found[one].append({"other": other, "votes_for": won, "votes_against": lost, "ties": tied})
    return found


def arls(facts: Facts) -> Values:
    """Return the average reasoning length of each sample's task, in tokens."""
    task_of = tasks_of(facts)
    means = read_arls(task_of.values())
    return {str(sample): means[str(task)] for sample, task in task_of.items() if str(task) in means}


def difficulties(facts: Facts) -> Values:
    """Return the class of what is in the column `arl`."""
    return {str(pk): class_of(row["arl"]) for pk, row in facts.items() if row["arl"] is not None}


def task_findings(facts: Facts) -> Lists:
    by_task: dict[Any, list[str]] = defaultdict(list)
    task_of = tasks_of(facts)
    rows = TaskFinding.objects.filter(task__in=among(task_of.values())).order_by("code")
    for task, code in rows.values_list("task_id", "code"):
        by_task[task].append(code)
    return {str(sample): list(by_task[task]) for sample, task in task_of.items()}


def tasks_of(facts: Facts) -> dict[Any, Any]:
    """Return the tasks' ids by the samples'."""
    return {pk: row["task_id"] for pk, row in facts.items()}
