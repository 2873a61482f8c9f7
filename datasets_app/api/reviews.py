"""/api/v1/reviews/: read and submit reviews."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app import review as stage
from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, Sample, Verdict
from datasets_app.models.review import ReviewQuerySet
from datasets_app.review.rubric import CRITERIA


class ReviewSerializer(serializers.ModelSerializer[Review]):
    """A stored review. Scores are 1 to 5, or null if the reviewer gave none."""

    reviewer: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)

    class Meta:
        model = Review
        fields = ["id", "sample", "reviewer", "verdict", *CRITERIA, "comment", "key", "created_at"]
        read_only_fields = fields


class NewReviewSerializer(serializers.ModelSerializer[Review]):
    """The request. With `key` (a UUID of the client) a repeated request stores nothing new."""

    sample: Any = serializers.PrimaryKeyRelatedField(queryset=Sample.objects.all())
    key = serializers.UUIDField(required=False, help_text="makes the request safe to repeat")
    seen = serializers.CharField(
        required=False,
        max_length=100,
        help_text="`seen` of an earlier 409 response: store only if nothing has changed since",
    )

    class Meta:
        model = Review
        fields = ["sample", "verdict", *CRITERIA, "comment", "key", "seen"]


class ConflictSerializer(serializers.Serializer[Any]):
    """Nothing was stored: the key was used for another review, or the sample changed since it was `seen`."""

    detail = serializers.CharField()
    newer = ReviewSerializer(many=True, help_text="reviews submitted since")
    verified_again = serializers.BooleanField()
    seen = serializers.CharField(help_text="send this to confirm that you have read them")


class ReviewFilterSerializer(serializers.Serializer[Any]):
    """The list's filters."""

    sample = serializers.UUIDField(required=False)
    reviewer = serializers.CharField(required=False, max_length=150, help_text="an account's name")
    verdict = serializers.ChoiceField(choices=Verdict.choices, required=False)

    def lookups(self) -> dict[str, Any]:
        names = {"sample": "sample_id", "reviewer": "reviewer__username", "verdict": "verdict"}
        return {names[name]: value for name, value in self.validated_data.items()}


class ReviewList(GenericAPIView[Review]):
    serializer_class = ReviewSerializer
    queryset = Review.objects.none()
    write_scope = Scope.ANNOTATE

    @extend_schema(parameters=[ReviewFilterSerializer], responses=ReviewSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Reviews, newest first."""
        wanted = ReviewFilterSerializer(data=request.query_params)
        wanted.is_valid(raise_exception=True)
        page = self.paginate_queryset(reviews_for(actor_of(request)).filter(**wanted.lookups()))
        return self.get_paginated_response(ReviewSerializer(page, many=True).data)

    @extend_schema(
        request=NewReviewSerializer,
        responses={
            201: ReviewSerializer,
            200: OpenApiResponse(ReviewSerializer, "the same key and content were already stored"),
            409: ConflictSerializer,
        },
    )
    def post(self, request: Request) -> Response:
        """Submit a review. The newest review of a sample is its verdict."""
        form = NewReviewSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return submit(request, dict(form.validated_data))


def reviews_for(actor: Actor) -> ReviewQuerySet:
    """Return the reviews that this account may see; in blind review, those of samples that it has reviewed itself."""
    return stage.readable_reviews(actor).with_reviewer()


def submit(request: Request, fields: dict[str, Any]) -> Response:
    sample, scores = fields.pop("sample"), {name: fields.pop(name, None) for name in CRITERIA}
    seen = fields.pop("seen", None)
    existed = "key" in fields and Review.objects.filter(key=fields["key"]).exists()
    try:
        seen = stage.Seen.parse(seen) if seen else None
        review = stage.submit_review(sample, actor_of(request), scores=scores, seen=seen, **fields)
    except stage.ReviewError as error:
        raise serializers.ValidationError(error.errors) from error
    except (stage.KeyReusedError, stage.ChangedSinceError) as error:
        return conflict(sample, request.user, error)
    code = status.HTTP_200_OK if existed else status.HTTP_201_CREATED
    return Response(ReviewSerializer(review).data, status=code)


def conflict(sample: Sample, user: Any, error: Exception) -> Response:
    sample.refresh_from_db()
    body = {
        "detail": str(error),
        "newer": getattr(error, "reviews", []),
        "verified_again": getattr(error, "verified_again", False),
        "seen": str(stage.look(sample, user)),
    }
    return Response(ConflictSerializer(body).data, status=status.HTTP_409_CONFLICT)
