"""/api/v1/notes/: notes on spans of a sample's texts, and what follows in their threads."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.filters import filter_of
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.models import Note, NoteAnchor, NotedText, NoteEntry, NoteEntryKind, NoteLabel, Sample
from datasets_app.models.note import NoteQuerySet
from datasets_app.review import KeyReusedError, notes

STATES = {
    "open": Q(last_state__isnull=True) | Q(last_state=NoteEntryKind.REOPEN),
    "resolved": Q(last_state=NoteEntryKind.RESOLVE),
    "withdrawn": Q(last_state=NoteEntryKind.WITHDRAW),
}
CHANGES = [choice for choice in NoteEntryKind.choices if choice[0] != NoteEntryKind.COMMENT]
CONFLICT = OpenApiResponse(
    ProblemSerializer,
    "nothing was stored: a text was replaced or edited, the note withdrawn, or the key used for something else",
)
CONFLICTS = (notes.TextReplacedError, notes.NoteClosedError, notes.NoteEditedError)


class AnchorSerializer(serializers.ModelSerializer[NoteAnchor]):
    """A span in Unicode code points, from `start` up to, not including, `end`, of the text with this SHA-256."""

    class Meta:
        model = NoteAnchor
        fields = ["text", "start", "end", "digest", "quote"]
        read_only_fields = fields


class EntrySerializer(serializers.ModelSerializer[NoteEntry]):
    """An event of a thread. An edit, or a withdrawal of an answer, names the entry that it changes as `target`."""

    author: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)
    mentions: Any = serializers.SlugRelatedField(slug_field="username", read_only=True, many=True)

    class Meta:
        model = NoteEntry
        fields = ["id", "number", "kind", "author", "target", "text", "mentions", "created_at"]
        read_only_fields = fields


class NoteSerializer(serializers.ModelSerializer[Note]):
    """A note with its whole thread. A second anchor is tied to the first."""

    author: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)
    state = serializers.SerializerMethodField(help_text="open, resolved or withdrawn")
    anchors = AnchorSerializer(many=True, read_only=True)
    entries = EntrySerializer(many=True, read_only=True)

    class Meta:
        model = Note
        fields = ["id", "sample", "author", "label", "state", "created_at", "anchors", "entries"]
        read_only_fields = fields

    def get_state(self, note: Note) -> str:
        return notes.thread_of(note).state


class NewAnchorSerializer(RequestSerializer):
    """A place: by `start` and `end` in code points, or by lines and columns, counted from 1, both ends included."""

    text = serializers.ChoiceField(choices=NotedText.choices)
    start = serializers.IntegerField(required=False)
    end = serializers.IntegerField(required=False)
    first = serializers.IntegerField(required=False, help_text="line")
    last = serializers.IntegerField(required=False, help_text="line; missing: the line `first`")
    first_column = serializers.IntegerField(required=False, min_value=1)
    last_column = serializers.IntegerField(required=False, min_value=1)
    digest = serializers.CharField(
        required=False,
        max_length=64,
        help_text="SHA-256 of the text that you saw: refused if it was replaced",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("first" in attrs) == ("start" in attrs and "end" in attrs):
            raise serializers.ValidationError("Give `start` and `end`, or `first` for lines; not both.")
        return attrs


class NewNoteSerializer(RequestSerializer):
    """The request. With `key` (a UUID of the client) a repeated request stores nothing new."""

    sample: Any = serializers.PrimaryKeyRelatedField(queryset=Sample.objects.with_body())
    label: Any = serializers.ChoiceField(
        choices=NoteLabel.choices, required=False, allow_blank=True, default=""
    )
    comment = serializers.CharField(required=False, allow_blank=True, default="", trim_whitespace=False)
    anchors = serializers.ListField(child=NewAnchorSerializer(), min_length=1, max_length=2)
    key = serializers.UUIDField(required=False, help_text="makes the request safe to repeat")


class NewEntrySerializer(RequestSerializer):
    """The request. `text` is the answer, the new text of an edit, or the reason of a withdrawal."""

    kind = serializers.ChoiceField(choices=CHANGES)
    text = serializers.CharField(required=False, allow_blank=True, default="", trim_whitespace=False)
    target = serializers.UUIDField(
        required=False, help_text="an answer to edit or withdraw; missing: the note"
    )
    seen = serializers.IntegerField(
        required=False,
        min_value=0,
        help_text="edits of the text that you have read: refused if there are more",
    )
    key = serializers.UUIDField(required=False, help_text="makes the request safe to repeat")


class NoteFilterSerializer(serializers.Serializer[Any]):
    """The list's filters."""

    sample = serializers.UUIDField(required=False)
    author = serializers.CharField(required=False, max_length=150, help_text="an account's name")
    label: Any = serializers.ChoiceField(choices=NoteLabel.choices, required=False)
    state = serializers.ChoiceField(choices=list(STATES), required=False)
    mentions = serializers.CharField(required=False, max_length=150, help_text="an account's name")

    def chosen(self, found: NoteQuerySet) -> NoteQuerySet:
        wanted = dict(self.validated_data)
        if state := wanted.pop("state", None):
            found = found.with_state().filter(STATES[state])
        if name := wanted.pop("mentions", None):
            naming = NoteEntry.objects.filter(note=OuterRef("pk"), mentions__username=name)
            found = found.filter(Exists(naming))
        names = {"sample": "sample_id", "author": "author__username", "label": "label"}
        return found.filter(**{names[field]: value for field, value in wanted.items()})


