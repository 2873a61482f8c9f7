"""What programs send to have a model asked, to go on, and to ask for a further turn."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from datasets_app.api.json_requests import RequestSerializer
from datasets_app.models.synthesis import NAME_CHARS
from datasets_app.synthesize.templates import templates
from datasets_app.synthesize.verbs import (
    LEAST_COST,
    MOST_A_MINUTE,
    MOST_AT_ONCE,
    MOST_COST,
    MOST_PER_TASK,
    MOST_TOLD_TURNS,
)

MOST_TOKENS = 2**53
INSPECT = (
    "verifications collect SASS and the profiler's counters, which further turns and the judge are told of"
)


@extend_schema_field(
    {"type": "object", "additionalProperties": {"anyOf": [{"type": "number"}, {"type": "boolean"}]}}
)
class SamplingField(serializers.DictField):
    """Numbers, or true or false, by the endpoint's names."""


def cost_field(words: str = "in the endpoint's currency; null: no limit") -> serializers.FloatField:
    return serializers.FloatField(
        default=None, allow_null=True, min_value=LEAST_COST, max_value=MOST_COST, help_text=words
    )


class SynthesisAskSerializer(RequestSerializer):
    """What is asked for, and the tasks that it is asked for; without `suite`, `level` and `words` all tasks."""

    name = serializers.CharField(max_length=NAME_CHARS)
    endpoint = serializers.CharField(
        max_length=40, help_text="a name that the site's settings give an address"
    )
    model = serializers.CharField(max_length=NAME_CHARS, help_text="as the endpoint calls it")
    template = serializers.ChoiceField(choices=sorted(templates()), default="zero-shot")
    hardware = serializers.CharField(default="", allow_blank=True, max_length=2000)
    per_task = serializers.IntegerField(default=1, min_value=1, max_value=MOST_PER_TASK)
    sampling = SamplingField(default=dict, help_text="temperature, top_p, max_tokens, logprobs")  # type: ignore[arg-type]
    seed = serializers.IntegerField(
        default=None, allow_null=True, min_value=0, max_value=2**31 - MOST_PER_TASK
    )
    at_once = serializers.IntegerField(default=8, min_value=1, max_value=MOST_AT_ONCE)
    requests_a_minute = serializers.IntegerField(
        default=0, min_value=0, max_value=MOST_A_MINUTE, help_text="0: no limit"
    )
    most_tokens = serializers.IntegerField(default=None, allow_null=True, min_value=1, max_value=MOST_TOKENS)
    most_cost = cost_field()
    licence = serializers.CharField(default="", allow_blank=True, max_length=120)
    verify = serializers.CharField(
        default="quick",
        allow_blank=True,
        max_length=20,
        help_text="the profile, at its end; empty: not at all",
    )
    inspect = serializers.BooleanField(default=False, help_text=INSPECT)
    suite = serializers.CharField(default="", allow_blank=True, max_length=80)
    level = serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=32_767)
    words = serializers.CharField(default="", allow_blank=True, max_length=200)
    limit = serializers.IntegerField(default=None, allow_null=True, min_value=1, max_value=100_000)

    def validate_sampling(self, value: dict[str, Any]) -> dict[str, Any]:
        faulty = [name for name, given in value.items() if not isinstance(given, int | float)]
        if faulty:
            raise serializers.ValidationError(f"{faulty[0]} should be a number, or true or false.")
        return value


class SynthesisContinueSerializer(RequestSerializer):
    most_tokens = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=MOST_TOKENS, help_text="replaces the limit"
    )
    most_cost = cost_field("replaces the limit")


class RefineSerializer(RequestSerializer):
    """The next turn: each sample that did not pass, or is slower than `until`, is answered again with its feedback."""

    name = serializers.CharField(max_length=NAME_CHARS)
    until = serializers.FloatField(
        default=1.0, min_value=0.01, max_value=1000, help_text="times as fast as eager"
    )
    per_parent = serializers.IntegerField(default=1, min_value=1, max_value=MOST_PER_TASK)
    most_tokens = serializers.IntegerField(default=None, allow_null=True, min_value=1, max_value=MOST_TOKENS)
    most_cost = cost_field()
    verify = serializers.CharField(default="quick", allow_blank=True, max_length=20)
    inspect = serializers.BooleanField(default=False, help_text=INSPECT)
    told_turns = serializers.IntegerField(
        default=1, min_value=1, max_value=MOST_TOLD_TURNS, help_text="earlier turns that the model is told of"
    )
    judge_endpoint = serializers.CharField(
        default="", allow_blank=True, max_length=40, help_text="empty: no judge"
    )
    judge_model = serializers.CharField(default="", allow_blank=True, max_length=NAME_CHARS)
