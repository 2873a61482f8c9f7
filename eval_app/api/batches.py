"""REST under /api/v1/verification-batches/: the batches under way, and cancelling one."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from eval_app.models import VerificationBatch
from eval_app.pages.batches import batches, under_way
from eval_app.request import batches as request_batches
from eval_app.workers.fleet import Fleet


class BatchSerializer(serializers.Serializer):
    """Verifications that were requested together and are not all finished."""

    id = serializers.UUIDField()
    title = serializers.CharField(help_text="the query in words, or the number of samples")
    requested_by = serializers.CharField(help_text="empty: a command")
    asked_at = serializers.DateTimeField()
    total = serializers.IntegerField()
    finished = serializers.IntegerField()
    passed = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    running = serializers.IntegerField()
    queued = serializers.IntegerField()
    ahead = serializers.IntegerField(
        help_text="queued verifications that are taken before its first queued one"
    )
    seconds_left = serializers.SerializerMethodField(
        help_text="an estimate; null if the pace was not measured"
    )

    def get_seconds_left(self, batch: Any) -> float | None:
        return None if batch.left is None else float(batch.left.total_seconds())


class CancelledSerializer(serializers.Serializer):
    cancelled = serializers.IntegerField(help_text="queued verifications that were cancelled")


class BatchList(APIView):
    """The newest batches under way."""

    @extend_schema(responses=BatchSerializer(many=True))
    def get(self, request: Request) -> Response:
        rows = batches(under_way(), Fleet.read(), actor_of(request))
        return Response(BatchSerializer(rows, many=True).data)


class BatchCancel(APIView):
    """Cancels the queued verifications of a batch; running ones finish."""

    write_scope = Scope.ANNOTATE

    @extend_schema(request=None, responses=CancelledSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        batch = get_object_or_404(VerificationBatch, pk=pk)
        return Response({"cancelled": request_batches.cancel_queued(batch, actor=actor_of(request))})
