"""/api/v1/bulk-actions/: one verb over a selection of samples, or over all that a filter matches."""

from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app import bulk
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.ownership import visible_actions
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.files import FileView, file_types
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.api.pagination import CursorPagination
from datasets_app.bulk import BulkError, Target
from datasets_app.bulk.bar import bar_of
from datasets_app.bulk.exported_file import exported_file
from datasets_app.bulk.target import MOST_IDS
from datasets_app.bulk.verbs.exporting import ExportSamples
from datasets_app.models import BulkAction


class BulkRequestSerializer(RequestSerializer):
    """`samples` (ids) or `query` (the parameters of a list's URL, such as `outcome=passed&tag=fast`; empty for all).
    The other fields belong to the verb: `tag`, `colour`; `reviewer`; `recipe`, `mode`; `profile`, `device`, `requires`,
    `inspect`.
    """

    action = serializers.ChoiceField(
        ["tag", "untag", "assign", "unassign", "recipe", "export", "verify"]
    )  # a test compares them with the verbs, of which some belong to eval_app and none is known yet
    samples = serializers.ListField(
        child=serializers.UUIDField(), required=False, min_length=1, max_length=MOST_IDS
    )
    query = serializers.CharField(required=False, allow_blank=True)
    expected = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="refuse if another number of samples matches; if counting takes long, the action fails later instead",
    )
    tag = serializers.CharField(required=False)
    colour = serializers.CharField(required=False)
    reviewer = serializers.CharField(required=False)
    recipe = serializers.CharField(required=False)
    mode = serializers.ChoiceField(["include", "exclude"], required=False)
    profile = serializers.CharField(required=False)
    device = serializers.CharField(required=False)
    requires = serializers.CharField(
        required=False, help_text="what a host must have besides the kind of device, such as `memory:80`"
    )
    inspect = serializers.BooleanField(required=False, help_text="collect SASS and profiler counters too")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("samples" in attrs) == ("query" in attrs):
            raise serializers.ValidationError("Send either samples or query.")
        return attrs


class BulkActionSerializer(serializers.ModelSerializer[BulkAction]):
    words = serializers.SerializerMethodField(help_text="the action in words")
    result = serializers.SerializerMethodField(
        help_text="the verb's result; for an export, `url` of its file"
    )
    can_undo = serializers.SerializerMethodField()

    class Meta:
        model = BulkAction
        fields = [
            *(
                "id",
                "action",
                "params",
                "query",
                "state",
                "total",
                "counted",
                "seen",
                "changed",
                "words",
                "can_undo",
            ),
            *("error", "result", "undoes", "created_at", "started_at", "finished_at"),
        ]
        read_only_fields = fields

    def get_words(self, action: BulkAction) -> str:
        bar = bar_of(action)
        return bar.words if bar else ""

    @extend_schema_field(serializers.DictField())
    def get_result(self, action: BulkAction) -> dict[str, Any]:
        """Return the result, with the API's URL of a file: the page's needs a session."""
        if action.action != ExportSamples.name or not action.result:
            return action.result
        return action.result | {"url": reverse("api-bulk-file", args=[action.pk])}

    def get_can_undo(self, action: BulkAction) -> bool:
        bar = bar_of(action)
        return bar.can_undo if bar else False


def target_of(fields: dict[str, Any]) -> Target:
    """Return the samples. Raises BulkError if the request names none."""
    return (
        Target.of_ids([str(pk) for pk in fields["samples"]])
        if "samples" in fields
        else Target.of_query(fields["query"])
    )


def refused(error: BulkError) -> serializers.ValidationError:
    return serializers.ValidationError({"detail": str(error)})


class BulkActionList(GenericAPIView[BulkAction]):
    queryset = BulkAction.objects.none()
    serializer_class = BulkActionSerializer
    pagination_class = CursorPagination
    write_scope = Scope.ANNOTATE

    @extend_schema(responses=BulkActionSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Own actions, newest first."""
        mine = BulkAction.objects.filter(actor=request.user.pk).select_related("undoes")
        return self.get_paginated_response(BulkActionSerializer(self.paginate_queryset(mine), many=True).data)

    @extend_schema(
        request=BulkRequestSerializer, responses={201: BulkActionSerializer, 202: BulkActionSerializer}
    )
    def post(self, request: Request) -> Response:
        """Apply a verb: at once to up to 1,000 samples (201), otherwise by a worker (202: see bulk-actions/{id}/)."""
        wanted = BulkRequestSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        fields = wanted.validated_data
        try:
            made = bulk.start(
                actor_of(request), fields["action"], target_of(fields), fields, fields.get("expected")
            )
        except BulkError as error:
            raise refused(error) from error
        return answer(made)


class BulkActionDetail(GenericAPIView[BulkAction]):
    """One of the account's own actions, with its progress; administrators can read all actions."""

    queryset = BulkAction.objects.none()
    serializer_class = BulkActionSerializer

    def get(self, request: Request, pk: UUID) -> Response:
        """One action with its progress and its result."""
        return Response(BulkActionSerializer(find(request, pk)).data)


class BulkActionFile(FileView):
    """The file of an export."""

    @extend_schema(responses=file_types(200))
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """The rows of an own export; kept for a week."""
        return exported_file(find(request, pk))


class BulkActionUndo(GenericAPIView[BulkAction]):
    queryset = BulkAction.objects.none()
    serializer_class = BulkActionSerializer
    write_scope = Scope.ANNOTATE

    @extend_schema(
        request=None,
        responses={
            201: BulkActionSerializer,
            202: BulkActionSerializer,
            409: OpenApiResponse(
                ProblemSerializer, "it is undone already, is running, or cannot be undone now"
            ),
        },
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """Undo it on exactly the samples that it changed, as long as no other action followed."""
        try:
            return answer(bulk.undo(actor_of(request), find(request, pk)))
        except BulkError as error:
            raise Conflict(error) from error


def find(request: Request, pk: UUID) -> BulkAction:
    concerning = BulkAction.objects.filter(visible_actions(actor_of(request)))
    return get_object_or_404(concerning, pk=pk)


def answer(made: BulkAction) -> Response:
    code = status.HTTP_201_CREATED if made.is_finished else status.HTTP_202_ACCEPTED
    return Response(BulkActionSerializer(made).data, status=code)
