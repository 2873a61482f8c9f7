"""Freezes runs: the set of tasks, the source, the device and the profile that judge it."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.analysis.evaluation import digest, keys_of
from datasets_app.evidence import devices
from datasets_app.evidence.choose import STRICTNESS
from datasets_app.ingest.readers.kernelbench_runs import KernelBenchRunsReader
from datasets_app.models import (
    Candidate,
    EvaluationRun,
    Ingest,
    RunKind,
    Sample,
    Source,
    Synthesis,
    Task,
    TaskSet,
    TaskSetMember,
)
from datasets_app.models.evaluation_run import RUN_NAME_CHARS
from datasets_app.models.task import TaskQuerySet
from datasets_app.text_input.validate import name_fault

MOST_PER_TASK = 1_000
BATCH_ROWS = 2_000


class RunError(ValueError):
    """The run cannot be stored. The message is written for a person."""


@transaction.atomic
def task_set_of(tasks: TaskQuerySet) -> TaskSet:
    """Return the frozen set of these tasks, stored if it is new. Raises RunError if there are none."""
    keys = keys_of(tasks)
    if not keys:
        raise RunError("No task matches: ingest tasks first, or choose others.")
    found, is_new = TaskSet.objects.get_or_create(sha256=digest(keys), defaults={"size": len(keys)})
    if is_new:
        members = (TaskSetMember(task_set=found, task_id=key) for key in keys)
        TaskSetMember.objects.bulk_create(members, batch_size=BATCH_ROWS)
    return found


def run_of_synthesis(synthesis: Synthesis) -> EvaluationRun:
    """Store the run of a first turn, over the tasks that it asks for; further turns join it."""
    asked = Candidate.objects.filter(synthesis=synthesis).order_by()
    return EvaluationRun.objects.create(
        name=free_name(synthesis.name),
        kind=RunKind.SYNTHESIS,
        source=synthesis.source,
        task_set=task_set_of(Task.objects.filter(pk__in=asked.values("task"))),
        generator=synthesis.model,
        profile=synthesis.verify_profile,
        per_task=synthesis.per_task,
        created_by=synthesis.created_by,
    )


def free_name(wanted: str) -> str:
    """Return the name, or the first that is free with a number after it."""
    name, number = wanted[:RUN_NAME_CHARS], 2
    while EvaluationRun.objects.filter(name=name).exists():
        suffix = f" ({number})"
        name, number = wanted[: RUN_NAME_CHARS - len(suffix)] + suffix, number + 1
    return name


@needs(Scope.CURATE)
def create_run(
    name: str,
    source: Source,
    tasks: TaskQuerySet,
    actor: Actor,
    *,
    device: str = "",
    profile: str = "",
    per_task: int | None = None,
) -> EvaluationRun:
    """Freeze a run of a source over tasks. Without a device it is judged on the one that most of its evidence is on.

    Raises RunError.
    """
    name = name.strip()
    if not name or (fault := name_fault("The name", name, RUN_NAME_CHARS)):
        raise RunError(fault if name else "Give the run a name.")
    if profile and profile not in STRICTNESS:
        raise RunError(f"No profile is called {profile!r}. Profiles: {', '.join(STRICTNESS)}.")
    if per_task is not None and not 1 <= per_task <= MOST_PER_TASK:
        raise RunError(f"A task has from 1 to {MOST_PER_TASK:,} candidates, not {per_task:,}.")
    samples = Sample.objects.in_use().filter(source=source, task__in=tasks.order_by().values("pk"))
    if not samples.exists():
        raise RunError(f"{source.name} has no sample of these tasks.")
    try:
        with transaction.atomic():
            run = EvaluationRun.objects.create(
                name=name, kind=kind_of(source), source=source, task_set=task_set_of(tasks), profile=profile,
                generator=generator_of(samples), per_task=per_task, created_by=actor.user,
                device=chosen_device(device, samples),
            )  # fmt: skip
            audit.record(actor, "run.create", run, name=name, source=source.name)
    except IntegrityError:
        raise RunError(f"There is a run {name} already: choose another name.") from None
    return run


def chosen_device(wanted: str, samples: Any) -> str:
    """Return the whole name of the device. Raises RunError for one without evidence."""
    try:
        return devices.with_evidence(wanted) if wanted else devices.device_of(samples)
    except devices.UnknownDeviceError as error:
        raise RunError(str(error)) from error


def kind_of(source: Source) -> RunKind:
    if Synthesis.objects.filter(source=source).exists():
        return RunKind.SYNTHESIS
    from_runs = Ingest.objects.filter(source=source, format=KernelBenchRunsReader.name)
    return RunKind.KERNELBENCH if from_runs.exists() else RunKind.PUBLISHED


def generator_of(samples: Any) -> str:
    """Return the most frequent generator of some samples; empty if they name none."""
    counted = samples.exclude(generator="").order_by().values_list("generator").annotate(n=Count("pk"))
    return max(counted, key=lambda pair: (pair[1], pair[0]), default=("", 0))[0]
