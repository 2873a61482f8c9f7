"""/api/v1/samples/<id>/withdraw/ and restore/, /api/v1/ingests/<id>/undo/ and restore/."""

from typing import Any, Never

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app import ingest as stage
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.reviews import ReasonSerializer
from datasets_app.models import Ingest, Sample, SampleWithdrawal

CONFLICT = OpenApiResponse(
    ProblemSerializer, "it was withdrawn before, or the ingest has not ended; `detail` says which"
)


class SampleWithdrawalSerializer(serializers.ModelSerializer[SampleWithdrawal]):
    """Who withdrew a sample, when and why."""

    withdrawn_by: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)

    class Meta:
        model = SampleWithdrawal
        fields = ["sample", "withdrawn_by", "reason", "created_at"]
        read_only_fields = fields


class CountSerializer(serializers.Serializer[Any]):
    """The number of samples that changed."""

    samples = serializers.IntegerField()


def reason_of(request: Request) -> str:
    form = ReasonSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    return str(form.validated_data["reason"])


def refused(error: Exception) -> Never:
    """Answer 409 for a conflict with what is stored; a reason that cannot be stored is the request's fault."""
    if isinstance(error, stage.WithdrawalError) and not error.is_conflict:
        raise serializers.ValidationError({"reason": [str(error)]}) from error
    raise Conflict(error) from error


class SampleWithdraw(GenericAPIView[Sample]):
    serializer_class = ReasonSerializer
    queryset = Sample.objects.all()
    write_scope = Scope.CURATE

    @extend_schema(request=ReasonSerializer, responses={200: SampleWithdrawalSerializer, 409: CONFLICT})
    def post(self, request: Request, pk: str) -> Response:
        """Withdraw a sample with a reason: lists, queues and recipes leave it out, and releases stay as they are."""
        try:
            withdrawal = stage.withdraw_sample(self.get_object(), actor_of(request), reason_of(request))
        except stage.WithdrawalError as error:
            return refused(error)
        return Response(SampleWithdrawalSerializer(withdrawal).data)


class SampleRestore(GenericAPIView[Sample]):
    serializer_class = CountSerializer
    queryset = Sample.objects.all()
    write_scope = Scope.CURATE

    @extend_schema(request=None, responses=CountSerializer)
    def post(self, request: Request, pk: str) -> Response:
        """Bring a withdrawn sample back. Repeating the request changes nothing."""
        return Response({"samples": int(stage.restore_sample(self.get_object(), actor_of(request)))})


class IngestUndo(GenericAPIView[Ingest]):
    serializer_class = CountSerializer
    queryset = Ingest.objects.all()
    write_scope = Scope.CURATE

    @extend_schema(request=ReasonSerializer, responses={200: CountSerializer, 409: CONFLICT})
    def post(self, request: Request, pk: str) -> Response:
        """Withdraw the samples that an own ingest brought and that are not released, reviewed, noted, edited or
        compared."""
        ingest = self.get_object()
        try:
            count = stage.undo_ingest(ingest, actor_of(request), reason_of(request))
        except (stage.WithdrawalError, stage.IngestError) as error:
            return refused(error)
        return Response({"samples": count})


class IngestRestore(GenericAPIView[Ingest]):
    serializer_class = CountSerializer
    queryset = Ingest.objects.all()
    write_scope = Scope.CURATE

    @extend_schema(request=None, responses={200: CountSerializer, 409: CONFLICT})
    def post(self, request: Request, pk: str) -> Response:
        """Bring back the samples that the undoing of this ingest withdrew. Repeating the request changes nothing."""
        try:
            return Response({"samples": stage.restore_ingest(self.get_object(), actor_of(request))})
        except stage.IngestError as error:
            return refused(error)
