"""The form that freezes a run of a source."""

from __future__ import annotations

from typing import Any

from django import forms

from datasets_app.analysis.runs.record import MOST_PER_TASK
from datasets_app.evidence import devices
from datasets_app.evidence.choose import STRICTNESS
from datasets_app.models import Source, Task
from datasets_app.models.evaluation_run import RUN_NAME_CHARS


class RunForm(forms.Form):
    name = forms.CharField(label="Name", max_length=RUN_NAME_CHARS)
    source = forms.ModelChoiceField(
        Source.objects.order_by("name"),
        label="Source of its samples",
        to_field_name="name",
        empty_label="choose a source",
    )
    suite = forms.ChoiceField(label="Tasks of", required=False)
    level = forms.IntegerField(label="Level", required=False, min_value=0, max_value=32_767)
    words = forms.CharField(label="Words in their name or program", required=False, max_length=200)
    device = forms.ChoiceField(label="Device", required=False)
    profile = forms.ChoiceField(label="Profile", required=False)
    per_task = forms.IntegerField(
        label="Candidates per task", required=False, min_value=1, max_value=MOST_PER_TASK
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        suites = Task.objects.exclude(suite="").order_by("suite").values_list("suite", flat=True).distinct()
        names = [device.name for device in devices.ordered()]
        choices: dict[str, list[tuple[str, str]]] = {
            "suite": [("", "any suite, or none"), *((name, name) for name in suites)],
            "device": [("", "the one with most of its evidence"), *((name, name) for name in names)],
            "profile": [("", "any"), *((name, f"{name} or stricter") for name in STRICTNESS)],
        }
        for name, given in choices.items():
            self.fields[name].choices = given  # type: ignore[attr-defined]

    def chosen_tasks(self) -> tuple[str, int | None, str]:
        """Return suite, level and words."""
        data = self.cleaned_data
        return data["suite"], data["level"], data["words"].strip()

    def settings(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("device", "profile", "per_task")}
