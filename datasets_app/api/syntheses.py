"""/api/v1/syntheses/: ask a model for candidates, follow what becomes of them, go on."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.pagination import CursorPagination
from datasets_app.api.synthesis_requests import (
    RefineSerializer,
    SynthesisAskSerializer,
    SynthesisContinueSerializer,
)
from datasets_app.ingest import IngestError
from datasets_app.models import Candidate, Synthesis
from datasets_app.models.synthesis import attach_tallies
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.refine import Refinement, refine
from datasets_app.synthesize.verbs import Plan, cancel, go_on, start, tasks_of


class TallyList(serializers.ListSerializer[Synthesis]):
    """Counts the candidates of a page's syntheses in one query."""

    def to_representation(self, data: Any) -> list[Any]:
        rows = list(data)
        attach_tallies(rows)
        return super().to_representation(rows)


class SynthesisSerializer(serializers.ModelSerializer[Synthesis]):
    candidates = serializers.DictField(
        source="tally",
        child=serializers.IntegerField(),
        help_text="how many are waiting, stored, refused and failed",
    )
    source = serializers.CharField(source="name", help_text="of its samples")  # type: ignore[assignment]

    class Meta:
        model = Synthesis
        list_serializer_class = TallyList
        fields: ClassVar = [
            *(
                "id",
                "name",
                "state",
                "error",
                "stopped",
                "endpoint",
                "model",
                "template",
                "messages",
                "sampling",
            ),
            *("per_task", "seed", "at_once", "requests_a_minute", "most_tokens", "most_cost"),
            *("verify_profile", "inspect"),
            *("told_turns", "judge_endpoint", "judge_model", "judge_template"),
            *("candidates", "source", "turn", "refines", "loop", "run"),
            *("created_at", "started_at", "finished_at"),
        ]

    def to_representation(self, instance: Synthesis) -> dict[str, Any]:
        if not hasattr(instance, "tally"):
            attach_tallies([instance])
        return super().to_representation(instance)


class CandidateSerializer(serializers.ModelSerializer[Candidate]):
    class Meta:
        model = Candidate
        fields: ClassVar = [
            *("id", "task", "number", "state", "reason", "detail", "finish_reason", "prompt_tokens"),
            *(
                "answer_tokens",
                "judge_prompt_tokens",
                "judge_answer_tokens",
                "mean_logprob",
                "cost",
                "seconds",
            ),
            *("tries", "sample", "parent", "trajectory"),
        ]


class AnsweredSerializer(CandidateSerializer):
    class Meta(CandidateSerializer.Meta):
        fields: ClassVar = [*CandidateSerializer.Meta.fields, "answer", "feedback", "advice", "logprobs"]


class SynthesisList(generics.ListAPIView[Synthesis]):
    serializer_class = SynthesisSerializer
    queryset = Synthesis.objects.all()
    write_scope = Scope.CURATE

    @extend_schema(request=SynthesisAskSerializer, responses={202: SynthesisSerializer})
    def post(self, request: Request) -> Response:
        """Ask for candidates. They are asked for in the background: see `state` and `candidates`."""
        form = SynthesisAskSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = dict(form.validated_data)
        tasks = tasks_of(*(data.pop(name) for name in ("suite", "level", "words", "limit")))
        try:
            synthesis = start(Plan(**data), tasks, actor_of(request))
        except (SynthesisError, IngestError) as error:
            raise serializers.ValidationError({"detail": str(error)}) from error
        location = reverse("api-synthesis", args=[synthesis.pk], request=request)
        return Response(
            SynthesisSerializer(synthesis).data, status.HTTP_202_ACCEPTED, headers={"Location": location}
        )


class SynthesisDetail(generics.RetrieveAPIView[Synthesis]):
    serializer_class = SynthesisSerializer
    queryset = Synthesis.objects.all()


class CandidatePagination(CursorPagination):
    ordering = ("id",)


class CandidateList(generics.ListAPIView[Candidate]):
    """Every candidate of a synthesis. An answer that no sample holds is at the candidate's own address."""

    serializer_class = CandidateSerializer
    pagination_class = CandidatePagination
    queryset = Candidate.objects.defer("answer", "feedback", "advice", "logprobs")

    def get_queryset(self) -> Any:
        if not getattr(self, "swagger_fake_view", False):
            get_object_or_404(Synthesis.objects.only("pk"), pk=self.kwargs["pk"])
        return super().get_queryset().filter(synthesis=self.kwargs.get("pk"))


class CandidateDetail(generics.RetrieveAPIView[Candidate]):
    """One candidate, with its answer if no sample holds it, and its log-probabilities if they were asked for."""

    serializer_class = AnsweredSerializer
    queryset = Candidate.objects.all()
    lookup_url_kwarg = "candidate"

    def get_queryset(self) -> Any:
        return super().get_queryset().filter(synthesis=self.kwargs.get("pk"))


class SynthesisCancel(generics.GenericAPIView[Synthesis]):
    queryset = Synthesis.objects.all()
    serializer_class = SynthesisSerializer
    write_scope = Scope.CURATE

    @extend_schema(
        request=None,
        responses={200: SynthesisSerializer, 409: OpenApiResponse(ProblemSerializer, "it has ended already")},
    )
    def post(self, request: Request, pk: str) -> Response:
        """End a synthesis. What was answered is stored."""
        synthesis = self.get_object()
        try:
            cancel(synthesis, actor_of(request))
        except SynthesisError as error:
            raise Conflict(error) from error
        return Response(self.get_serializer(synthesis).data)


class SynthesisContinue(generics.GenericAPIView[Synthesis]):
    queryset = Synthesis.objects.all()
    serializer_class = SynthesisSerializer
    write_scope = Scope.CURATE

    @extend_schema(
        request=SynthesisContinueSerializer,
        responses={
            202: SynthesisSerializer,
            409: OpenApiResponse(ProblemSerializer, "nothing is left, or it works"),
        },
    )
    def post(self, request: Request, pk: str) -> Response:
        """Ask again for what waits and what was never answered."""
        form = SynthesisContinueSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        synthesis = self.get_object()
        try:
            go_on(synthesis, actor_of(request), **form.validated_data)
        except SynthesisError as error:
            raise Conflict(error) from error
        return Response(self.get_serializer(synthesis).data, status.HTTP_202_ACCEPTED)


class SynthesisRefine(generics.GenericAPIView[Synthesis]):
    queryset = Synthesis.objects.select_related("source")
    serializer_class = SynthesisSerializer
    write_scope = Scope.CURATE

    @extend_schema(request=RefineSerializer, responses={202: SynthesisSerializer})
    def post(self, request: Request, pk: str) -> Response:
        """Ask for the next turn: a synthesis of its own, whose candidates answer the feedback on this one's samples."""
        form = RefineSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        try:
            made = refine(Refinement(**form.validated_data), self.get_object(), actor_of(request))
        except (SynthesisError, IngestError) as error:
            raise serializers.ValidationError({"detail": str(error)}) from error
        return Response(SynthesisSerializer(made).data, status.HTTP_202_ACCEPTED)
