"""REST under /api/v1/verifications/: request one, follow it, read its report."""

from functools import cached_property
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.models import Finding, Sample, Verification
from datasets_app.models.verification import VerificationQuerySet
from eval_app.pages.listing import OUTCOMES, STATES, FilterError, VerificationFilter
from eval_app.request import verify
from eval_app.workers.fleet import Fleet
from eval_app.workers.requirement import FORM, LONGEST

STATE_WORDS = {state: word for word, state in STATES.items()}


class FindingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Finding
        fields = ["code", "severity", "detail"]


class VerificationSerializer(serializers.ModelSerializer):
    """One verification as lists show it."""

    task = serializers.UUIDField(source="sample.task_id", read_only=True)
    task_name = serializers.CharField(source="sample.task.name", read_only=True)
    state = serializers.SerializerMethodField()
    waits_for = serializers.SerializerMethodField()
    stale_since = serializers.SerializerMethodField()
    deciding = serializers.BooleanField(
        read_only=True, help_text="whether its outcome is a verdict on the kernel"
    )
    headline = serializers.SerializerMethodField()

    class Meta:
        model = Verification
        fields = [
            *(
                "id",
                "sample",
                "task",
                "task_name",
                "profile",
                "inspect",
                "wanted_device",
                "requirement",
                "batch",
            ),
            *("state", "waits_for", "stage", "stage_detail", "worker", "attempt"),
            *("outcome", "detail", "speedup", "speedup_low", "speedup_high", "median_ms", "eager_median_ms"),
            *("device", "engine_version", "torch_version", "stale_since", "deciding", "headline"),
            *("created_at", "started_at", "finished_at"),
        ]
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=list(STATES)))
    def get_state(self, row: Verification) -> str:
        return STATE_WORDS[row.state]

    @extend_schema_field(serializers.CharField())
    def get_waits_for(self, row: Verification) -> str:
        """Return why no worker takes it, such as "waits for a CUDA worker; none has been seen"; else an empty text."""
        return self.fleet.waits_for(row.wanted_device, row.requirement) if row.state == "queued" else ""

    @extend_schema_field(serializers.CharField())
    def get_stale_since(self, row: Verification) -> str:
        """Return what has changed since, such as "engine 0.3 → 0.4"; empty while the evidence is up to date."""
        return row.environment.changed if row.environment else ""

    @extend_schema_field(serializers.BooleanField())
    def get_headline(self, row: Verification) -> bool:
        """Return whether the sample's own outcome and speedup repeat this verification's."""
        evidence = getattr(row, "evidence", None)
        return evidence is not None and evidence.is_headline

    @cached_property
    def fleet(self) -> Fleet:
        """Read the workers once for all rows: the serializer of a list is one object."""
        return Fleet.read()


REPORT = (
    "what the engine wrote, unchanged; null before the end. In `timing.roofline`, `flops` are the operations of matrix "
    "products, convolutions and attention alone, `other_flops` all others that are counted, and the program's are "
    "their sum; null: not counted"
)


class VerificationReportSerializer(VerificationSerializer):
    """One verification with its findings and the engine's whole report."""

    findings = FindingSerializer(many=True, read_only=True)
    report = serializers.SerializerMethodField()

    class Meta(VerificationSerializer.Meta):
        fields = [*VerificationSerializer.Meta.fields, "findings", "report"]
        read_only_fields = fields

    @extend_schema_field(serializers.DictField(allow_null=True, help_text=REPORT))
    def get_report(self, row: Verification) -> dict[str, Any] | None:
        stored = getattr(row, "report", None)
        return stored.whole() if stored else None


def shown(rows: VerificationQuerySet) -> VerificationQuerySet:
    """Return the rows with everything that the serializer reads, in one query."""
    return rows.for_list().select_related("evidence")


class AskSerializer(RequestSerializer):
    """A request: the sample, the profile and the device."""

    sample = serializers.PrimaryKeyRelatedField(queryset=Sample.objects.all())
    profile = serializers.ChoiceField(choices=verify.PROFILE_NAMES, default=verify.DEFAULT_PROFILE)
    device = serializers.ChoiceField(
        choices=verify.DEVICE_CHOICES, default=verify.AUTO, help_text="auto: the kind that the language needs"
    )
    requires = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=LONGEST,
        help_text=f"what a host must have besides, such as `memory:80`; any of: {FORM}",
    )
    inspect = serializers.BooleanField(default=False, help_text="also inspect: machine code, counters")


def parameter(name: str, description: str, **options: Any) -> OpenApiParameter:
    return OpenApiParameter(name, description=description, **options)


FILTERS = [
    parameter(
        "outcome", "one outcome, or `failed` for every fault of the kernel", enum=[*OUTCOMES, "failed"]
    ),
    parameter("state", "state of the row", enum=list(STATES)),
    parameter("device", "`cpu` or `cuda`, or the device's own name"),
    parameter("profile", "profile of the run", enum=verify.PROFILE_NAMES),
    parameter("sample", "a sample's id", type=OpenApiTypes.UUID),
    parameter("task", "a task's id", type=OpenApiTypes.UUID),
    parameter("batch", "requested together", type=OpenApiTypes.UUID),
    parameter("finding", "a finding's code"),
    parameter("stale", "whether its versions have changed since", enum=["yes", "no"]),
]


IDS = ("sample", "task", "batch")


class VerificationList(generics.ListAPIView):
    """Verifications, newest first; POST requests one."""

    serializer_class = VerificationSerializer
    write_scope = Scope.ANNOTATE
    queryset = Verification.objects.none()

    def get_queryset(self) -> VerificationQuerySet:
        if empty := [name for name in IDS if self.request.query_params.get(name) == ""]:
            raise ValidationError({name: ["Give an id, or leave the filter out."] for name in empty})
        try:
            return shown(VerificationFilter.from_params(self.request.query_params).queryset())
        except FilterError as error:
            raise ValidationError(error.errors) from error

    @extend_schema(parameters=FILTERS)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(request=AskSerializer, responses={202: VerificationSerializer})
    def post(self, request: Request) -> Response:
        """Request a verification. A repeated request returns the one that is queued or running."""
        form = AskSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        values = form.validated_data
        how: dict[str, Any] = {
            "inspect": values["inspect"],
            "requires": values["requires"],
            "actor": actor_of(request),
        }
        try:
            (row,) = verify.request_verification(
                [values["sample"]], values["profile"], values["device"], **how
            )
        except verify.VerifyError as error:
            raise ValidationError({"requires": [str(error)]}) from error
        row = shown(Verification.objects.all()).get(pk=row.pk)
        return Response(VerificationSerializer(row).data, status=status.HTTP_202_ACCEPTED)


class VerificationDetail(generics.RetrieveAPIView):
    """One verification with its report."""

    serializer_class = VerificationReportSerializer
    queryset = shown(Verification.objects.all()).select_related("report").prefetch_related("findings")
