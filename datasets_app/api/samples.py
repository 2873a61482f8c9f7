"""/api/v1/samples/: rows by the browse page's filters; one sample with its texts."""

from datetime import UTC
from typing import Any, cast

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer

from datasets_app.accounts.actor import actor_of
from datasets_app.api.evidence import EvidenceSerializer, evidence_of
from datasets_app.api.keyset import SamplePagination
from datasets_app.api.sample_stream import (
    NAMES,
    NDJSON,
    PARQUET,
    WRITTEN,
    NdjsonRenderer,
    ParquetRenderer,
    stream,
)
from datasets_app.api.sparse import fields_of, fields_parameter, filters, only
from datasets_app.browse.list import tags
from datasets_app.browse.list.list_rows import ListRow
from datasets_app.browse.query import BrowseError, BrowseFilter
from datasets_app.browse.query.fields import ChoiceField, Field
from datasets_app.browse.query.sets import Sets
from datasets_app.browse.query.vocabulary import FIELDS
from datasets_app.db.facet_index import read
from datasets_app.models import Sample, SampleVerdict
from datasets_app.models.source_claim import Quantity
from datasets_app.review import hidden_verdicts

ROW_FIELDS = [
    *("id", "task", "task_name", "source", "generator", "language", "trace_tokens", "claimed_speedup"),
    *("outcome", "measured_speedup", "device", "verdict", "created_at"),
]
DETAIL_FIELDS = [
    *("pytorch_code", "reasoning", "kernel_code", "feedback", "parent", "turn", "sampling", "external_id"),
    *(
        "licence",
        "tokenizer",
        "claimed_correct",
        "claimed_device",
        "claim_ratio",
        "claims",
        "twin",
        "verified_at",
        "reviewed_at",
        "tags",
        "evidence",
        "verifications",
    ),
]
SUMMARY_FIELDS = [
    *("id", "state", "outcome", "detail", "speedup", "speedup_low", "speedup_high", "median_ms"),
    *("eager_median_ms", "device", "profile", "engine_version", "torch_version", "created_at", "finished_at"),
]


class VerificationSummarySerializer(serializers.Serializer):
    """A summary of one verification; verifications/{id}/ has all of it."""

    id = serializers.UUIDField()
    state = serializers.CharField()
    outcome = serializers.CharField(help_text="empty until it is finished")
    detail = serializers.CharField()
    speedup = serializers.FloatField(allow_null=True)
    speedup_low = serializers.FloatField(allow_null=True)
    speedup_high = serializers.FloatField(allow_null=True)
    median_ms = serializers.FloatField(allow_null=True)
    eager_median_ms = serializers.FloatField(allow_null=True)
    device = serializers.CharField()
    profile = serializers.CharField()
    engine_version = serializers.CharField()
    torch_version = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    deciding = serializers.BooleanField(help_text="whether it decides about the kernel")


class SourceClaimSerializer(serializers.Serializer):
    """One number that a source states, such as a speedup over one baseline."""

    quantity = serializers.ChoiceField(choices=Quantity.choices)
    value = serializers.FloatField()
    over = serializers.CharField(
        required=False, help_text="the baseline of a speedup or of a reference's time"
    )
    device = serializers.CharField(required=False)
    on = serializers.CharField(required=False, help_text="the workload or the kernel launch that it is about")


class SampleRowSerializer(serializers.ModelSerializer):
    task = serializers.UUIDField(source="task_id")
    task_name = serializers.CharField(source="task.name")
    verdict = serializers.ChoiceField(
        choices=SampleVerdict.choices,
        allow_blank=True,
        allow_null=True,
        help_text="empty: no review; null: hidden in blind review, until your own",
    )
    source = serializers.CharField(source="source.name")  # type: ignore[assignment]  # declared fields leave the class

    class Meta:
        model = Sample
        fields = ROW_FIELDS

    def to_representation(self, row: Any) -> dict[str, Any]:
        """Serialise a row of a list, which takes a tenth of the time of model instances."""
        return row_as_json(row) if isinstance(row, ListRow) else super().to_representation(row)


def row_as_json(row: ListRow) -> dict[str, Any]:
    """Return the row as the serializer writes a sample; a test compares the two."""
    values = {name: getattr(row, name) for name in ROW_FIELDS if name in ListRow._fields}
    task, created = str(row.task_id), row.created_at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    named = {"id": str(row.pk), "task": task, "source": row.source_name, "created_at": created, **values}
    return {name: named[name] for name in ROW_FIELDS}


