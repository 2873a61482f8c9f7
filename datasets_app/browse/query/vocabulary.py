"""All filters of the browse page, of the API's lists and of `--query`, in the order in which they are described in
words.
"""

from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now

from datasets_app.browse.query.code_field import CodeField
from datasets_app.browse.query.device_field import DeviceField
from datasets_app.browse.query.fields import (
    NONE,
    ChoiceField,
    ConditionField,
    Field,
    FlagField,
    IdField,
    NameField,
    StalenessField,
    StateField,
    SupersededField,
    WholeField,
)
from datasets_app.browse.query.link_fields import LinkField
from datasets_app.browse.query.open_fields import BoundField, TextField
from datasets_app.db.facet_index.facets import GAINS, INFINITE, LENGTHS
from datasets_app.models import (
    FAULTS,
    Assignment,
    Evidence,
    Language,
    Outcome,
    ReviewClaim,
    SampleTag,
    Task,
    TaskFinding,
    TaskKind,
    TaskSetMember,
)

OUTCOMES = {str(value): str(label) for value, label in Outcome.choices}
FAILURES = [outcome.value for outcome in FAULTS]
VERDICTS = {
    "accept": "accepted",
    "fix": "in need of a fix",
    "reject": "rejected",
    "contested": "contested",
}


def of_task(text: str) -> Q:
    try:
        return Q(task=UUID(text))
    except ValueError:
        return Q(task__in=Task.objects.filter(name__icontains=text))


def is_same(text: str, stored: str) -> bool:
    return text == stored


def in_bins(bins: dict[str, tuple[float, float]], lookup: str) -> dict[str, Q]:
    """Return the condition of each range, and of `none`; counts use the same ranges."""
    conditions = {
        name: Q(**{f"{lookup}__gte": low, f"{lookup}__lt": high}) for name, (low, high) in bins.items()
    }
    conditions |= {
        name: Q(**{f"{lookup}__gte": low}) for name, (low, high) in bins.items() if high == INFINITE
    }
    return {**conditions, NONE: Q(**{f"{lookup}__isnull": True})}


def bin_words(bins: dict[str, tuple[float, float]], unit: str) -> dict[str, str]:
    def words(low: float, high: float) -> str:
        if not low:
            return f"under {high:,g}{unit}"
        return f"{low:,g}{unit} or more" if high == INFINITE else f"{low:,g} to {high:,g}{unit}"

    return {name: words(*ends) for name, ends in bins.items()}


def with_operator(name: str) -> Q:
    return Q(task__in=Task.objects.filter(operators__name=name))


def with_task_finding(code: str) -> Q:
    return Q(task__in=TaskFinding.objects.filter(code=code).order_by().values("task"))


def of_task_set(sha256: str) -> Q:
    """Return the samples of a run's frozen tasks, whose set's SHA-256 begins with the text."""
    return Q(task__in=TaskSetMember.objects.of_set(sha256))


def with_finding(code: str) -> Q:
    """Return samples whose headline evidence has this finding; findings that a later run no longer makes do not
    count.
    """
    return Q(pk__in=Evidence.objects.headline().filter(having_finding(code)).values("sample"))


def having_finding(code: str) -> Q:
    """Return evidence with this finding; `runs_disagree` is a property of several runs, not of one verification."""
    return Q(runs_disagree=True) if code == "runs_disagree" else Q(verification__findings__code=code)


def bounds(name: str, lookup: str, phrase: str, *, whole: bool = False, unit: str = "") -> list[Field]:
    return [
        BoundField(
            name=f"{name}_{end}",
            group=name,
            label=name,
            lookup=lookup,
            is_min=end == "min",
            phrase=phrase,
            whole=whole,
            unit=unit,
        )
        for end in ("min", "max")
    ]


def gain(lookup: str) -> StateField:
    return StateField(
        name="gain",
        label="speedup",
        lookup=lookup,
        choices=bin_words(GAINS, "×"),
        none="none",
        conditions=in_bins(GAINS, lookup),
        phrase="of measured speedup {}",
    )


