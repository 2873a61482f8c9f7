"""/api/v1/rubric/: the versions of the rubric; read them, publish the next one."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.api.pagination import CursorPagination
from datasets_app.models import RubricVersion, Verdict
from datasets_app.review.rubric import RubricOutdatedError, publish
from datasets_app.review.rubric.definition import FIELDS, RubricError


class RubricSerializer(serializers.ModelSerializer[RubricVersion]):
    """One version. `criteria` and `reasons` are in the form's order; `verdicts` of a reason is empty for any."""

    created_by: Any = serializers.SlugRelatedField(slug_field="username", read_only=True, allow_null=True)

    class Meta:
        model = RubricVersion
        fields = ["number", *sorted(FIELDS), "created_by", "created_at"]
        read_only_fields = fields


@extend_schema_field({"type": "array", "items": {"type": "object", "additionalProperties": {}}})
class RowsField(serializers.JSONField):
    """Objects in the form's order, which the stage checks."""


@extend_schema_field(serializers.ListField(child=serializers.ChoiceField(Verdict.choices)))
class VerdictsField(serializers.JSONField):
    """Verdicts, which the stage checks."""


@extend_schema_field({"type": "string"})
class ProseField(serializers.JSONField):
    """A text, which the stage checks."""


class NewRubricSerializer(RequestSerializer):
    """The request. Everything of the new version; what is left out is empty."""

    based_on = serializers.IntegerField(
        help_text="the newest version's number: if another one was published since, the answer is 409"
    )
    criteria = RowsField(required=False)
    reasons = RowsField(required=False)
    reason_required_for = VerdictsField(required=False)
    comment_required_for = VerdictsField(required=False)
    guidelines = ProseField(required=False, help_text="in paragraphs")
    note = ProseField(help_text="what changed, and why")


class VersionPagination(CursorPagination):
    ordering = ("-number",)


class RubricList(GenericAPIView[RubricVersion]):
    serializer_class = RubricSerializer
    queryset = RubricVersion.objects.none()
    pagination_class = VersionPagination
    write_scope = Scope.CURATE

    @extend_schema(responses=RubricSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Versions of the rubric, newest first, for annotators."""
        actor_of(request).require(Scope.ANNOTATE)
        page = self.paginate_queryset(RubricVersion.objects.select_related("created_by").order_by("-number"))
        return self.get_paginated_response(RubricSerializer(page, many=True).data)

    @extend_schema(
        request=NewRubricSerializer,
        responses={
            201: RubricSerializer,
            409: OpenApiResponse(ProblemSerializer, "another version was published since `based_on`"),
        },
    )
    def post(self, request: Request) -> Response:
        """Publish the next version. Errors are reported by place, such as `criteria.0.key`."""
        form = NewRubricSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = dict(form.validated_data)
        try:
            version = publish(given, given.pop("based_on"), actor=actor_of(request))
        except RubricError as error:
            raise serializers.ValidationError(
                {place: [text] for place, text in error.faults.items()}
            ) from error
        except RubricOutdatedError as error:
            raise Conflict(error) from error
        return Response(RubricSerializer(version).data, status=status.HTTP_201_CREATED)


class RubricDetail(GenericAPIView[RubricVersion]):
    serializer_class = RubricSerializer
    queryset = RubricVersion.objects.none()

    def get(self, request: Request, pk: int) -> Response:
        """One version."""
        actor_of(request).require(Scope.ANNOTATE)
        versions = RubricVersion.objects.select_related("created_by")
        return Response(RubricSerializer(get_object_or_404(versions, pk=min(pk, 32767))).data)
