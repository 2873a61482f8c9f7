"""Times at sizes other than the task's own, for a job that asks for a look inside."""

from __future__ import annotations

from dataclasses import dataclass

from eval_app.engine.contract import schema
from eval_app.engine.contract.evidence import Speedup
from eval_app.engine.contract.schema import ContractError

MAX_SIZES = 64
# Name of the row with the task's own arguments, as `Trial.config` has it.
OWN = "own"


@dataclass(frozen=True)
class TimedSize:
    """Kernel and eager reference at one size or configuration, by the clock of `Timing`; or why they were not timed."""

    name: str = schema.capped(max_chars=200)
    # Whether the task declares it; the engine chose the others.
    declared: bool = False
    # Types and shapes of the tensors among the inputs, as text; and the bytes of inputs and outputs.
    inputs: str = schema.capped(max_chars=400, default="")
    size_bytes: int = 0
    # Medians.
    candidate_ms: float | None = None
    reference_ms: float | None = None
    speedup: Speedup | None = None
    # Timed pairs, or orders where these are the source of the figures.
    n: int = 0
    # Why the judge's clock does not confirm the time, as in `Timing.unconfirmed`.
    unconfirmed: str = schema.capped(max_chars=400, default="")
    # Why it was not timed; empty if it was.
    not_timed: str = schema.capped(max_chars=500, default="")

    def __post_init__(self) -> None:
        """Check that there are either all figures or a reason."""
        figures = (self.candidate_ms, self.reference_ms, self.speedup)
        if self.not_timed and any(figure is not None for figure in figures):
            raise ContractError(f"sweep: {self.name!r} has both times and a reason for having none")
        if not self.not_timed and (
            None in figures or min(self.candidate_ms or 0, self.reference_ms or 0) <= 0
        ):
            raise ContractError(f"sweep: {self.name!r} needs positive times and a speedup, or a reason")
        if self.size_bytes < 0 or self.n < 0:
            raise ContractError("sweep holds negative counts")
