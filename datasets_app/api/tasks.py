"""/api/v1/tasks/: reference programs with their numbers of samples."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError

from datasets_app.api.keyset import TaskPagination
from datasets_app.api.samples import filter_parameter
from datasets_app.api.sparse import fields_of, fields_parameter, filters, only
from datasets_app.browse.query import BrowseError
from datasets_app.browse.query.task_filter import TASK_FILTERS, filtered_tasks
from datasets_app.browse.query.vocabulary import FIELDS
from datasets_app.models import Task
from datasets_app.models.sample_counts import with_sample_counts
from datasets_app.models.task import TaskQuerySet

ROW_FIELDS = [
    *(
        "id",
        "name",
        "kind",
        "operators",
        "suite",
        "level",
        "problem",
        "source",
        "sample_count",
        "passed_count",
    ),
    "created_at",
]


class TaskRowSerializer(serializers.ModelSerializer):
    source = serializers.CharField(source="source.name")  # type: ignore[assignment]  # declared fields leave the class
    operators = serializers.SerializerMethodField()
    sample_count = serializers.IntegerField(read_only=True)
    passed_count = serializers.IntegerField(
        read_only=True, help_text="samples that passed, by the evidence that lists show"
    )

    class Meta:
        model = Task
        fields = ROW_FIELDS

    def get_operators(self, task: Task) -> list[str]:
        return [operator.name for operator in task.operators.all()]


class TaskSerializer(TaskRowSerializer):
    pytorch_code = serializers.CharField(source="body.pytorch_code")
    licence = serializers.CharField(help_text="the program's own, otherwise its source's")

    class Meta(TaskRowSerializer.Meta):
        fields = [*ROW_FIELDS, "pytorch_code", "external_id", "licence", "admission"]


class TaskList(generics.ListAPIView):
    """Tasks by name, without programs: the single task has its program."""

    serializer_class = TaskRowSerializer
    pagination_class = TaskPagination

    def get_queryset(self) -> TaskQuerySet:
        if getattr(self, "swagger_fake_view", False):
            return Task.objects.none()
        try:
            tasks = filtered_tasks(filters(self.request))
        except BrowseError as error:
            raise ValidationError(error.errors) from error
        return with_sample_counts(tasks).select_related("source").prefetch_related("operators")

    @extend_schema(
        parameters=[fields_parameter(ROW_FIELDS), *(filter_parameter(FIELDS[name]) for name in TASK_FILTERS)]
    )
    def get(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        names = fields_of(request, ROW_FIELDS)
        response = super().get(request, *args, **kwargs)
        response.data["results"] = only(response.data["results"], names)
        return response


class TaskDetail(generics.RetrieveAPIView):
    """One task with its program."""

    serializer_class = TaskSerializer
    queryset = with_sample_counts(Task.objects.with_body()).select_related("source")
