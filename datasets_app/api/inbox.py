"""/api/v1/inbox/: mentions and answers that the reader has not seen."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.models import NoteEntry
from datasets_app.review import notes

MOST_MARKED = 200


class InboxSerializer(serializers.ModelSerializer[NoteEntry]):
    """An entry of a thread that is for the reader, with its note and sample."""

    sample = serializers.UUIDField(source="note.sample_id", read_only=True)
    author: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)
    reason = serializers.SerializerMethodField(help_text="mention or answer")

    class Meta:
        model = NoteEntry
        fields = ["id", "note", "sample", "number", "kind", "reason", "author", "text", "created_at"]
        read_only_fields = fields

    def get_reason(self, entry: Any) -> str:
        return "mention" if entry.names_me else "answer"


class InboxSeenSerializer(RequestSerializer):
    """The request: entries of the inbox. Those before them in their threads count as seen as well."""

    entries = serializers.ListField(child=serializers.UUIDField(), min_length=1, max_length=MOST_MARKED)


class SeenCountSerializer(serializers.Serializer[Any]):
    seen = serializers.IntegerField(help_text="of the named entries, how many were unseen")


class Inbox(GenericAPIView[NoteEntry]):
    serializer_class = InboxSerializer
    queryset = NoteEntry.objects.none()
    write_scope = Scope.READ

    @extend_schema(responses=InboxSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Mentions of you and answers in your threads that you have not seen, newest first."""
        page = self.paginate_queryset(notes.inbox_of(actor_of(request)))
        return self.get_paginated_response(InboxSerializer(page, many=True).data)

    @extend_schema(request=InboxSeenSerializer, responses={200: SeenCountSerializer})
    def post(self, request: Request) -> Response:
        """Mark entries as seen. The same again changes nothing."""
        form = InboxSeenSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response({"seen": notes.mark_seen(actor_of(request), form.validated_data["entries"])})
