"""/api/v1/runs/: evaluation runs over frozen task sets, with their metrics by level and turn, and their tables."""

from typing import Any, ClassVar

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.analysis.metrics import MetricError
from datasets_app.analysis.runs.record import MOST_PER_TASK, RunError, create_run
from datasets_app.analysis.runs.report import RunReport, report_on
from datasets_app.analysis.runs.tables import TABLES
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.evidence import devices
from datasets_app.models import EvaluationRun, Source
from datasets_app.models.evaluation_run import RUN_NAME_CHARS
from datasets_app.synthesize.verbs import tasks_of

ON = OpenApiParameter("on", str, description="device; without it the run's own, or that with most evidence")


class RunListSerializer(serializers.ModelSerializer[EvaluationRun]):
    source = serializers.CharField(source="source.name")  # type: ignore[assignment]
    tasks = serializers.IntegerField(source="task_set.size")
    tasks_sha256 = serializers.CharField(
        source="task_set.sha256", help_text="runs can be compared where it is the same"
    )

    class Meta:
        model = EvaluationRun
        fields: ClassVar = [
            *("id", "name", "kind", "source", "generator", "tasks", "tasks_sha256", "device", "profile"),
            *("per_task", "created_at"),
        ]


class TurnSerializer(serializers.Serializer[Any]):
    turn = serializers.IntegerField(source="number")
    answers_per_candidate = serializers.FloatField(source="answers")
    tokens = serializers.IntegerField(help_text="of all turns so far, the judge's included")
    right = serializers.FloatField(help_text="fast_0, a candidate counting with its best answer so far")
    faster = serializers.FloatField(help_text="fast_1")
    best = serializers.FloatField(help_text="mean speedup of each candidate's fastest kernel")


class RunReportSerializer(serializers.Serializer[RunReport]):
    """A run judged. What is missing, undecided or without a kernel counts as wrong."""

    run = RunListSerializer(source="judged.run")
    device = serializers.CharField(source="judged.device", help_text="that it was judged on here")
    per_task = serializers.IntegerField(source="judged.per_task")
    outcomes = serializers.DictField(child=serializers.IntegerField())
    metrics = serializers.DictField(help_text="`all`, and each level where there are several")
    turns = TurnSerializer(many=True)


class RunAskSerializer(RequestSerializer):
    """A source, the tasks that it is judged over, and the device and profile that judge it."""

    name = serializers.CharField(max_length=RUN_NAME_CHARS)
    source = serializers.CharField(max_length=200)  # type: ignore[assignment]
    suite = serializers.CharField(default="", allow_blank=True, max_length=80)
    level = serializers.IntegerField(default=None, allow_null=True, min_value=0, max_value=32_767)
    words = serializers.CharField(default="", allow_blank=True, max_length=200)
    device = serializers.CharField(default="", allow_blank=True, max_length=120)
    profile = serializers.CharField(default="", allow_blank=True, max_length=20)
    per_task = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=MOST_PER_TASK, help_text="that were asked for"
    )


class TableSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    caption = serializers.CharField(help_text="what the rows are, and what the paper's own are over")
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(
        child=serializers.ListField(), help_text="values in the order of the columns"
    )


class RunList(generics.ListAPIView[EvaluationRun]):
    """Every run, the newest first."""

    serializer_class = RunListSerializer
    queryset = EvaluationRun.objects.select_related("source", "task_set")
    write_scope = Scope.CURATE

    @extend_schema(request=RunAskSerializer, responses={201: RunListSerializer})
    def post(self, request: Request) -> Response:
        """Freeze a run of a source over the tasks that it names: all of them by default."""
        form = RunAskSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = dict(form.validated_data)
        source = Source.objects.filter(name=data.pop("source")).first()
        if source is None:
            raise serializers.ValidationError({"source": "No source has this name."})
        tasks = tasks_of(*(data.pop(name) for name in ("suite", "level", "words")))
        try:
            run = create_run(data.pop("name"), source, tasks, actor_of(request), **data)
        except RunError as error:
            raise serializers.ValidationError({"detail": str(error)}) from error
        location = reverse("api-run", args=[run.pk], request=request)
        return Response(RunListSerializer(run).data, status.HTTP_201_CREATED, headers={"Location": location})


class JudgedView(generics.GenericAPIView[Any]):
    queryset = EvaluationRun.objects.select_related("source", "task_set")

    def report(self, request: Request) -> RunReport:
        try:
            return report_on(self.get_object(), request.query_params.get("on", ""))
        except devices.UnknownDeviceError as error:
            raise serializers.ValidationError({"on": str(error)}) from error
        except MetricError as error:
            raise serializers.ValidationError({"detail": f"This cannot be judged: {error}."}) from error


class RunDetail(JudgedView):
    serializer_class = RunReportSerializer

    @extend_schema(parameters=[ON])
    def get(self, request: Request, pk: str) -> Response:
        """Judge the run: fast_p, pass@k, best@k, speedups, correctness by stage, by level and by turn."""
        return Response(RunReportSerializer(self.report(request)).data)


class RunTable(JudgedView):
    serializer_class = TableSerializer

    @extend_schema(parameters=[ON])
    def get(self, request: Request, pk: str, name: str) -> Response:
        """Return one table, in the form of ConCuR's."""
        if name not in TABLES:
            raise Http404(f"There is no table {name!r}; there are {', '.join(TABLES)}.")
        return Response(TableSerializer(self.report(request).table(name)).data)
