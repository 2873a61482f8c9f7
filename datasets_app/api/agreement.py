"""/api/v1/agreement/: how far reviewers agree, to read."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.filters import filter_of
from datasets_app.models import ReviewQueue
from datasets_app.review.agreement import agreement, rubric_fields


class EstimateSerializer(serializers.Serializer[Any]):
    """A coefficient with its 95 % interval; `missing` says why there is no value."""

    samples = serializers.IntegerField(help_text="samples that were rated at least twice")
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    missing = serializers.CharField(help_text="empty: there is a value")


class FieldAgreementSerializer(serializers.Serializer[Any]):
    field = serializers.CharField(source="field.name")
    alpha = EstimateSerializer(help_text="Krippendorff's: nominal for verdicts, ordinal for scores")
    fleiss = EstimateSerializer(help_text="Fleiss' kappa")


class ConfusionRowSerializer(serializers.Serializer[Any]):
    value = serializers.CharField(help_text="of the first reviewer")
    counts = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="by the value of the second, in the same order",
    )


class PairAgreementSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    samples = serializers.IntegerField()
    same = serializers.IntegerField()
    kappa = EstimateSerializer(help_text="Cohen's kappa")
    confusion = ConfusionRowSerializer(many=True)


class ReviewerAgreementSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    samples = serializers.IntegerField(help_text="rated by this reviewer and by another")
    pairs = serializers.IntegerField(help_text="ratings of this reviewer beside one of another")
    same = serializers.IntegerField(help_text="of these, equal")
    alpha = EstimateSerializer(help_text="of all ratings of these samples")


class AgreementSerializer(serializers.Serializer[Any]):
    """Agreement of each reviewer's newest vote. The pairs and reviewers with most samples are listed."""

    field = serializers.CharField(source="field.name")
    overall = FieldAgreementSerializer(source="fields", many=True)
    pairs = PairAgreementSerializer(many=True)
    pairs_left_out = serializers.IntegerField()
    reviewers = ReviewerAgreementSerializer(many=True)
    reviewers_left_out = serializers.IntegerField()


class AgreementFilterSerializer(serializers.Serializer[Any]):
    field = serializers.CharField(
        default="verdict",
        max_length=100,
        help_text="the field of `pairs` and `reviewers`: verdict, a criterion's name, or `reason:` with a code",
    )
    queue: Any = serializers.PrimaryKeyRelatedField(
        queryset=ReviewQueue.objects.all(), default=None, help_text="of this queue's samples alone"
    )

    def validate_field(self, name: str) -> str:
        if name not in (fields := rubric_fields()):
            raise serializers.ValidationError(
                f"A review has no field {name}; choose one of: {', '.join(fields)}."
            )
        return name


class AgreementReport(APIView):
    @extend_schema(parameters=[AgreementFilterSerializer], responses=AgreementSerializer)
    def get(self, request: Request) -> Response:
        """Agreement between reviewers, for curators."""
        actor_of(request).require(Scope.CURATE)
        wanted = filter_of(request, AgreementFilterSerializer)
        return Response(AgreementSerializer(agreement(**wanted.validated_data)).data)
