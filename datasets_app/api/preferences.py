"""/api/v1/preferences/: which of two samples of a task reviewers prefer, and the rankings that follow."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView, get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.files import FileView
from datasets_app.api.filters import filter_of
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.models import Preference, PreferenceChoice, PreferenceWithdrawal, Sample, Task
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.review import KeyReusedError, preferences
from datasets_app.review.preferences.sending import pairs_response

CONFLICT = OpenApiResponse(
    ProblemSerializer,
    "nothing was stored: the two were compared before, it is withdrawn, or the key was used for something else",
)
CONFLICTS = (preferences.AlreadyComparedError, preferences.PreferenceWithdrawnError, KeyReusedError)


class PreferenceWithdrawalSerializer(serializers.ModelSerializer[PreferenceWithdrawal]):
    """Who withdrew a preference, when and why."""

    withdrawn_by: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)

    class Meta:
        model = PreferenceWithdrawal
        fields = ["withdrawn_by", "reason", "created_at"]
        read_only_fields = fields


class PreferenceSerializer(serializers.ModelSerializer[Preference]):
    """A stored preference: `choice` says which of the two samples is better."""

    reviewer: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)
    withdrawal = serializers.SerializerMethodField(help_text="null: the preference counts")

    class Meta:
        model = Preference
        fields = ["id", "task", "left", "right", "choice", "reason", "reviewer", "created_at", "withdrawal"]
        read_only_fields = fields

    @extend_schema_field(PreferenceWithdrawalSerializer(allow_null=True))
    def get_withdrawal(self, preference: Preference) -> dict[str, Any] | None:
        if not preference.is_withdrawn:
            return None
        return dict(PreferenceWithdrawalSerializer(preference.withdrawal).data)


class NewPreferenceSerializer(RequestSerializer):
    """The request. With `key` (a UUID of the client) a repeated request stores nothing new."""

    left: Any = serializers.PrimaryKeyRelatedField(queryset=Sample.objects.all())
    right: Any = serializers.PrimaryKeyRelatedField(queryset=Sample.objects.all())
    choice = serializers.ChoiceField(choices=PreferenceChoice.choices)
    reason = serializers.CharField(required=False, allow_blank=True, default="", trim_whitespace=False)
    key = serializers.UUIDField(required=False, help_text="makes the request safe to repeat")


class PreferenceFilterSerializer(serializers.Serializer[Any]):
    """The list's filters."""

    task = serializers.UUIDField(required=False)
    reviewer = serializers.CharField(required=False, max_length=150, help_text="an account's name")
    choice = serializers.ChoiceField(choices=PreferenceChoice.choices, required=False)

    def lookups(self) -> dict[str, Any]:
        names = {"task": "task_id", "reviewer": "reviewer__username", "choice": "choice"}
        return {names[name]: value for name, value in self.validated_data.items()}


class WithdrawalReasonSerializer(RequestSerializer):
    """The request of a withdrawal."""

    reason = serializers.CharField(max_length=LONGEST_REASON)


class RankSerializer(serializers.Serializer[Any]):
    """One sample's place. Strength 1 is that of the average sample; `chance` is that of being preferred to it."""

    place = serializers.IntegerField()
    sample = serializers.UUIDField(source="sample.pk")
    strength = serializers.FloatField(source="strength.value")
    strength_low = serializers.FloatField(source="strength.low", help_text="of the 95 % interval")
    strength_high = serializers.FloatField(source="strength.high")
    chance = serializers.FloatField(source="strength.chance")
    chance_low = serializers.FloatField(source="strength.chance_low")
    chance_high = serializers.FloatField(source="strength.chance_high")
    comparisons = serializers.IntegerField(source="strength.comparisons")
    won = serializers.IntegerField(source="strength.won")
    tied = serializers.IntegerField(source="strength.tied")
    lost = serializers.IntegerField(source="strength.lost")


class RankingSerializer(serializers.Serializer[Any]):
    """The compared samples of a task by their strengths under the Bradley-Terry model, the strongest first."""

    rows = RankSerializer(many=True)
    comparisons = serializers.IntegerField()
    own_only = serializers.BooleanField(help_text="blind review: of your own comparisons alone")
    is_cut = serializers.BooleanField(help_text="only the samples with the most comparisons are ranked")


class PreferenceList(GenericAPIView[Preference]):
    serializer_class = PreferenceSerializer
    queryset = Preference.objects.none()
    write_scope = Scope.ANNOTATE

    @extend_schema(parameters=[PreferenceFilterSerializer], responses=PreferenceSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Preferences, newest first; in blind review own ones."""
        wanted = filter_of(request, PreferenceFilterSerializer)
        readable = preferences.readable_preferences(actor_of(request)).with_people()
        page = self.paginate_queryset(readable.filter(**wanted.lookups()))
        return self.get_paginated_response(PreferenceSerializer(page, many=True).data)

    @extend_schema(
        request=NewPreferenceSerializer,
        responses={
            201: PreferenceSerializer,
            200: OpenApiResponse(PreferenceSerializer, "the same key and content were already stored"),
            409: CONFLICT,
        },
    )
    def post(self, request: Request) -> Response:
        """Say which of two samples of one task is better."""
        form = NewPreferenceSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = dict(form.validated_data)
        existed = "key" in given and Preference.objects.filter(pk=given["key"]).exists()
        code = status.HTTP_200_OK if existed else status.HTTP_201_CREATED
        return stored(lambda: preferences.submit_preference(actor=actor_of(request), **given), code)


class PreferenceWithdraw(GenericAPIView[Preference]):
    serializer_class = PreferenceSerializer
    queryset = Preference.objects.none()
    write_scope = Scope.ANNOTATE

    @extend_schema(
        request=WithdrawalReasonSerializer,
        responses={200: PreferenceSerializer, 409: CONFLICT},
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """Withdraw a preference with a reason: its reviewer and curators may. It no longer counts."""
        form = WithdrawalReasonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        actor = actor_of(request)
        preference = get_object_or_404(preferences.readable_preferences(actor), pk=pk)

        def withdraw() -> Preference:
            preferences.withdraw_preference(preference, actor, form.validated_data["reason"])
            return preference

        return stored(withdraw, status.HTTP_200_OK)


class TaskRanking(GenericAPIView[Preference]):
    serializer_class = RankingSerializer
    queryset = Preference.objects.none()
    pagination_class = None

    @extend_schema(responses=RankingSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """The ranking of a task's samples by preferences, with intervals; in blind review of own preferences."""
        task = get_object_or_404(Task.objects.all(), pk=pk)
        return Response(RankingSerializer(preferences.ranking_of(task, actor_of(request))).data)


class PreferencePairs(FileView):
    @extend_schema(responses={(200, "application/jsonl"): OpenApiTypes.BINARY})
    def get(self, request: Request) -> StreamingHttpResponse:
        """Preference pairs for trainers as JSON Lines: prompt, chosen, rejected, ids. Needs the scope curate.

        The headers X-Pairs, X-Pairs-Tied and X-Pairs-Even count the pairs in it, and those that ties only or even
        splits leave out.
        """
        return pairs_response(actor_of(request))


def stored(act: Callable[[], Preference], code: int) -> Response:
    """Return the preference as it is now, or why nothing was stored."""
    try:
        preference = act()
    except CONFLICTS as error:
        raise Conflict(error) from error
    except preferences.PreferenceError as error:
        raise serializers.ValidationError(error.errors) from error
    now = Preference.objects.with_people().get(pk=preference.pk)
    return Response(PreferenceSerializer(now).data, status=code)
