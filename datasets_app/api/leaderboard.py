"""/api/v1/leaderboard/: runs judged over the same tasks on one device, to read."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from datasets_app.analysis.leaderboard import METRICS, MOST_RUNS, Board, Run, leaderboard
from datasets_app.analysis.leaderboard_request import MOST_K, MOST_P, LeaderboardRequest
from datasets_app.analysis.metrics import MetricError
from datasets_app.api.samples import filter_parameter
from datasets_app.browse.query import BrowseError
from datasets_app.browse.query.task_filter import TASK_FILTERS
from datasets_app.browse.query.vocabulary import FIELDS

P = {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": MOST_P, "default": 1}
BY = {"type": "string", "enum": list(METRICS), "default": "faster"}
K = {"type": "integer", "minimum": 1, "maximum": MOST_K, "default": 1}


class MeanSerializer(serializers.Serializer[Any]):
    """A mean over tasks with its 95 % bootstrap interval over tasks."""

    value = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class RunSerializer(serializers.Serializer[Run]):
    source = serializers.CharField(source="name")  # type: ignore[assignment]
    generators = serializers.ListField(
        child=serializers.CharField(), help_text="at most three, the most frequent first"
    )
    per_task = serializers.IntegerField(
        source="judged.per_task", help_text="candidates per task, missing ones too"
    )
    outcomes = serializers.DictField(source="judged.outcomes", child=serializers.IntegerField())
    undecided_in = serializers.DictField(
        source="judged.undecided_in",
        child=serializers.IntegerField(),
        help_text="the undecided ones by language: not every device runs all",
    )
    fast_0 = MeanSerializer(source="right")
    fast_p = MeanSerializer(source="faster")
    pass_at_k = MeanSerializer(allow_null=True, help_text="null: fewer candidates per task than k")
    geometric_mean_speedup = MeanSerializer(
        source="best_speedup", allow_null=True, help_text="of the fastest candidate of each of `timed_tasks`"
    )
    timed_tasks = serializers.IntegerField()
    samples = serializers.SerializerMethodField(help_text="the address of its samples of these tasks")

    def get_samples(self, run: Run) -> str:
        request, asked = self.context["request"], self.context["asked"]
        return str(request.build_absolute_uri(f"{reverse('api-samples')}?{asked.samples(run)}"))


class BoardSerializer(serializers.Serializer[Board]):
    """Runs with the same `tasks_sha256`, `device`, `p` and `k` can be compared. What is missing counts as wrong."""

    device = serializers.CharField()
    tasks = serializers.IntegerField()
    tasks_sha256 = serializers.CharField()
    p = serializers.FloatField()
    k = serializers.IntegerField()
    by = serializers.ChoiceField(choices=list(METRICS), help_text="the metric of their order")
    runs = RunSerializer(many=True, help_text=f"at most {MOST_RUNS}, the best first")
    unverified = serializers.ListField(
        child=serializers.CharField(), help_text="sources of which nothing was verified on the device"
    )
    left_out = serializers.IntegerField(help_text="sources with fewer samples of these tasks")


class Leaderboard(APIView):
    """Runs judged over the tasks that the filters match: all of them without a filter."""

    @extend_schema(
        parameters=[
            *(filter_parameter(FIELDS[name]) for name in TASK_FILTERS),
            OpenApiParameter(
                "on",
                str,
                description="device; without it the one that the page shows",
            ),
            OpenApiParameter("p", P, description="of fast_p"),
            OpenApiParameter("k", K, description="of pass@k"),
            OpenApiParameter("by", BY, description="the metric whose lower end decides the order"),
        ],
        responses=BoardSerializer,
    )
    def get(self, request: Request) -> Response:
        try:
            asked = LeaderboardRequest.from_params(request.query_params)
            board = leaderboard(asked.tasks, asked.device, asked.p, asked.k, asked.by)
        except BrowseError as error:
            raise ValidationError(error.errors) from error
        except MetricError as error:
            raise ValidationError({"detail": f"This cannot be judged: {error}."}) from error
        return Response(BoardSerializer(board, context={"request": request, "asked": asked}).data)
