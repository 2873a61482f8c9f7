"""The head of a comparison: outcome and timing of both sides, and the links that change what is compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from datasets_app.browse.sample.comparison import PARENT, REFERENCE, Comparison
from datasets_app.browse.sample.evidence import SampleEvidence
from datasets_app.models import Evidence, Sample


@dataclass(frozen=True)
class Side:
    """One side: its evidence on a device, or without any the outcome of its sample; the reference has eager's time."""

    title: str
    url: str = ""
    row: Evidence | None = None
    outcome: str = ""
    is_sample: bool = True
    eager_ms: float | None = None
    device: str = ""  # of eager's time


@dataclass(frozen=True)
class Option:
    """A choice: a link with these parameters, or, where a pasted text is compared, a button of the form."""

    name: str
    value: str
    label: str
    is_chosen: bool
    query: str = ""


@dataclass(frozen=True)
class Head:
    left: Side
    right: Side
    groups: list[tuple[str, list[Option]]]  # the label of a group, its options
    others: list[tuple[Option, Sample | None]]  # what it can be compared with

    @property
    def other_devices(self) -> bool:
        """True if both sides were measured, each on another device."""
        return bool(self.left.row and self.right.row and self.left.row.device != self.right.row.device)


def head_of(
    comparison: Comparison,
    sample: Sample,
    evidence: SampleEvidence,
    siblings: Iterable[Sample],
    from_list: str | None,
) -> Head:
    """Return the head; one query for the other sample's evidence."""
    ours = evidence.headline
    right = Side(f"this sample's {comparison.of}", row=ours, outcome=sample.outcome)
    return Head(
        other_side(comparison, ours),
        right,
        groups(comparison, from_list),
        others(comparison, sample, siblings),
    )


def other_side(comparison: Comparison, ours: Evidence | None) -> Side:
    """Return the other side, by preference with its evidence on the device of ours."""
    other = comparison.other
    if other is not None:
        rows = list(Evidence.objects.filter(sample=other).reference_first().select_related("verification"))
        same = (row for row in rows if ours is not None and row.device == ours.device)
        row = next(same, None) or next(iter(rows), None)
        return Side(comparison.title, other.get_absolute_url(), row, other.outcome)
    if comparison.against != REFERENCE:
        return Side(comparison.title, is_sample=False)
    eager_ms = ours.verification.eager_median_ms if ours else None
    return Side(comparison.title, is_sample=False, eager_ms=eager_ms, device=ours.device if ours else "")


def groups(comparison: Comparison, from_list: str | None) -> list[tuple[str, list[Option]]]:
    now = {
        "against": comparison.against,
        "of": comparison.of,
        "view": "unified" if comparison.unified else "split",
        "space": "ignore" if comparison.ignore_space else "keep",
        **({"in": from_list} if from_list is not None else {}),
    }

    def options(name: str, labels: dict[str, str]) -> list[Option]:
        return [
            Option(name, value, label, now[name] == value, urlencode({**now, name: value}))
            for value, label in labels.items()
        ]

    texts = {"kernel": "kernel", "trace": "trace", "program": "program"}
    shown = [("Text", options("of", texts))] if comparison.against != REFERENCE else []
    return [
        *shown,
        ("View", options("view", {"split": "side by side", "unified": "unified"})),
        ("White space", options("space", {"keep": "compared", "ignore": "ignored"})),
    ]


def others(
    comparison: Comparison, sample: Sample, siblings: Iterable[Sample]
) -> list[tuple[Option, Sample | None]]:
    """Return what the sample can be compared with: the reference, the previous turn, other samples of the task."""
    view = {"of": comparison.of, "view": "unified" if comparison.unified else "split"}

    def option(against: str, label: str) -> Option:
        query = urlencode({**view, "against": against})
        return Option("against", against, label, comparison.against == against, query)

    fixed = [option(REFERENCE, "the reference program")]
    if sample.parent_id:
        fixed.append(option(PARENT, "the previous turn"))
    rows = [(option(str(other.pk), str(other.generator or "unknown")), other) for other in siblings]
    return [*((one, None) for one in fixed), *rows]
