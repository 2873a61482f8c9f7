"""/api/v1/reviews/: read and submit reviews."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView, get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app import review as stage
from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.filters import filter_of
from datasets_app.api.json_requests import ModelRequestSerializer, RequestSerializer
from datasets_app.models import Review, ReviewWithdrawal, Sample, Verdict
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.review import ReviewQuerySet


class WithdrawalSerializer(serializers.ModelSerializer[ReviewWithdrawal]):
    """Who withdrew a review, when and why."""

    withdrawn_by: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)

    class Meta:
        model = ReviewWithdrawal
        fields = ["withdrawn_by", "reason", "created_at"]
        read_only_fields = fields


class ReviewSerializer(serializers.ModelSerializer[Review]):
    """A stored review. `scores` has the criteria that were scored, 1 to 5; `rubric` is the version."""

    reviewer: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)
    withdrawal = serializers.SerializerMethodField(help_text="null: the review counts")

    class Meta:
        model = Review
        fields = ["id", "sample", "reviewer", "kind", "verdict", "rubric", "scores", "reasons"]
        fields += ["comment", "key", "created_at", "active_s", "withdrawal"]
        read_only_fields = fields

    @extend_schema_field(WithdrawalSerializer(allow_null=True))
    def get_withdrawal(self, review: Review) -> dict[str, Any] | None:
        return dict(WithdrawalSerializer(review.withdrawal).data) if review.is_withdrawn else None


class NewReviewSerializer(ModelRequestSerializer[Review]):
    """The request. With `key` (a UUID of the client) a repeated request stores nothing new."""

    sample: Any = serializers.PrimaryKeyRelatedField(queryset=Sample.objects.all())
    key = serializers.UUIDField(required=False, help_text="makes the request safe to repeat")
    seen = serializers.CharField(
        required=False,
        max_length=100,
        help_text="`seen` of an earlier 409 response: store only if nothing has changed since",
    )

    scores: Any = serializers.DictField(
        required=False, help_text="1 to 5, or null, by the name of the criterion"
    )
    reasons: Any = serializers.ListField(
        child=serializers.CharField(max_length=100), required=False, help_text="codes of the rubric"
    )
    rubric: Any = serializers.IntegerField(
        required=False,
        min_value=1,
        help_text="the version that you follow: a newer one answers 409. Without it, the newest one",
    )

    class Meta:
        model = Review
        fields = ["sample", "verdict", "rubric", "scores", "reasons", "comment", "key", "seen", "active_s"]


class ConflictSerializer(ProblemSerializer):
    """Nothing was stored: the key was used for another review, the sample or its queue changed since it was `seen`, the
    rubric has a newer version, or the queue wants no such review; `detail` says which.
    """

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
        wanted = filter_of(request, ReviewFilterSerializer)
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
        """Submit a review. The policy of its queue, or the site's, decides its verdict from all reviews."""
        form = NewReviewSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return submit(request, dict(form.validated_data))


class ReasonSerializer(RequestSerializer):
    """The request of a withdrawal."""

    reason = serializers.CharField(max_length=LONGEST_REASON)


class ReviewWithdraw(GenericAPIView[Review]):
    serializer_class = ReviewSerializer
    queryset = Review.objects.none()
    write_scope = Scope.ANNOTATE

    @extend_schema(
        request=ReasonSerializer,
        responses={200: ReviewSerializer, 409: OpenApiResponse(ProblemSerializer, "it is withdrawn already")},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Withdraw a review with a reason: its reviewer and curators may. It stays readable and no longer counts."""
        form = ReasonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        review = get_object_or_404(reviews_for(actor_of(request)), pk=pk)
        try:
            stage.withdraw_review(review, actor_of(request), form.validated_data["reason"])
        except stage.ReviewWithdrawnError as error:
            raise Conflict(error) from error
        except stage.ReviewError as error:
            raise serializers.ValidationError(error.errors) from error
        return Response(ReviewSerializer(reviews_for(actor_of(request)).get(pk=pk)).data)


def reviews_for(actor: Actor) -> ReviewQuerySet:
    """Return the reviews that this account may see; in blind review, those of samples that it has reviewed itself."""
    return stage.readable_reviews(actor).with_reviewer()


def submit(request: Request, fields: dict[str, Any]) -> Response:
    sample = fields.pop("sample")
    seen = fields.pop("seen", None)
    existed = "key" in fields and Review.objects.filter(key=fields["key"]).exists()
    try:
        seen = stage.Seen.parse(seen) if seen else None
        review = stage.submit_review(sample, actor_of(request), seen=seen, **fields)
    except stage.ReviewError as error:
        raise serializers.ValidationError(by_field(error.errors)) from error
    except (
        stage.KeyReusedError,
        stage.ChangedSinceError,
        stage.RubricChangedError,
        stage.NoSlotError,
    ) as error:
        raise conflict(sample, actor_of(request), error) from error
    code = status.HTTP_200_OK if existed else status.HTTP_201_CREATED
    return Response(ReviewSerializer(review).data, status=code)


def by_field(errors: dict[str, str]) -> dict[str, Any]:
    """Return the errors by field of the request: those of criteria together, under `scores`."""
    names = set(NewReviewSerializer().fields)
    found: dict[str, Any] = {name: text for name, text in errors.items() if name in names}
    if scores := [text for name, text in errors.items() if name not in names]:
        found["scores"] = scores
    return found


def conflict(sample: Sample, actor: Actor, error: Exception) -> Conflict:
    sample.refresh_from_db()
    newer = ReviewSerializer(getattr(error, "reviews", []), many=True).data
    verified_again = getattr(error, "verified_again", False)
    seen = stage.look(sample, actor.user, stage.is_blind_to(actor, sample))
    return Conflict(error, newer=newer, verified_again=verified_again, seen=str(seen))
