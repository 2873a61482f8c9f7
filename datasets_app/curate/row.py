"""What a rule may know of a sample: ids and scalars. No rule ever sees a text."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Basis(StrEnum):
    """Whose word a rule takes. A rule takes one or the other, as its recipe says; never a mixture."""

    MEASURED = "measured"  # the newest verification on this site
    CLAIMED = "claimed"  # what the sample's source says


class Row(NamedTuple):
    """One sample. Ids are UUIDs as text, so that their order is the same on every database.

    A named tuple: a store of 100,000 makes as many, and a frozen dataclass takes three times as long to make.
    """

    id: str
    task: str
    task_name: str = ""
    kind: str = "other"
    suite: str = ""
    level: int | None = None
    operators: int = 0  # distinct torch operators in the task's program
    source: str = ""
    licence: str = ""
    generator: str = ""
    language: str = ""
    trace_tokens: int | None = None  # None: no trace
    tokenizer: str = ""
    claimed_speedup: float | None = None
    claimed_correct: bool | None = None
    outcome: str = ""  # empty: never verified
    measured_speedup: float | None = None
    device: str = ""
    verdict: str = ""
    findings: frozenset[str] = frozenset()  # severities of the newest verification's findings
    tags: frozenset[str] = frozenset()  # names of its tags; empty where no rule of the recipe asks for them
    kernel: str = ""  # fingerprint of the kernel program; empty where no rule of the recipe asks for it
    program: str = ""  # fingerprint of the task's program; likewise

    def is_correct(self, basis: str) -> bool:
        """Measured: it passed. Claimed: the source says so, or gives a speedup and does not call it wrong."""
        if basis == Basis.MEASURED:
            return self.outcome == "passed"
        return self.claimed_correct is True or (
            self.claimed_correct is None and self.claimed_speedup is not None
        )

    def speedup(self, basis: str) -> float | None:
        """Over eager, of a kernel that is correct by the same word; None where that word is missing."""
        if not self.is_correct(basis):
            return None
        return self.measured_speedup if basis == Basis.MEASURED else self.claimed_speedup

    def fastest_first(self, basis: str) -> tuple[float, float, str]:
        """Sort key: the higher speedup, then the shorter trace (none counts as longest), then the id."""
        tokens = float("inf") if self.trace_tokens is None else float(self.trace_tokens)
        return (-(self.speedup(basis) or 0.0), tokens, self.id)
