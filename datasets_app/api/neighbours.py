"""/api/v1/samples/{id}/neighbours/: the samples with the most similar kernels."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.api.samples import SampleRowSerializer, hide_verdict
from datasets_app.models import Sample
from datasets_app.review import hidden_verdicts
from datasets_app.similarity.find import neighbours_of


class NeighbourSerializer(serializers.Serializer):
    sample = SampleRowSerializer(help_text="the other sample, with its outcome and its verdict")
    similarity = serializers.FloatField(
        help_text="0 to 1: the share of runs of five tokens that both have, ignoring names, comments and layout"
    )
    same_text = serializers.BooleanField(help_text="only layout and comments differ")
    diff = serializers.URLField(help_text="the page that shows the two kernels' difference")


class NeighboursSerializer(serializers.Serializer):
    """`next` and `previous` are always null: there is one page."""

    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    indexed = serializers.BooleanField(help_text="false: not indexed yet, so that the list is empty")
    cluster = serializers.CharField(
        help_text="cluster of similar kernels, listed by samples/?cluster=; empty: none"
    )
    results = NeighbourSerializer(many=True)


class SampleNeighbours(GenericAPIView[Sample]):
    queryset = Sample.objects.none()
    serializer_class = NeighboursSerializer
    pagination_class = None

    @extend_schema(responses=NeighboursSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """The most similar samples first. Kernels below 0.3 are left out; no text is read."""
        sample = get_object_or_404(Sample.objects.only("pk"), pk=pk)
        neighbours = neighbours_of(sample.pk)
        hidden = hidden_verdicts(actor_of(request), (row.sample.pk for row in neighbours.rows))
        for row in neighbours.rows:
            if row.sample.pk in hidden:
                hide_verdict(row.sample)
        rows = [
            {
                "sample": row.sample,
                "similarity": round(row.similarity, 4),
                "same_text": row.same_text,
                "diff": diff_address(request, sample, row.sample),
            }
            for row in neighbours.rows
        ]
        content: dict[str, Any] = {"next": None, "previous": None, "results": rows}
        content |= {"indexed": neighbours.indexed, "cluster": neighbours.cluster}
        return Response(NeighboursSerializer(content).data)


def diff_address(request: Request, sample: Sample, other: Sample) -> str:
    query = urlencode({"against": other.pk})
    return request.build_absolute_uri(f"{reverse('sample', args=[sample.pk])}?{query}")
