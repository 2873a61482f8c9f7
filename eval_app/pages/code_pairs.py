"""The machine code of two samples side by side: each one's newest listing of a kind, or why it is missing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from datasets_app.browse.panes.compared import Compared
from datasets_app.models import MachineCode, Sample, Verification
from eval_app.pages.machine_code import NO_DIFFERENCE, compared_code


@dataclass(frozen=True)
class Side:
    """A sample with its newest listing of the wanted kind; `kinds` are those of which it has a listing."""

    sample: Sample
    code: MachineCode | None
    kinds: frozenset[str]
    runs: int  # finished verifications

    @property
    def why_missing(self) -> str:
        """Return why there is no listing; empty if there is one."""
        if self.code is not None:
            return ""
        if not self.runs:
            return "it was never verified"
        if self.kinds:
            return f"its newest verification that collected code has {', '.join(sorted(map(label, self.kinds)))} alone"
        return "no verification has collected it"


@dataclass(frozen=True)
class Pair:
    kind: str
    ours: Side
    theirs: Side
    row: int = 1  # of the difference

    @property
    def label(self) -> str:
        return label(self.kind)

    @property
    def missing(self) -> list[Side]:
        return [side for side in (self.ours, self.theirs) if side.code is None]

    @property
    def other_kinds(self) -> list[tuple[str, str]]:
        """Return (kind, label) of the other kinds that both samples have."""
        shared = self.ours.kinds & self.theirs.kinds - {self.kind}
        return [(kind, label(kind)) for kind in MachineCode.Kind.values if kind in shared]

    @property
    def unlike(self) -> str:
        """Return other reasons for a difference: another device or another compiler."""
        if self.ours.code is None or self.theirs.code is None:
            return ""
        mine, other = self.ours.code.verification, self.theirs.code.verification
        pairs = [("device", other.device, mine.device), ("toolkit", toolkit(other), toolkit(mine))]
        differing = [f"{name} {a} and {b}" for name, a, b in pairs if a and b and a != b]
        return " and ".join(differing)

    @cached_property
    def diff(self) -> Compared | None:
        if self.ours.code is None or self.theirs.code is None:
            return None
        return compared_code(self.theirs.code, self.ours.code, self.row)

    @property
    def failure(self) -> str:
        return NO_DIFFERENCE if not self.missing and self.diff is None else ""


def label(kind: str) -> str:
    return str(MachineCode.Kind(kind).label)


def toolkit(verification: Verification) -> str:
    return verification.environment.toolkit if verification.environment else ""


def pair(ours: Sample, theirs: Sample, kind: str, row: int = 1) -> Pair:
    """Return both sides, with three queries per side."""
    return Pair(kind, side(ours, kind), side(theirs, kind), row)


def side(sample: Sample, kind: str) -> Side:
    listings = MachineCode.objects.filter(verification__sample=sample)
    newest = listings.filter(kind=kind).select_related("verification__environment")
    code = newest.order_by("-verification__finished_at", "-verification__created_at", "-pk").first()
    kinds = frozenset(listings.order_by().values_list("kind", flat=True).distinct())
    return Side(sample, code, kinds, runs_of(sample.pk))


def runs_of(sample_id: UUID) -> int:
    return Verification.objects.finished().filter(sample=sample_id).count()