class NoteList(GenericAPIView[Note]):
    serializer_class = NoteSerializer
    queryset = Note.objects.none()
    write_scope = Scope.ANNOTATE

    @extend_schema(parameters=[NoteFilterSerializer], responses=NoteSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Notes with their threads, newest first; in blind review own ones, and those of samples that you reviewed."""
        wanted = filter_of(request, NoteFilterSerializer)
        page = self.paginate_queryset(wanted.chosen(notes.readable_notes(actor_of(request)).with_thread()))
        return self.get_paginated_response(NoteSerializer(page, many=True).data)

    @extend_schema(
        request=NewNoteSerializer,
        responses={
            201: NoteSerializer,
            200: OpenApiResponse(NoteSerializer, "the same key and content were already stored"),
            409: CONFLICT,
        },
    )
    def post(self, request: Request) -> Response:
        """Write a note on one place, or on two that are tied."""
        form = NewNoteSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given, sample = form.validated_data, form.validated_data["sample"]
        existed = "key" in given and Note.objects.filter(pk=given["key"]).exists()

        def create() -> Note:
            places = [place_of(sample, anchor) for anchor in given["anchors"]]
            return notes.create_note(
                sample, actor_of(request), places, given["label"], given["comment"], given.get("key")
            )

        return stored(create, status.HTTP_200_OK if existed else status.HTTP_201_CREATED)


class NoteDetail(GenericAPIView[Note]):
    serializer_class = NoteSerializer
    queryset = Note.objects.none()

    def get(self, request: Request, pk: UUID) -> Response:
        """One note with its thread."""
        return Response(NoteSerializer(find(request, pk)).data)


class NoteEntries(GenericAPIView[Note]):
    serializer_class = NoteSerializer
    queryset = Note.objects.none()
    write_scope = Scope.ANNOTATE

    @extend_schema(request=NewEntrySerializer, responses={201: NoteSerializer, 409: CONFLICT})
    def post(self, request: Request, pk: UUID) -> Response:
        """Answer, edit, resolve, reopen or withdraw. The answer is the whole note."""
        form = NewEntrySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        note = find(request, pk)
        return stored(lambda: act(request, note, form.validated_data), status.HTTP_201_CREATED)


def act(request: Request, note: Note, given: dict[str, Any]) -> Note:
    """Add the entry that a request describes, and return its note."""
    actor, text, target, key = actor_of(request), given["text"], given.get("target"), given.get("key")
    verbs: dict[str, Callable[[], Any]] = {
        NoteEntryKind.ANSWER: lambda: notes.answer_note(note, actor, text, key),
        NoteEntryKind.EDIT: lambda: notes.edit_note(note, actor, text, target, given.get("seen"), key),
        NoteEntryKind.RESOLVE: lambda: notes.resolve_note(note, actor),
        NoteEntryKind.REOPEN: lambda: notes.reopen_note(note, actor),
        NoteEntryKind.WITHDRAW: lambda: notes.withdraw_note(note, actor, text, target, key),
    }
    verbs[given["kind"]]()
    return note


def stored(act: Callable[[], Note], code: int) -> Response:
    """Return the note as it is now, or why nothing was stored."""
    try:
        note = act()
    except (*CONFLICTS, KeyReusedError) as error:
        raise Conflict(error) from error
    except notes.NoteError as error:
        raise serializers.ValidationError(error.errors) from error
    return Response(NoteSerializer(Note.objects.with_thread().get(pk=note.pk)).data, status=code)


def place_of(sample: Sample, anchor: dict[str, Any]) -> notes.Place:
    digest = anchor.get("digest", "")
    if "first" not in anchor:
        return notes.Place(anchor["text"], anchor["start"], anchor["end"], digest)
    return notes.lines_place(
        sample,
        anchor["text"],
        anchor["first"],
        anchor.get("last"),
        anchor.get("first_column"),
        anchor.get("last_column"),
        digest,
    )


def find(request: Request, pk: UUID) -> Note:
    return get_object_or_404(notes.readable_notes(actor_of(request)).with_thread(), pk=pk)
