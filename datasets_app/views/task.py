"""One task: its program, and every sample of it, ranked."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse import evidence, staleness
from datasets_app.browse.sample.panes import program_pane
from datasets_app.browse.task import admission, portability, task_page, trajectories
from datasets_app.models import Task
from datasets_app.views.sample import number

PAGE_KEYS = [("[", "Fold or unfold the program"), ("w", "Wrap long lines")]


@require(Scope.READ)
def task(request: HttpRequest, pk: UUID) -> HttpResponse:
    found = get_object_or_404(Task.objects.with_body().select_related("source"), pk=pk)
    line, device = number(request, "program_line"), request.GET.get("device", "")
    return render(request, "task/task.html", page_context(found, line, device))


def page_context(found: Task, line: int, wanted: str) -> dict[str, Any]:
    """`wanted` names the device that samples are ranked on; without evidence there, the first that has any."""
    verdicts = portability.verdicts_by_device(found)
    device = wanted if wanted in verdicts else next(iter(verdicts), "")
    samples = task_page.ranked(found, device)
    shown = samples[: task_page.MOST_ROWS]
    beside = evidence.of_samples((sample.pk for sample in shown), device)
    plot = task_page.speed_against_length(shown)
    return {
        "task": found,
        "pane": program_pane(found.body.pytorch_code, line),
        "operators": list(found.operators.all()),
        "totals": task_page.totals(found, device),
        "rows": [(sample, beside.get(sample.pk)) for sample in shown],
        "more_rows": len(samples) > len(shown),
        "scatter": plot,
        "front": task_page.front_urls(plot),
        "stale": staleness.changes(),
        "devices": portability.by_device(verdicts),
        "device": device,
        "claimed": portability.claimed_by_device(found),
        "trajectories": trajectories.trajectories(found, device),
        "proves_little": admission.proves_little(found.admission),
        "cannot_tell": admission.cannot_tell(found.admission),
        "page_keys": PAGE_KEYS,
    }
