"""/api/v1/suggestions/: what rules and models suggest about samples; programs send and withdraw theirs."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.agreement import ConfusionRowSerializer, EstimateSerializer
from datasets_app.api.filters import filter_of
from datasets_app.models import NotedText, NoteLabel, Suggestion, SuggestionKind, SuggestionSource, Verdict
from datasets_app.models.suggestion import LONGEST_MAKER, LONGEST_VERSION, SuggestionQuerySet
from datasets_app.review import suggestions

COLUMNS = [
    *("id", "sample", "source", "maker", "version", "kind", "verdict", "scores", "text", "start", "end"),
    *("digest", "label", "words", "confidence", "posted_by", "created_at", "withdrawn_at"),
]


class SuggestionSerializer(serializers.ModelSerializer[Suggestion]):
    """A stored suggestion: a verdict, scores by criterion, or a span in code points with a label."""

    posted_by: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)
    scores = serializers.DictField(child=serializers.IntegerField(), read_only=True)

    class Meta:
        model = Suggestion
        fields = COLUMNS
        read_only_fields = fields


class NewSuggestionSerializer(serializers.Serializer[Any]):
    """One row. Each is checked by itself: a bad one is refused with a sentence, and the others are stored."""

    sample = serializers.UUIDField()
    verdict = serializers.ChoiceField(choices=Verdict.choices, required=False)
    scores = serializers.DictField(
        child=serializers.IntegerField(), required=False, help_text="criterion to a score from 1 to 5"
    )
    text = serializers.ChoiceField(choices=NotedText.choices, required=False, help_text="of a span")
    start = serializers.IntegerField(required=False, help_text="of a span, in code points")
    end = serializers.IntegerField(required=False)
    digest = serializers.CharField(
        required=False, help_text="SHA-256 of the text that was read: refused if it was replaced"
    )
    label: Any = serializers.ChoiceField(choices=NoteLabel.choices, required=False, help_text="of a span")
    words = serializers.CharField(help_text="why, in one or two sentences")
    confidence = serializers.FloatField(required=False, help_text="0 to 1")


class NewSuggestionsSerializer(serializers.Serializer[Any]):
    """The request: a model's name and version, and what it suggests."""

    name = serializers.CharField(max_length=LONGEST_MAKER)
    version = serializers.CharField(max_length=LONGEST_VERSION)
    suggestions = serializers.ListField(
        child=NewSuggestionSerializer(), min_length=1, max_length=suggestions.MOST_POSTED
    )


class PostedSerializer(serializers.Serializer[Any]):
    """What became of a row."""

    state = serializers.CharField(help_text="stored, present (the same is stored already) or refused")
    id = serializers.SerializerMethodField(help_text="null: refused")
    error = serializers.CharField(help_text="why it was refused; otherwise empty")

    def get_id(self, posted: suggestions.Posted) -> UUID | None:
        return posted.suggestion.pk if posted.suggestion else None


class PostedListSerializer(serializers.Serializer[Any]):
    """One entry per row, in their order."""

    results = PostedSerializer(many=True)


class SuggestionFilterSerializer(serializers.Serializer[Any]):
    """The list's filters."""

    sample = serializers.UUIDField(required=False)
    source: Any = serializers.ChoiceField(choices=SuggestionSource.choices, required=False)
    kind = serializers.ChoiceField(choices=SuggestionKind.choices, required=False)
    maker = serializers.CharField(required=False, max_length=LONGEST_MAKER)
    version = serializers.CharField(required=False, max_length=LONGEST_VERSION)
    posted_by = serializers.CharField(required=False, max_length=150, help_text="an account's name")

    def chosen(self, rows: SuggestionQuerySet) -> SuggestionQuerySet:
        names = {"sample": "sample_id", "posted_by": "posted_by__username"}
        return rows.filter(**{names.get(name, name): value for name, value in self.validated_data.items()})


