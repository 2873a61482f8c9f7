"""The forms of further turns: one by hand, and those that start by themselves."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from datasets_app.models import LoopPolicy
from datasets_app.models.synthesis import NAME_CHARS
from datasets_app.synthesize.forms import INSPECT, verify_choices
from datasets_app.synthesize.loops import MOST_ISLANDS, MOST_TURNS, LoopPlan
from datasets_app.synthesize.refine import Refinement
from datasets_app.synthesize.verbs import LEAST_COST, MOST_COST, MOST_PER_TASK, MOST_TOLD_TURNS


class TurnForm(forms.Form):
    """What both have: which kernels are good enough, what the model is told, a judge, a budget."""

    until = forms.FloatField(label="Good enough from (speedup)", initial=1.0, min_value=0.01, max_value=1000)
    told_turns = forms.IntegerField(
        label="Earlier turns told", initial=1, required=False, min_value=1, max_value=MOST_TOLD_TURNS
    )
    inspect = forms.BooleanField(
        label=INSPECT, required=False, help_text="further turns and the judge are told of the counters"
    )
    most_tokens = forms.IntegerField(label="Maximum tokens", required=False, min_value=1)
    most_cost = forms.FloatField(
        label="Maximum cost", required=False, min_value=LEAST_COST, max_value=MOST_COST
    )
    judge_endpoint = forms.ChoiceField(label="Judge’s endpoint", required=False)
    judge_model = forms.CharField(label="Judge’s model", required=False, max_length=NAME_CHARS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        endpoints = [("", "no judge"), *((name, name) for name in settings.ENDPOINTS)]
        self.fields["judge_endpoint"].choices = endpoints  # type: ignore[attr-defined]

    def clean_told_turns(self) -> int:
        return self.cleaned_data["told_turns"] or 1


class RefineForm(TurnForm):
    name = forms.CharField(label="Name of the next turn", max_length=NAME_CHARS)
    per_parent = forms.IntegerField(
        label="Answers per sample", initial=1, min_value=1, max_value=MOST_PER_TASK
    )
    verify = forms.ChoiceField(label="Verify", required=False, initial="quick")

    field_order = ("name", "until", "per_parent", "verify", "inspect", "most_tokens", "most_cost")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["verify"].choices = verify_choices()  # type: ignore[attr-defined]

    def refinement(self) -> Refinement:
        return Refinement(**self.cleaned_data)


class LoopForm(TurnForm):
    until = forms.FloatField(
        label="Good enough from (speedup)",
        initial=1.0,
        min_value=0,
        max_value=1000,
        help_text="0: passing is enough",
    )
    policy = forms.ChoiceField(label="Policy", choices=LoopPolicy.choices, initial=LoopPolicy.SERIAL)
    most_turns = forms.IntegerField(
        label="Turns, the first included", initial=4, min_value=2, max_value=MOST_TURNS
    )
    patience = forms.IntegerField(
        label="Turns without a gain",
        required=False,
        min_value=1,
        max_value=MOST_TURNS,
        help_text="ends after this many; empty: no limit",
    )
    verify_profile = forms.ChoiceField(label="Verify under", initial="quick")
    islands = forms.IntegerField(
        label="Islands", initial=1, min_value=1, max_value=MOST_ISLANDS, help_text="of evolution"
    )
    migrate_every = forms.IntegerField(
        label="Turns between migrations",
        initial=3,
        min_value=1,
        max_value=MOST_TURNS,
        help_text="of evolution",
    )

    field_order = (
        *(
            "policy",
            "most_turns",
            "until",
            "patience",
            "verify_profile",
            "inspect",
            "most_tokens",
            "most_cost",
        ),
        "told_turns",
    )
    prefix = "loop"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        profiles = [(name, words) for name, words in verify_choices() if name]
        self.fields["verify_profile"].choices = profiles  # type: ignore[attr-defined]

    def plan(self) -> LoopPlan:
        return LoopPlan(**self.cleaned_data)


class ContinueForm(forms.Form):
    """New limits of a synthesis that ended; an empty field keeps the old one."""

    most_tokens = forms.IntegerField(label="Tokens allowed", required=False, min_value=1, max_value=2**53)
    most_cost = forms.FloatField(
        label="Cost allowed", required=False, min_value=LEAST_COST, max_value=MOST_COST
    )


class ContinueLoopForm(ContinueForm):
    """New limits of a loop that ended."""

    most_turns = forms.IntegerField(label="Turns", required=False, min_value=2, max_value=MOST_TURNS)
