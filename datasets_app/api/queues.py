"""/api/v1/queues/: read review queues with their progress; curators create, change, open, top up and close them."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.api.pagination import CursorPagination
from datasets_app.models import ReviewQueue
from datasets_app.models.queue import (
    LARGEST_OVERLAP,
    LARGEST_QUEUE,
    MOST_HONEYPOTS_PERCENT,
    QueueFacet,
    QueueOrder,
)
from datasets_app.models.verdict_policy import VerdictPolicy
from datasets_app.review import queues

COLUMNS = (
    "name",
    "words",
    "query",
    "order",
    "seed",
    "facet",
    "overlap",
    "target",
    "deadline",
    "blind",
    "policy",
    "honeypot_percent",
)


class QueueProgressSerializer(serializers.Serializer[Any]):
    """Reviews: `done`, `claimed`, `skipped` and `waiting` add up to `wanted`, which is samples times overlap."""

    samples = serializers.IntegerField()
    wanted = serializers.IntegerField()
    done = serializers.IntegerField()
    claimed = serializers.IntegerField(help_text="being written now")
    skipped = serializers.IntegerField(help_text="missing ones of samples that somebody skipped")
    waiting = serializers.IntegerField()
    mine = serializers.IntegerField(help_text="samples of the queue that you have reviewed")


class QueueSerializer(serializers.ModelSerializer[ReviewQueue]):
    """A review queue. `reviewers`: none named means everybody who annotates."""

    state = serializers.CharField(read_only=True)
    facet = serializers.CharField(read_only=True, help_text="empty: the order is not stratified")
    policy = serializers.CharField(read_only=True, help_text="empty: the site's own")
    reviewers: Any = serializers.SlugRelatedField(slug_field="username", many=True, read_only=True)
    created_by: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)
    progress = serializers.SerializerMethodField()

    class Meta:
        model = ReviewQueue
        fields = ["id", *COLUMNS, "reviewers", "state", "version", "progress", "created_by", "created_at"]
        fields += ["opened_at", "closed_at"]
        read_only_fields = fields

    @extend_schema_field(QueueProgressSerializer)
    def get_progress(self, queue: ReviewQueue) -> dict[str, Any]:
        return dict(QueueProgressSerializer(self.context["progress"][queue.pk]).data)


class NewQueueSerializer(RequestSerializer):
    """The request. Left-out fields keep their value, or get the default. `seen` is the `version` that you have read."""

    name = serializers.CharField(required=False)
    words = serializers.CharField(required=False, allow_blank=True, help_text="for its reviewers")
    query = serializers.CharField(required=False, allow_blank=True, help_text="a query line of browse")
    order = serializers.ChoiceField(QueueOrder.choices, required=False)
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    facet = serializers.ChoiceField(
        QueueFacet.choices, required=False, allow_blank=True, help_text="with the order stratified"
    )
    overlap = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST_OVERLAP)
    target = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=LARGEST_QUEUE)
    deadline = serializers.DateField(required=False, allow_null=True)
    blind = serializers.BooleanField(required=False)
    policy = serializers.ChoiceField(VerdictPolicy.choices, required=False, allow_blank=True)
    honeypot_percent = serializers.IntegerField(required=False, min_value=0, max_value=MOST_HONEYPOTS_PERCENT)
    reviewers = serializers.ListField(child=serializers.CharField(), required=False, max_length=200)
    seen = serializers.IntegerField(required=False)


class QueueAddedSerializer(serializers.Serializer[Any]):
    """Samples that were added, and those left out because another open queue has them."""

    added = serializers.IntegerField()
    elsewhere = serializers.IntegerField()


def readable(actor: Actor) -> Any:
    """Return the queues that the actor may read: those that are not opened yet are for curators."""
    rows = ReviewQueue.objects.select_related("created_by").prefetch_related("reviewers")
    return rows if actor.may(Scope.CURATE) else rows.filter(opened_at__isnull=False)


def found(request: Request, pk: int) -> ReviewQueue:
    queue: ReviewQueue = get_object_or_404(readable(actor_of(request)), pk=pk)
    return queue


def shown(request: Request, rows: list[ReviewQueue]) -> Any:
    context = {"progress": queues.progress_of(rows, request.user)}
    return QueueSerializer(rows, many=True, context=context).data


def given(request: Request) -> dict[str, Any]:
    form = NewQueueSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    return dict(form.validated_data)


def refused(error: queues.QueueError) -> serializers.ValidationError:
    return serializers.ValidationError({name: [sentence] for name, sentence in error.errors.items()})


class QueueList(GenericAPIView[ReviewQueue]):
    queryset = ReviewQueue.objects.none()
    serializer_class = QueueSerializer
    pagination_class = CursorPagination
    write_scope = Scope.CURATE

    @extend_schema(responses=QueueSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Queues, newest first."""
        actor_of(request).require(Scope.ANNOTATE)
        page = self.paginate_queryset(readable(actor_of(request)))
        return self.get_paginated_response(shown(request, list(page or [])))

    @extend_schema(request=NewQueueSerializer, responses={201: QueueSerializer})
    def post(self, request: Request) -> Response:
        """Create a queue. It is opened by a request of its own."""
        try:
            queue = queues.create_queue(actor_of(request), given(request))
        except queues.QueueError as error:
            raise refused(error) from error
        return Response(shown(request, [queue])[0], status=status.HTTP_201_CREATED)


