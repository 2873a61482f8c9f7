"""SASS and PTX of one verification as their page shows them, or compared with another's."""

from dataclasses import dataclass
from functools import cached_property

from datasets_app.bounded import AnalysisError, analysed
from datasets_app.browse.panes.compared import Compared
from datasets_app.models import MachineCode, Verification
from datasets_app.models.identity import as_uuid
from eval_app.pages.instruction_mix import KernelMix, instruction_mix
from eval_app.pages.machine_text import Listing, difference, listing


@dataclass(frozen=True)
class CodePage:
    """One listing, or its difference from another."""

    verification: Verification
    code: MachineCode
    others: list[MachineCode]  # of the same sample, without their texts
    against: MachineCode | None

    line: int = 1
    row: int = 1  # of the difference

    @cached_property
    def listing(self) -> Listing:
        try:
            return analysed(listing, self.code.text, self.line)
        except AnalysisError:
            return listing(self.code.text, self.line, coloured=False)

    @cached_property
    def mix(self) -> tuple[KernelMix, ...]:
        """Return how the instructions of its kernels divide; empty for another kind, or if it takes too long."""
        if self.code.kind != MachineCode.Kind.SASS:
            return ()
        try:
            return analysed(instruction_mix, self.code.text)
        except AnalysisError:
            return ()

    @cached_property
    def diff(self) -> Compared | None:
        return None if self.against is None else compared_code(self.against, self.code, self.row)

    @property
    def failure(self) -> str:
        """Return why a requested difference is missing; else an empty text."""
        return NO_DIFFERENCE if self.against is not None and self.diff is None else ""


NO_DIFFERENCE = (
    "The two listings could not be compared in time. Compare their texts with a program of your own."
)


def compared_code(left: MachineCode, right: MachineCode, first: int) -> Compared | None:
    """Return the comparison; None if it takes too long."""
    try:
        return analysed(difference, left.text, right.text, first)
    except AnalysisError:
        return None


def page(
    verification: Verification, kind: str, against: str = "", line: int = 1, row: int = 1
) -> CodePage | None:
    """Return the listing; None if this verification has none of this kind, or `against` names none. At most three
    queries."""
    of_sample = MachineCode.objects.filter(kind=kind, verification__sample=verification.sample_id)
    code = of_sample.filter(verification=verification).first()
    other = of_sample.filter(verification=pk).first() if (pk := as_uuid(against)) else None
    if code is None or (against and other is None):
        return None
    others = of_sample.exclude(verification=verification).select_related("verification").defer("text")
    return CodePage(verification, code, list(others.order_by("-verification__created_at")), other, line, row)