class SuggestionList(GenericAPIView[Suggestion]):
    serializer_class = SuggestionSerializer
    queryset = Suggestion.objects.none()
    write_scope = Scope.ANNOTATE

    @extend_schema(parameters=[SuggestionFilterSerializer], responses=SuggestionSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Suggestions, newest first; `posted_by` lists those of one account."""
        wanted = filter_of(request, SuggestionFilterSerializer)
        rows = suggestions.readable_suggestions(actor_of(request)).select_related("posted_by")
        page = self.paginate_queryset(wanted.chosen(rows))
        return self.get_paginated_response(SuggestionSerializer(page, many=True).data)

    @extend_schema(
        request=NewSuggestionsSerializer,
        responses={
            201: PostedListSerializer,
            200: OpenApiResponse(PostedListSerializer, "nothing new was stored"),
        },
    )
    def post(self, request: Request) -> Response:
        """Send a model's suggestions; the same ones again store nothing new. Reviewers see them, and decide."""
        given = request.data if isinstance(request.data, dict) else {}
        rows = given.get("suggestions")
        if not isinstance(rows, list):
            raise serializers.ValidationError({"suggestions": "Give a list of suggestions."})
        try:
            results = suggestions.post_suggestions(
                actor_of(request), given.get("name", ""), given.get("version", ""), rows
            )
        except suggestions.SuggestionError as error:
            raise serializers.ValidationError({"detail": str(error)}) from error
        is_new = any(one.state == "stored" for one in results)
        code = status.HTTP_201_CREATED if is_new else status.HTTP_200_OK
        return Response(PostedListSerializer({"results": results}).data, status=code)


class SuggestionWithdraw(GenericAPIView[Suggestion]):
    serializer_class = SuggestionSerializer
    queryset = Suggestion.objects.none()
    write_scope = Scope.ANNOTATE

    @extend_schema(request=None, responses=SuggestionSerializer)
    def post(self, request: Request, pk: UUID) -> Response:
        """Withdraw a suggestion: the account that sent it and curators may. It is offered no longer."""
        rows = suggestions.readable_suggestions(actor_of(request)).select_related("posted_by")
        suggestions.withdraw_suggestion(get_object_or_404(rows, pk=pk), actor_of(request))
        return Response(SuggestionSerializer(rows.get(pk=pk)).data)


class ComparedSerializer(serializers.Serializer[Any]):
    """Suggested verdicts beside people's, one pair per review."""

    reviews = serializers.IntegerField()
    same = serializers.IntegerField()
    kappa = EstimateSerializer(help_text="Cohen's kappa")
    confusion = ConfusionRowSerializer(many=True, help_text="a row per suggested verdict")


class MakerReportSerializer(serializers.Serializer[Any]):
    source: Any = serializers.CharField(source="maker.source")
    maker = serializers.CharField(source="maker.name")
    version = serializers.CharField(source="maker.version")
    suggestions = serializers.IntegerField()
    withdrawn = serializers.IntegerField()
    offered = serializers.IntegerField(help_text="times that one was shown to a reviewer")
    taken = serializers.IntegerField()
    overruled = serializers.IntegerField(help_text="taken, and then another verdict was saved")
    dropped = serializers.IntegerField()
    after = ComparedSerializer(help_text="reviews saved after it was shown to their reviewer")
    unseen = ComparedSerializer(help_text="reviews saved before, or by people to whom it was never shown")


class SuggestionReportSerializer(serializers.Serializer[Any]):
    makers = MakerReportSerializer(many=True)
    left_out = serializers.IntegerField(help_text="makers with fewer suggestions")
    is_cut = serializers.BooleanField(help_text="only the newest suggestions were compared")


class SuggestionAgreement(APIView):
    @extend_schema(responses=SuggestionReportSerializer)
    def get(self, request: Request) -> Response:
        """Report how often suggestions are taken, and how far their verdicts agree with people's, for curators."""
        actor_of(request).require(Scope.CURATE)
        return Response(SuggestionReportSerializer(suggestions.suggestion_report()).data)