class QueueDetail(GenericAPIView[ReviewQueue]):
    queryset = ReviewQueue.objects.none()
    serializer_class = QueueSerializer
    write_scope = Scope.CURATE

    def get(self, request: Request, pk: int) -> Response:
        """One queue with its progress."""
        actor_of(request).require(Scope.ANNOTATE)
        return Response(shown(request, [found(request, pk)])[0])

    @extend_schema(request=NewQueueSerializer, responses=QueueSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        """Change a queue. A new policy decides its reviewed samples again."""
        fields = given(request)
        seen = fields.pop("seen", None)
        try:
            queues.change_queue(found(request, pk), actor_of(request), fields, seen)
        except queues.QueueError as error:
            raise refused(error) from error
        return Response(shown(request, [found(request, pk)])[0])


CONFLICT = {409: OpenApiResponse(ProblemSerializer, "the queue's state or its samples forbid it")}


class QueueVerb(GenericAPIView[ReviewQueue]):
    """A verb without a body: what is stored alone can forbid it."""

    queryset = ReviewQueue.objects.none()
    serializer_class = QueueAddedSerializer
    write_scope = Scope.CURATE

    def act(self, queue: ReviewQueue, actor: Actor) -> Any:
        raise NotImplementedError

    def answer(self, request: Request, pk: int) -> Response:
        try:
            done = self.act(found(request, pk), actor_of(request))
        except queues.QueueError as error:
            raise Conflict(" ".join(error.errors.values())) from error
        return Response(QueueAddedSerializer(done).data if done else None, status=200 if done else 204)


class QueueOpen(QueueVerb):
    @extend_schema(request=None, responses={200: QueueAddedSerializer, **CONFLICT})
    def post(self, request: Request, pk: int) -> Response:
        """Open a queue: the samples that match now become its samples."""
        return self.answer(request, pk)

    def act(self, queue: ReviewQueue, actor: Actor) -> Any:
        return queues.open_queue(queue, actor)


class QueueTopUp(QueueVerb):
    @extend_schema(request=None, responses={200: QueueAddedSerializer, **CONFLICT})
    def post(self, request: Request, pk: int) -> Response:
        """Add the samples that match by now."""
        return self.answer(request, pk)

    def act(self, queue: ReviewQueue, actor: Actor) -> Any:
        return queues.top_up(queue, actor)


class QueueClose(QueueVerb):
    @extend_schema(
        request=None,
        responses={204: OpenApiResponse(description="closed; its reviews are kept"), **CONFLICT},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Close a queue."""
        return self.answer(request, pk)

    def act(self, queue: ReviewQueue, actor: Actor) -> Any:
        queues.close_queue(queue, actor)
        return None