class SampleSerializer(SampleRowSerializer):
    pytorch_code = serializers.CharField(source="task.body.pytorch_code")
    reasoning = serializers.CharField(source="body.reasoning")
    kernel_code = serializers.CharField(source="body.kernel_code")
    feedback = serializers.CharField(source="body.feedback", help_text="feedback to the parent turn")
    parent = serializers.UUIDField(source="parent_id", allow_null=True)  # type: ignore[assignment]
    claims = SourceClaimSerializer(
        source="body.all_claims",
        many=True,
        help_text="everything that its source claims, on every device that it names",
    )
    claim_ratio = serializers.FloatField(
        read_only=True, allow_null=True, help_text="measured over claimed speedup, of the headline evidence"
    )
    twin = serializers.UUIDField(
        source="twin_id",
        allow_null=True,
        help_text="the kernel that this one translates into another language",
    )  # type: ignore[assignment]
    licence = serializers.CharField(help_text="of the source, and of the program if it has its own")
    tags = serializers.SerializerMethodField(help_text="names, in alphabetical order")
    evidence = serializers.SerializerMethodField(help_text="one record per device, the headline first")
    verifications = serializers.SerializerMethodField(help_text="newest first")

    class Meta(SampleRowSerializer.Meta):
        fields = [*ROW_FIELDS, *DETAIL_FIELDS]

    def get_tags(self, sample: Sample) -> list[str]:
        return [tag.name for tag in tags.of_samples([sample.pk]).get(sample.pk, [])]

    @extend_schema_field(EvidenceSerializer(many=True))
    def get_evidence(self, sample: Sample) -> list[dict[str, Any]]:
        return evidence_of(sample)

    @extend_schema_field(VerificationSummarySerializer(many=True))
    def get_verifications(self, sample: Sample) -> list[dict[str, Any]]:
        rows = sample.verifications.order_by("-created_at", "-id").only("sample", *SUMMARY_FIELDS)
        summaries = VerificationSummarySerializer(rows, many=True)
        return cast(list[dict[str, Any]], summaries.data)  # the stubs overlook many=True


def filter_parameter(field: Field) -> OpenApiParameter:
    enum = field.allowed() if isinstance(field, ChoiceField) else None
    several = "all" if field.together else "any"
    sentence = f"{field.label}; given several times, {several} of them" if field.many else field.label
    return OpenApiParameter(field.name, OpenApiTypes.STR, description=sentence, enum=enum, many=field.many)


class SampleList(generics.ListAPIView):
    """Samples in any order, one page at a time, without texts: the single sample has them.

    A filter is negated by a minus before its name: `-outcome=passed`, `-speedup=1..2`, `-q=relu`. A sample without
    a value matches the negation. In blind review, samples whose reviews are hidden from you count as unreviewed.

    With `Accept: application/x-ndjson` or `application/vnd.apache.parquet` (or `?format=ndjson`, `?format=parquet`) all
    matching samples come as one stream, with texts and the columns of exported files; `X-Total-Count` says how many.
    """

    serializer_class = SampleRowSerializer
    pagination_class = SamplePagination
    renderer_classes = [JSONRenderer, NdjsonRenderer, ParquetRenderer]

    def get_queryset(self) -> Any:
        if getattr(self, "swagger_fake_view", False):
            return Sample.objects.none()
        return Sets(self.chosen(), read())

    def chosen(self) -> BrowseFilter:
        try:
            return BrowseFilter.from_params(filters(self.request)).read_by(actor_of(self.request))
        except BrowseError as error:
            raise ValidationError(error.errors) from error

    def paginate_queryset(self, queryset: Any) -> Any:
        rows: Any = super().paginate_queryset(queryset)
        hidden = hidden_verdicts(actor_of(self.request), (row.pk for row in rows))
        return [row._replace(verdict=None) if row.pk in hidden else row for row in rows]

    @extend_schema(
        parameters=[
            fields_parameter(dict.fromkeys([*ROW_FIELDS, *NAMES])),
            *(filter_parameter(field) for field in FIELDS.values()),
        ],
        responses={
            (200, "application/json"): SampleRowSerializer(many=True),
            (200, NDJSON): OpenApiTypes.BINARY,
            (200, PARQUET): OpenApiTypes.BINARY,
        },
    )
    def get(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        if (media_type := request.accepted_renderer.media_type) in WRITTEN:
            return stream(actor_of(request), self.chosen(), fields_of(request, NAMES), media_type)
        names = fields_of(request, ROW_FIELDS)
        response = super().get(request, *args, **kwargs)
        response.data["results"] = only(response.data["results"], names)
        return response


class SampleDetail(generics.RetrieveAPIView):
    """One sample with its three texts and summaries of its verifications."""

    serializer_class = SampleSerializer
    queryset = Sample.objects.with_body()

    def get_object(self) -> Sample:
        sample: Sample = super().get_object()
        if hidden_verdicts(actor_of(self.request), [sample.pk]):
            hide_verdict(sample)
        return sample


def hide_verdict(sample: Sample) -> None:
    """Leave out what others decided, in an instance that is shown and never saved."""
    sample.verdict, sample.reviewed_at = None, None  # type: ignore[assignment]
