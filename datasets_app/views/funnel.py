"""Selections and previews as template context."""

from typing import Any

from datasets_app.curate.preview import Preview
from datasets_app.curate.selection import Selection
from datasets_app.models import Sample

PREVIEW_ROWS = 20
COUNTS = ("rows_at_start", "tasks_at_start", "row_count", "task_count")


def preview_context(preview: Preview) -> dict[str, Any]:
    """Return funnel_context() with counts for the whole store, and whether they are estimates."""
    context = funnel_context(preview.selection)
    return {
        **context,
        **{name: preview.scaled(context[name]) for name in COUNTS},
        "steps": steps_with_names(preview.steps()),
        "splits": [(split, preview.scaled(count)) for split, count in context["splits"]],
        "fingerprints_missing": preview.fingerprints_missing,
        "estimate": preview if preview.is_estimate else None,
        "empty_splits": [] if preview.is_estimate else context["empty_splits"],
    }


def funnel_context(selection: Selection) -> dict[str, Any]:
    """Return steps with the names of dropped samples, counts, and the first chosen rows."""
    steps = selection.funnel()
    chosen = len(selection.chosen)
    return {
        "steps": steps_with_names(steps),
        "rows_at_start": steps[0]["rows_in"] if steps else chosen,
        "tasks_at_start": steps[0]["tasks_in"] if steps else selection.task_count(),
        "row_count": chosen,
        "task_count": selection.task_count(),
        "splits": list(selection.split_counts().items()),
        "empty_splits": selection.empty_splits(),
        "preview": selection.chosen[:PREVIEW_ROWS],
        "device": selection.device,
    }


def steps_with_names(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the funnel's steps with a task's name beside each sample id, in one query."""
    shown = [pk for step in steps for dropped in step["dropped"] for pk in dropped["samples"]]
    names = task_names(shown)
    for step in steps:
        step["dropped_count"] = step["rows_in"] - step["rows_out"]
        for dropped in step["dropped"]:
            dropped["links"] = [{"id": pk, "task": names.get(pk, "")} for pk in dropped["samples"]]
    return steps


def task_names(sample_ids: list[str]) -> dict[str, str]:
    if not sample_ids:
        return {}
    names = Sample.objects.filter(pk__in=sample_ids).values_list("pk", "task__name")
    return {str(pk): name for pk, name in names}
