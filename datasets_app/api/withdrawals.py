"""/api/v1/samples/<id>/withdraw/ and restore/, /api/v1/ingests/<id>/undo/ and restore/."""

from typing import Any, Never

from django.http import Http404
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
from datasets_app.models import Ingest, IngestUndo, JobState, Sample, SampleWithdrawal

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


class IngestUndoSerializer(serializers.ModelSerializer[Any]):
    """A run that withdraws an ingest's samples, or brings them back: how far it is, and how many it has changed."""

    samples = serializers.IntegerField(source="done", help_text="changed so far")
    sentence = serializers.CharField()

    class Meta:
        model = IngestUndo
        fields = ["ingest", "restores", "state", "samples", "total", "sentence", "error", "created_at"]
        fields += ["finished_at"]
        read_only_fields = fields


RUN_ANSWERS = {
    200: IngestUndoSerializer,
    202: OpenApiResponse(IngestUndoSerializer, "a worker does it; GET undo/ says how far it is"),
    409: CONFLICT,
}


def run_answer(run: IngestUndo) -> Response:
    done = run.state == JobState.DONE
    return Response(IngestUndoSerializer(run).data, status=200 if done else 202)


class IngestUndoView(GenericAPIView[Ingest]):
    serializer_class = IngestUndoSerializer
    queryset = Ingest.objects.all()
    write_scope = Scope.CURATE

    @extend_schema(responses=IngestUndoSerializer)
    def get(self, request: Request, pk: str) -> Response:
        """Return the progress of the newest run that withdraws the samples of an ingest or brings them back."""
        run = stage.latest_run(self.get_object())
        if run is None:
            raise Http404("Nobody has undone this ingest.")
        return Response(IngestUndoSerializer(run).data)

    @extend_schema(request=ReasonSerializer, responses=RUN_ANSWERS)
    def post(self, request: Request, pk: str) -> Response:
        """Withdraw the samples that an own ingest brought and that are not released, reviewed, noted, edited or
        compared. Many samples are left to a worker."""
        ingest = self.get_object()
        try:
            return run_answer(stage.undo_ingest(ingest, actor_of(request), reason_of(request)))
        except (stage.WithdrawalError, stage.IngestError) as error:
            return refused(error)


class IngestRestore(GenericAPIView[Ingest]):
    serializer_class = IngestUndoSerializer
    queryset = Ingest.objects.all()
    write_scope = Scope.CURATE

    @extend_schema(request=None, responses=RUN_ANSWERS)
    def post(self, request: Request, pk: str) -> Response:
        """Bring back the samples that the undoing of this ingest withdrew. Repeating the request changes nothing."""
        try:
            return run_answer(stage.restore_ingest(self.get_object(), actor_of(request)))
        except stage.IngestError as error:
            return refused(error)