FIELDS: dict[str, Field] = {
    field.name: field
    for field in [
        ChoiceField(
            name="outcome",
            label="outcome",
            lookup="outcome",
            choices=OUTCOMES,
            none="not verified",
            groups={"failed": FAILURES},
            before=True,
            adjectives=frozenset({"passed", "cheated", "failed", "nondeterministic", "unsupported", NONE}),
        ),
        ChoiceField(
            name="verdict", label="verdict", lookup="verdict", choices=VERDICTS, none="unreviewed", before=True
        ),
        StateField(
            name="review",
            label="review",
            lookup="verdict",
            choices={"reviewed": "reviewed", "unreviewed": "unreviewed", "open": "under review now"},
            conditions={
                "reviewed": ~Q(verdict=""),
                "unreviewed": Q(verdict=""),
                "open": Q(pk__in=ReviewClaim.objects.filter(expires_at__gt=Now()).values("sample")),
            },
            beside=("open",),
            before=True,
        ),
        ChoiceField(
            name="language", label="language", lookup="language", choices=dict(Language.choices), before=True
        ),
        ChoiceField(
            name="kind",
            label="task kind",
            lookup="task__kind",
            choices={value: label.lower() for value, label in TaskKind.choices},
            phrase="of {} tasks",
        ),
        ConditionField(name="task", label="task", when=of_task, phrase="of task {}"),
        NameField(name="suite", label="suite", lookup="task__suite", none="of no suite", phrase="of {}"),
        WholeField(
            name="level", label="level", lookup="task__level", most=32_767, none="of no level", phrase="of level {}"
        ),
        ConditionField(name="task_set", label="task set", when=of_task_set, phrase="of the task set {}"),
        ConditionField(name="operator", label="operator", when=with_operator, fits=is_same, phrase="that replace {}"),
        NameField(
            name="generator",
            label="generator",
            lookup="generator",
            none="of unknown origin",
            phrase="written by {}",
        ),
        NameField(name="source", label="source", lookup="source__name", phrase="from {}"),
        IdField(name="ingest", label="ingest", lookup="ingest", phrase="from ingest {}"),
        IdField(name="parent", label="parent", lookup="parent", phrase="that follow {}", none="without a parent"),
        DeviceField(name="device", label="device", phrase="with evidence on {}"),
        ConditionField(name="finding", label="finding", when=with_finding, fits=is_same, phrase="with the finding {}"),
        ConditionField(
            name="task_finding",
            label="admission finding",
            when=with_task_finding,
            fits=is_same,
            phrase="of tasks with the finding {}",
        ),
        StalenessField(
            name="stale",
            label="evidence",
            lookup="environment",
            yes="with stale evidence",
            no="with evidence that is up to date",
        ),
        LinkField(
            name="tag",
            label="tag",
            links=SampleTag,
            path="tag__name",
            phrase="tagged {}",
            none="without a tag",
        ),
        LinkField(
            name="assigned",
            label="assigned to",
            links=Assignment,
            path="reviewer__username",
            phrase="assigned to {}",
            none="assigned to nobody",
        ),
        NameField(
            name="cluster",
            label="cluster",
            lookup="fingerprint__cluster",
            phrase="of the cluster {}",
        ),
        FlagField(name="has_trace", label="trace", lookup="has_trace", yes="with a trace", no="without a trace"),
        SupersededField(
            name="superseded",
            label="superseded",
            lookup="",
            yes="superseded by a revision",
            no="not superseded by a revision",
        ),
        FlagField(name="withdrawn", label="withdrawn", lookup="withdrawn", yes="withdrawn", no="not withdrawn"),
        StateField(
            name="length",
            label="trace length",
            lookup="trace_tokens",
            choices=bin_words(LENGTHS, " tokens"),
            none="none",
            conditions=in_bins(LENGTHS, "trace_tokens"),
            phrase="of trace length {}",
        ),
        gain("measured_speedup"),
        *bounds("tokens", "trace_tokens", "with a trace of {}", whole=True, unit=" tokens"),
        *bounds("speedup", "measured_speedup", "measured at {}", unit="×"),
        *bounds("claimed", "claimed_speedup", "claimed at {}", unit="×"),
        *bounds("ratio", "claim_ratio", "measured at {} the claimed speedup", unit="×"),
        *bounds("votes", "votes", "with {}", whole=True, unit=" reviewers"),
        *bounds("agreement", "agreement", "whose votes agree with the verdict by {}"),
        CodeField(name="code", label="code", phrase="whose code contains {}"),
        CodeField(name="icode", label="code, any case", phrase="whose code contains {} in any case", any_case=True),
        TextField(name="q", label="text", phrase="that mention {}"),
    ]
}  # fmt: skip

# The fields on evidence, applied to Evidence rows of one device.
ON_DEVICE: dict[str, Field] = {
    "outcome": FIELDS["outcome"],
    "stale": FIELDS["stale"],
    "finding": ConditionField(name="finding", label="finding", when=having_finding, fits=is_same),
    "gain": gain("speedup"),
    **{field.name: field for field in bounds("speedup", "speedup", "measured at {}", unit="×")},
    **{name: FIELDS[name] for name in ("ratio_min", "ratio_max")},
}

RANGES = {
    "speedup": "speedup",
    "claimed": "claimed",
    "ratio": "ratio",
    "tokens": "tokens",
    "trace": "tokens",
    "votes": "votes",
    "agreement": "agreement",
}  # typed name to group
