"""What a report rests on: the build, the comparison and the clock, each a value of its own."""

from __future__ import annotations

from dataclasses import dataclass

from eval_app.engine.contract import schema
from eval_app.engine.contract.schema import ContractError, Scalar

MAX_SAMPLES = 1_000
MAX_TRIALS = 200
MAP_SIDE = 32


@dataclass(frozen=True)
class BuildInfo:
    """How the candidate's compiled extensions came to be; all of them together where there are several."""

    extensions: int = 0
    # "slim" or "full" headers; "none" where nothing was compiled.
    tier: str = schema.capped(max_chars=40, default="none")
    # Compiler seconds spent for this job; 0 for a build found in the cache.
    seconds: float = 0.0
    cached: bool = True
    # The end of the last compiler log.
    log: str = schema.capped(max_chars=20_000, default="")


@dataclass(frozen=True)
class Mismatch:
    """One output element that differs: `index` in the output tensor `output`, both values as text."""

    output: str = schema.capped(max_chars=100)
    index: list[int] = schema.capped(max_items=16)
    got: str = schema.capped(max_chars=60)
    expected: str = schema.capped(max_chars=60)
    # Which trial (family and number) showed it.
    trial: str = schema.capped(max_chars=60, default="")


@dataclass(frozen=True)
class Trial:
    """One call whose outputs were compared outside of the timing."""

    name: str = schema.capped(max_chars=80)
    # Value family: "natural" for the task's own values.
    family: str = schema.capped(max_chars=40)
    # Configuration: "own" for the task's own arguments.
    config: str = schema.capped(max_chars=200, default="own")
    # What of its shapes is not the task's own; empty where they are.
    shape_note: str = schema.capped(max_chars=200, default="")
    # None where a value is not finite.
    max_abs: float | None = None
    max_rel: float | None = None
    wrong_share: float = 0.0


@dataclass(frozen=True)
class MismatchMap:
    """Where one output is wrong: its last dimension across, all others down, folded to at most 32 by 32 fields."""

    output: str = schema.capped(max_chars=100)
    shape: list[int] = schema.capped(max_items=16)
    rows: int = schema.capped()
    columns: int = schema.capped()
    # Elements beyond tolerance in each field, row by row.
    counts: list[int] = schema.capped(max_items=MAP_SIDE * MAP_SIDE)

    def __post_init__(self) -> None:
        """As many counts as fields."""
        sides = 1 <= self.rows <= MAP_SIDE and 1 <= self.columns <= MAP_SIDE
        if not sides or len(self.counts) != self.rows * self.columns or min(self.counts) < 0:
            raise ContractError("mismatch_map must have rows * columns counts of at most 32 * 32")


@dataclass(frozen=True)
class ErrorHistogram:
    """Compared elements by the decade of |error| / (atol + rtol * |truth|): from 1 on they are wrong.

    The first field holds all that is smaller, exact agreement too; the last all that is larger, and what is no number.
    Of a large output at most 2**18 drawn elements a trial are counted.
    """

    log10_from: list[int] = schema.capped(max_items=40)
    counts: list[int] = schema.capped(max_items=40)

    def __post_init__(self) -> None:
        """One count a decade."""
        if len(self.counts) != len(self.log10_from) or min(self.counts, default=0) < 0:
            raise ContractError("error_histogram must have one count for each decade")


@dataclass(frozen=True)
class Backward:
    """Gradients of inputs and parameters under random upstream gradients, held against the reference's."""

    # Gradient tensors that were compared, over all trials.
    gradients: int = schema.capped()
    max_abs: float | None = None
    max_rel: float | None = None
    detail: str = schema.capped(max_chars=1_000, default="")


@dataclass(frozen=True)
class KernelBench:
    """The verdict of KernelBench's own protocol, so that a reader sees where the two part."""

    correct: bool = schema.capped()
    # Over eager, by its timing; None where it was not timed.
    speedup: float | None = None


@dataclass(frozen=True)
class Correctness:
    """What was compared and how far apart it was."""

    # Calls whose whole output was compared with the truth, timed ones included.
    compared: int
    trials: int
    families: list[str] = schema.capped(max_items=40)
    # Families that this task cannot take, each with the reason.
    skipped: dict[str, str] = schema.capped(max_items=40, max_chars=300)
    max_abs_error: float | None = schema.capped()
    max_rel_error: float | None = schema.capped()
    # rtol by output dtype; atol is the same times max(1, RMS of the truth).
    tolerance: dict[str, float] = schema.capped()
    mismatches: list[Mismatch] = schema.capped(max_items=40)
    # Share of elements beyond tolerance in the worst comparison.
    mismatch_share: float = schema.capped()
    # "state_dict": copied by value; "seeded": keys differ, both built under one seed; "none": no weights.
    weights: str = schema.capped(max_chars=20)
    # Whether plain torch.allclose with KernelBench's tolerance would have agreed on every comparison.
    kernelbench_allclose: bool = schema.capped()
    # How many elements that share is.
    mismatch_count: int = 0
    per_trial: list[Trial] = schema.capped(max_items=MAX_TRIALS, default_factory=list)
    # Of the worst output of the call that was refused.
    mismatch_map: MismatchMap | None = None
    error_histogram: ErrorHistogram | None = None
    # Configurations that were tried: "own" is the task's own.
    configs: list[str] = schema.capped(max_chars=200, max_items=100, default_factory=list)
    # None where no gradients were asked for.
    backward: Backward | None = None

    def __post_init__(self) -> None:
        """A comparison that never happened is no evidence."""
        if self.compared < 0 or self.trials < 0 or not 0 <= self.mismatch_share <= 1:
            raise ContractError("correctness holds counts and shares out of range")


