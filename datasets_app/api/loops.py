"""/api/v1/loops/: turns of a synthesis that start by themselves: start, follow, cancel, go on."""

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
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.api.synthesis_requests import INSPECT, MOST_TOKENS, cost_field
from datasets_app.models import Loop, LoopPolicy, Synthesis
from datasets_app.models.synthesis import NAME_CHARS
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.loops import (
    MOST_ISLANDS,
    MOST_TURNS,
    LoopPlan,
    cancel_loop,
    continue_loop,
    start_loop,
)
from datasets_app.synthesize.verbs import MOST_TOLD_TURNS


class LoopSerializer(serializers.ModelSerializer[Loop]):
    run = serializers.UUIDField(
        source="first.run_id", read_only=True, allow_null=True, help_text="with its metrics by turn"
    )

    class Meta:
        model = Loop
        fields: ClassVar = [
            *("id", "state", "error", "ended_by", "first", "current", "run", "policy", "most_turns", "until"),
            *(
                "patience",
                "most_tokens",
                "most_cost",
                "told_turns",
                "verify_profile",
                "inspect",
                "judge_endpoint",
                "judge_model",
            ),
            *("islands", "migrate_every", "created_at", "finished_at"),
        ]


class LoopAskSerializer(RequestSerializer):
    """How the turns go on, and the rules that end them."""

    policy = serializers.ChoiceField(choices=LoopPolicy.choices, default=LoopPolicy.SERIAL)
    most_turns = serializers.IntegerField(default=4, min_value=2, max_value=MOST_TURNS)
    until = serializers.FloatField(
        default=1.0, min_value=0, max_value=1000, help_text="times as fast as eager; 0: passing is enough"
    )
    patience = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=MOST_TURNS, help_text="turns without a gain"
    )
    most_tokens = serializers.IntegerField(default=None, allow_null=True, min_value=1, max_value=MOST_TOKENS)
    most_cost = cost_field()
    told_turns = serializers.IntegerField(default=1, min_value=1, max_value=MOST_TOLD_TURNS)
    verify_profile = serializers.CharField(default="quick", max_length=20)
    inspect = serializers.BooleanField(default=False, help_text=INSPECT)
    judge_endpoint = serializers.CharField(default="", allow_blank=True, max_length=40)
    judge_model = serializers.CharField(default="", allow_blank=True, max_length=NAME_CHARS)
    islands = serializers.IntegerField(default=1, min_value=1, max_value=MOST_ISLANDS)
    migrate_every = serializers.IntegerField(default=3, min_value=1, max_value=MOST_TURNS)


class LoopContinueSerializer(RequestSerializer):
    most_turns = serializers.IntegerField(
        default=None, allow_null=True, min_value=2, max_value=MOST_TURNS, help_text="replaces the limit"
    )
    most_tokens = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=MOST_TOKENS, help_text="replaces the limit"
    )
    most_cost = cost_field("replaces the limit")


class LoopList(generics.ListAPIView[Loop]):
    """Every loop, the newest first."""

    serializer_class = LoopSerializer
    queryset = Loop.objects.select_related("first")


class LoopDetail(generics.RetrieveAPIView[Loop]):
    serializer_class = LoopSerializer
    queryset = Loop.objects.select_related("first")


class SynthesisLoop(generics.GenericAPIView[Any]):
    queryset = Synthesis.objects.all()
    serializer_class = LoopSerializer
    write_scope = Scope.CURATE

    @extend_schema(request=LoopAskSerializer, responses={202: LoopSerializer})
    def post(self, request: Request, pk: str) -> Response:
        """Start the turns of a first turn. They go on in the background, each after the verification of the last."""
        form = LoopAskSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        try:
            loop = start_loop(LoopPlan(**form.validated_data), self.get_object(), actor_of(request))
        except SynthesisError as error:
            raise serializers.ValidationError({"detail": str(error)}) from error
        location = reverse("api-loop", args=[loop.pk], request=request)
        return Response(LoopSerializer(loop).data, status.HTTP_202_ACCEPTED, headers={"Location": location})


class LoopVerb(generics.GenericAPIView[Loop]):
    queryset = Loop.objects.select_related("first")
    serializer_class = LoopSerializer
    write_scope = Scope.CURATE

    def loop(self) -> Loop:
        return get_object_or_404(self.get_queryset(), pk=self.kwargs["pk"])


class LoopCancel(LoopVerb):
    @extend_schema(
        request=None,
        responses={200: LoopSerializer, 409: OpenApiResponse(ProblemSerializer, "they have ended already")},
    )
    def post(self, request: Request, pk: str) -> Response:
        """End the turns, and the one that is under way. What was answered is stored."""
        loop = self.loop()
        try:
            cancel_loop(loop, actor_of(request))
        except SynthesisError as error:
            raise Conflict(error) from error
        return Response(LoopSerializer(loop).data)


class LoopContinue(LoopVerb):
    @extend_schema(
        request=LoopContinueSerializer,
        responses={202: LoopSerializer, 409: OpenApiResponse(ProblemSerializer, "they still go on")},
    )
    def post(self, request: Request, pk: str) -> Response:
        """Go on with turns that ended, from where they stopped."""
        form = LoopContinueSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        loop = self.loop()
        try:
            continue_loop(loop, actor_of(request), **form.validated_data)
        except SynthesisError as error:
            raise Conflict(error) from error
        return Response(LoopSerializer(loop).data, status.HTTP_202_ACCEPTED)
