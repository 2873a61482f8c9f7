"""One task: its program, and all its samples, ranked."""

from typing import Any
from uuid import UUID

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse import evidence, staleness
from datasets_app.browse.sample.panes import program_pane_ahead
from datasets_app.browse.task import admission, portability, task_page, trajectories
from datasets_app.db.some_rows import models_with_rows
from datasets_app.models import Environment, Preference, Sample, Task, TaskFinding, Verification
from datasets_app.review import hidden_verdicts
from datasets_app.review.preferences import ranking_of
from datasets_app.views.sample import number

# What few tasks have beside their samples.
SELDOM: dict[type[Model], str] = {
    Environment: "changed <> ''",
    **dict.fromkeys((Preference, TaskFinding), "task_id = %(task)s"),
    Verification: evidence.UNFINISHED,
}
PAGE_KEYS = [("[", "Fold or unfold the program"), ("w", "Wrap long lines")]


@require(Scope.READ)
def task(request: HttpRequest, pk: UUID) -> HttpResponse:
    task = get_object_or_404(Task.objects.with_body().select_related("source"), pk=pk)
    line, device = number(request, "program_line"), request.GET.get("device", "")
    context = page_context(task, line, device, actor_of(request))
    return render(request, "task/task.html", context)


def has_turns(samples: list[Sample]) -> bool:
    """Return whether the task can have trajectories, by its samples if all of them were read."""
    return len(samples) > task_page.MOST_ROWS or any(sample.parent_id for sample in samples)


def page_context(task: Task, line: int, wanted: str, actor: Actor) -> dict[str, Any]:
    """Return the context; `wanted` names the device to rank on. Without evidence there, the first device that has
    any is used.
    """
    pane = program_pane_ahead(task.body.pytorch_code, line)
    some = models_with_rows(SELDOM, task=task.pk.hex)
    verdicts = portability.verdicts_by_device(task)
    device = wanted if wanted in verdicts else next(iter(verdicts), "")
    samples = task_page.ranked(task, device)
    shown, more = samples[: task_page.MOST_ROWS], len(samples) > task_page.MOST_ROWS
    ids = [sample.pk for sample in shown]
    beside = evidence.of_samples(ids, device, any_waiting=Verification in some)
    plot = task_page.speed_against_length(shown)
    return {
        "task": task,
        "operators": list(task.operators.all()),
        "totals": task_page.totals(task, device) if more else task_page.totals_of(samples),
        "rows": [(sample, beside.get(sample.pk)) for sample in shown],
        "hidden_verdicts": hidden_verdicts(actor, ids),
        "more_rows": more,
        "scatter": plot,
        "front": task_page.front_urls(plot),
        "stale": staleness.changes() if Environment in some else {},
        "devices": portability.by_device(verdicts),
        "device": device,
        "claimed": portability.claimed_by_device(task),
        "trajectories": trajectories.trajectories(task, device) if has_turns(samples) else [],
        "proves_little": admission.proves_little(task.admission),
        "findings": list(task.findings.all()) if TaskFinding in some else [],
        "cannot_tell": admission.cannot_tell(task.admission),
        "ranking": ranking_of(task, actor) if Preference in some else None,
        "page_keys": PAGE_KEYS,
        "pane": pane(),
    }
