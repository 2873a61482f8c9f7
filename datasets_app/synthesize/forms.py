"""The form that starts a synthesis."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from datasets_app.models import Task
from datasets_app.models.synthesis import NAME_CHARS
from datasets_app.models.task import TaskQuerySet
from datasets_app.synthesize.templates import templates
from datasets_app.synthesize.verbs import (
    LEAST_COST,
    MOST_A_MINUTE,
    MOST_AT_ONCE,
    MOST_COST,
    MOST_PER_TASK,
    Plan,
    tasks_of,
)
from datasets_app.synthesize.verifying import profiles

INSPECT = "Collect SASS and profiler counters"
LATER = (
    "hardware",
    "temperature",
    "top_p",
    "max_tokens",
    "logprobs",
    "seed",
    "at_once",
    "requests_a_minute",
    "licence",
)


def verify_choices() -> list[tuple[str, str]]:
    return [*((name, name) for name in profiles()), ("", "not at all")]


class SynthesisForm(forms.Form):
    name = forms.CharField(label="Name", max_length=NAME_CHARS)
    endpoint = forms.ChoiceField(label="Endpoint")
    model = forms.CharField(label="Model", max_length=NAME_CHARS)
    template = forms.ChoiceField(label="Prompt")
    suite = forms.ChoiceField(label="Tasks of", required=False)
    level = forms.IntegerField(label="Level", required=False, min_value=0, max_value=32_767)
    words = forms.CharField(label="Words in their name or program", required=False, max_length=200)
    limit = forms.IntegerField(label="Maximum tasks", required=False, min_value=1, max_value=100_000)
    per_task = forms.IntegerField(
        label="Candidates per task", initial=4, min_value=1, max_value=MOST_PER_TASK
    )
    verify = forms.ChoiceField(label="Verify", required=False, initial="quick")
    inspect = forms.BooleanField(label=INSPECT, required=False)
    most_tokens = forms.IntegerField(label="Maximum tokens", required=False, min_value=1)
    most_cost = forms.FloatField(
        label="Maximum cost", required=False, min_value=LEAST_COST, max_value=MOST_COST
    )
    hardware = forms.CharField(
        label="Facts about the GPU", required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3})
    )
    temperature = forms.FloatField(label="Temperature", required=False, min_value=0, max_value=2)
    top_p = forms.FloatField(label="Top p", required=False, min_value=0, max_value=1)
    max_tokens = forms.IntegerField(
        label="Tokens of an answer", required=False, min_value=1, max_value=1_000_000
    )
    logprobs = forms.BooleanField(label="Keep the tokens’ log-probabilities", required=False)
    seed = forms.IntegerField(label="Seed", required=False, min_value=0, max_value=2**31 - MOST_PER_TASK)
    at_once = forms.IntegerField(label="Requests at once", initial=8, min_value=1, max_value=MOST_AT_ONCE)
    requests_a_minute = forms.IntegerField(
        label="Requests a minute", required=False, min_value=1, max_value=MOST_A_MINUTE
    )
    licence = forms.CharField(label="Licence of what it writes", required=False, max_length=120)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        suites = Task.objects.exclude(suite="").order_by("suite").values_list("suite", flat=True).distinct()
        choices: dict[str, list[tuple[str, str]]] = {
            "endpoint": [(name, name) for name in settings.ENDPOINTS],
            "template": [(one.name, one.title) for one in templates().values()],
            "verify": verify_choices(),
            "suite": [("", "any suite, or none"), *((name, name) for name in suites)],
        }
        for name, given in choices.items():
            self.fields[name].choices = given  # type: ignore[attr-defined]

    def later(self) -> list[forms.BoundField]:
        """Return the fields that most people leave as they are."""
        return [self[name] for name in LATER]

    @property
    def opens_later(self) -> bool:
        """Return whether one of those fields has a fault or a value of its own."""
        return any(
            name in self.errors or (self.is_bound and self[name].value() not in ("", None, 8, "8"))
            for name in LATER
        )

    def plan(self) -> Plan:
        data = self.cleaned_data
        sampling = {n: data[n] for n in ("temperature", "top_p", "max_tokens") if data[n] is not None}
        if data["logprobs"]:
            sampling["logprobs"] = True
        same = (
            "name",
            "endpoint",
            "model",
            "template",
            "hardware",
            "per_task",
            "seed",
            "at_once",
            "most_tokens",
            "most_cost",
            "licence",
            "verify",
            "inspect",
        )
        return Plan(
            sampling=sampling,
            requests_a_minute=data["requests_a_minute"] or 0,
            **{name: data[name] for name in same},
        )

    def tasks(self) -> TaskQuerySet:
        data = self.cleaned_data
        return tasks_of(data["suite"], data["level"], data["words"].strip(), data["limit"])