@dataclass(frozen=True)
class Spread:
    """One side of a timing, in milliseconds."""

    median_ms: float
    p10_ms: float
    p90_ms: float
    n: int
    samples_ms: list[float] = schema.capped(max_items=MAX_SAMPLES, default_factory=list)

    def __post_init__(self) -> None:
        """Times are positive and ordered."""
        if self.n < 1 or not 0 < self.p10_ms <= self.median_ms <= self.p90_ms:
            raise ContractError("timing must have n >= 1 and 0 < p10 <= median <= p90")
        if any(sample <= 0 for sample in self.samples_ms):
            raise ContractError("timing samples must be positive")


@dataclass(frozen=True)
class Speedup:
    """Median of paired ratios reference/candidate with its bootstrap interval (95 %)."""

    median: float
    low: float
    high: float

    def __post_init__(self) -> None:
        """An interval holds its median."""
        if not 0 < self.low <= self.median <= self.high:
            raise ContractError("speedup must have 0 < low <= median <= high")


@dataclass(frozen=True)
class Roofline:
    """What the task asks of the device (Williams, Waterman, Patterson 2009), and how near the candidate came."""

    # Inputs, outputs and weights, each once.
    bytes: int
    # Matrix products, convolutions and attention; elementwise work is left out. None where it cannot be counted.
    flops: int | None
    memory_ms: float
    compute_ms: float | None
    # The larger of the two.
    floor_ms: float
    # "memory" or "compute": which of them that is.
    bound: str = schema.capped(max_chars=10)
    # floor_ms over the candidate's median; above 1 where it did less than the task's program seems to ask.
    fraction: float = 0.0
    # The device's peaks and where they are from, in words.
    peaks: str = schema.capped(max_chars=300, default="")

    def __post_init__(self) -> None:
        """A floor is positive, and one of two things makes it."""
        if self.bound not in ("memory", "compute") or not self.floor_ms > 0 or self.fraction < 0:
            raise ContractError("roofline needs floor_ms > 0, fraction >= 0 and bound memory or compute")
        if self.bytes < 0 or (self.flops or 0) < 0:
            raise ContractError("roofline holds negative counts")


@dataclass(frozen=True)
class Timing:
    """How long both took, under the same clock, on the same values."""

    candidate: Spread
    # "eager" always; "compile", "max-autotune" and "cudagraph" where the profile asks and the task can.
    baselines: dict[str, Spread] = schema.capped(max_items=8)
    speedup: Speedup = schema.capped()
    # How it was measured, in words.
    method: str = schema.capped(max_chars=1_000)
    # The judge's own clock over the candidate's calls, median; bounds what the runner says from above.
    wall_ms: float = schema.capped()
    # What handling one call takes beyond the call, by the judge's own clock on the reference, median.
    handling_ms: float = 0.0
    # No honest run can be faster: the outputs must at least be written.
    floor_ms: float | None = None
    # Why a baseline that the profile asks for is not there, by mode.
    baselines_missing: dict[str, str] = schema.capped(max_items=8, max_chars=300, default_factory=dict)
    # Baselines measured earlier on this task, device and versions, brought to now by the ratio of eager's medians.
    baselines_reused: list[str] = schema.capped(max_items=8, max_chars=40, default_factory=list)
    roofline: Roofline | None = None
    # While the clock ran. For a GPU sm_mhz, memory_mhz, temperature_c and power_w as {"min", "median", "max"},
    # throttle as words, samples (how often the device was asked) and dropped_pairs (timed while the clock was low).
    device_state: dict[str, Scalar | list[str] | dict[str, float]] = schema.capped(
        max_items=60, max_chars=200, default_factory=dict
    )

    def __post_init__(self) -> None:
        """A speedup needs something to be faster than."""
        if "eager" not in self.baselines:
            raise ContractError("timing.baselines must hold eager")
        if self.wall_ms <= 0:
            raise ContractError("timing.wall_ms must be positive")
        if set(self.baselines_missing) & set(self.baselines):
            raise ContractError("timing.baselines_missing names a baseline that is there")
        if not set(self.baselines_reused) <= set(self.baselines):
            raise ContractError("timing.baselines_reused names a baseline that is not there")
