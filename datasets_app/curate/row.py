"""The row of a sample that rules read: ids and scalars. No rule ever sees a text."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from datasets_app.models.claim_ratio import claim_ratio
from datasets_app.traces.difficulty import Traces


class Basis(StrEnum):
    """The origin of outcomes and speedups for a rule: one or the other, as its recipe says, never a mixture."""

    MEASURED = "measured"  # this site's evidence on the recipe's device
    CLAIMED = "claimed"  # what the sample's source says


class Row(NamedTuple):
    """One sample, with the evidence on one device: no two rows of a selection speak of different ones.

    Ids are UUIDs as text, so that their order is the same on every database.

    A named tuple: a store of 100,000 makes as many, and a frozen dataclass takes three times as long to make.
    """

    id: str
    task: str
    task_name: str = ""
    kind: str = "other"
    suite: str = ""
    level: int | None = None
    problem: int | None = None  # the suite's number
    operators: int = 0  # distinct torch operators that the text of the task's program names
    operator_calls: int | None = None  # as one run of the program executes them; None: not traced
    source: str = ""
    licence: str = ""
    generator: str = ""
    language: str = ""
    trace_tokens: int | None = None  # None: no trace
    tokenizer: str = ""
    claimed_speedup: float | None = None
    claimed_correct: bool | None = None
    verdict: str = ""
    votes: int = 0  # reviewers with a standing vote
    agreement: float | None = None  # share of the votes that agree with the verdict; None: no votes
    outcome: str = ""  # empty: nothing was decided on the device
    measured_speedup: float | None = None
    speedup_low: float | None = None  # lower end of its interval, of all like runs where there are several
    profile: str = ""
    runs_disagree: bool = False
    # Facts that cost more: None or empty where no rule of the recipe asks for them.
    verified_at: datetime | None = None
    changed: str | None = (
        None  # what the device's machines run instead now; empty: the evidence is up to date
    )
    time_confirmed: bool | None = None
    custom_kernel_share: float | None = None  # of a call's GPU time
    kernel: str | None = None  # fingerprint of the kernel program
    program: str | None = None  # fingerprint of the task's program
    cluster: str | None = None  # of similar kernels; None or empty: not compared yet
    findings: frozenset[str] = frozenset()  # severities of the findings behind the evidence
    codes: frozenset[str] = frozenset()  # codes of the same
    tags: frozenset[str] = frozenset()  # names
    superseded: bool = False  # an accepted edit replaced it by a revision
    arl: float | None = (
        None  # average reasoning length of the task: mean tokens of its traces; None: no trace
    )
    traces: Traces = MappingProxyType({})  # of the task, by generator and tokenizer
    task_findings: frozenset[str] = frozenset()  # codes of what is known against the task as a test

    def is_correct(self, basis: str) -> bool:
        """Return whether it passed here, or whether its source says so: gives a speedup and does not call it wrong."""
        if basis == Basis.MEASURED:
            return self.outcome == "passed"
        return self.claimed_correct is True or (
            self.claimed_correct is None and self.claimed_speedup is not None
        )

    def speedup(self, basis: str) -> float | None:
        """Return the speedup over eager of a kernel that is correct on the same basis; None if there is none."""
        if not self.is_correct(basis):
            return None
        return self.measured_speedup if basis == Basis.MEASURED else self.claimed_speedup

    def claim_ratio(self) -> float | None:
        """Return the speedup measured on the recipe's device as a share of the claimed one; None without both."""
        return claim_ratio(self.measured_speedup, self.claimed_speedup)

    def fastest_first(self, basis: str) -> tuple[float, float, str]:
        """Return a sort key: the higher speedup, then the shorter trace (none counts as longest), then the id."""
        tokens = float("inf") if self.trace_tokens is None else float(self.trace_tokens)
        return (-(self.speedup(basis) or 0.0), tokens, self.id)
