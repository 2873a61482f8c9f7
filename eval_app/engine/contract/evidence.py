"""The evidence of a report: build, comparison and timing."""

from __future__ import annotations

from dataclasses import dataclass

from eval_app.engine.contract import schema
from eval_app.engine.contract.orders import Orders
from eval_app.engine.contract.schema import ContractError, Scalar

MAX_SAMPLES = 1_000
MAX_TRIALS = 200
MAP_SIDE = 32
MAX_PLACE_CHARS, MAX_DIMENSIONS = 100, 64  # of a tensor; an index into complex numbers has one more


@dataclass(frozen=True)
class BuildInfo:
    """Facts of the build of a candidate's extensions; totals if there are several."""

    extensions: int = 0
    # "slim" or "full" headers; "none" if nothing was compiled.
    tier: str = schema.capped(max_chars=40, default="none")
    # Compiler seconds spent for this job; 0 for a build found in the cache.
    seconds: float = 0.0
    cached: bool = True
    # End of the last compiler log.
    log: str = schema.capped(max_chars=20_000, default="")


@dataclass(frozen=True)
class Mismatch:
    """One wrong element of the output tensor `output` at `index`, both values as text."""

    output: str = schema.capped(max_chars=MAX_PLACE_CHARS)
    index: list[int] = schema.capped(max_items=MAX_DIMENSIONS + 1)
    got: str = schema.capped(max_chars=60)
    expected: str = schema.capped(max_chars=60)
    # Trial (family and number) in which it was found.
    trial: str = schema.capped(max_chars=60, default="")


@dataclass(frozen=True)
class Trial:
    """One compared call outside of the timing."""

    name: str = schema.capped(max_chars=80)
    # Value family: "natural" for the task's own values.
    family: str = schema.capped(max_chars=40)
    # Configuration: "own" for the task's own arguments.
    config: str = schema.capped(max_chars=200, default="own")
    # How its shapes differ from the task's own; empty if they do not.
    shape_note: str = schema.capped(max_chars=200, default="")
    # None if a value is not finite.
    max_abs: float | None = None
    max_rel: float | None = None
    wrong_share: float = 0.0


@dataclass(frozen=True)
class MismatchMap:
    """Positions of wrong elements in one output: last dimension across, all others down, binned to at most 32
    by 32 cells."""

    output: str = schema.capped(max_chars=MAX_PLACE_CHARS)
    shape: list[int] = schema.capped(max_items=MAX_DIMENSIONS)
    rows: int = schema.capped()
    columns: int = schema.capped()
    # Elements beyond tolerance per cell, row by row.
    counts: list[int] = schema.capped(max_items=MAP_SIDE * MAP_SIDE)

    def __post_init__(self) -> None:
        """Check that there is one count per cell."""
        sides = 1 <= self.rows <= MAP_SIDE and 1 <= self.columns <= MAP_SIDE
        if not sides or len(self.counts) != self.rows * self.columns or min(self.counts) < 0:
            raise ContractError("mismatch_map must have rows * columns counts of at most 32 * 32")


@dataclass(frozen=True)
class ErrorHistogram:
    """Compared elements by decade of |error| / (atol + rtol * |truth|); ratios above 1 are wrong.

    The first bin also holds everything smaller, exact agreement included; the last everything larger and
    non-finite values. At most 2**18 sampled elements of an output are counted per trial.
    """

    log10_from: list[int] = schema.capped(max_items=40)
    counts: list[int] = schema.capped(max_items=40)

    def __post_init__(self) -> None:
        """Check that there is one count per decade."""
        if len(self.counts) != len(self.log10_from) or min(self.counts, default=0) < 0:
            raise ContractError("error_histogram must have one count for each decade")


@dataclass(frozen=True)
class Backward:
    """Gradients of inputs and parameters under random upstream gradients, compared with the reference's."""

    # Number of compared gradient tensors over all trials.
    gradients: int = schema.capped()
    max_abs: float | None = None
    max_rel: float | None = None
    detail: str = schema.capped(max_chars=1_000, default="")


@dataclass(frozen=True)
class KernelBench:
    """The verdict of KernelBench's own protocol, so that a reader sees where the two part."""

    correct: bool = schema.capped()
    # Over eager, by its timing, which believes the candidate's clock; None where it was not timed.
    speedup: float | None = None

    def __post_init__(self) -> None:
        """Check that a speedup is positive."""
        if self.speedup is not None and self.speedup <= 0:
            raise ContractError("kernelbench.speedup must be positive")


@dataclass(frozen=True)
class Correctness:
    """Extent and result of the comparison."""

    # Calls whose complete output was compared, timed ones included.
    compared: int
    trials: int
    families: list[str] = schema.capped(max_items=40)
    # Families that this task cannot take, with the reason.
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
    # Whether torch.allclose with KernelBench's tolerance agreed on every comparison.
    kernelbench_allclose: bool = schema.capped()
    # How many elements that share is.
    mismatch_count: int = 0
    per_trial: list[Trial] = schema.capped(max_items=MAX_TRIALS, default_factory=list)
    # For the worst output of the rejected call.
    mismatch_map: MismatchMap | None = None
    error_histogram: ErrorHistogram | None = None
    # Configurations that were tried; "own" is the task's own.
    configs: list[str] = schema.capped(max_chars=200, max_items=100, default_factory=list)
    # None if no gradients were requested.
    backward: Backward | None = None

    def __post_init__(self) -> None:
        """Check that counts and shares are in range."""
        if self.compared < 0 or self.trials < 0 or not 0 <= self.mismatch_share <= 1:
            raise ContractError("correctness holds counts and shares out of range")


@dataclass(frozen=True)
class Spread:
    """Distribution of one side of a timing, in milliseconds."""

    median_ms: float
    p10_ms: float
    p90_ms: float
    n: int
    samples_ms: list[float] = schema.capped(max_items=MAX_SAMPLES, default_factory=list)

    def __post_init__(self) -> None:
        """Check that times are positive and ordered."""
        if self.n < 1 or not 0 < self.p10_ms <= self.median_ms <= self.p90_ms:
            raise ContractError("timing must have n >= 1 and 0 < p10 <= median <= p90")
        if any(sample <= 0 for sample in self.samples_ms):
            raise ContractError("timing samples must be positive")


@dataclass(frozen=True)
class Speedup:
    """Median of paired ratios reference/candidate with its 95 % bootstrap interval."""

    median: float
    low: float
    high: float

    def __post_init__(self) -> None:
        """Check that the interval contains the median."""
        if not 0 < self.low <= self.median <= self.high:
            raise ContractError("speedup must have 0 < low <= median <= high")


@dataclass(frozen=True)
class Roofline:
    """Minimum device work of the task (Williams, Waterman, Patterson 2009) and how close the candidate comes to it."""

    # Bytes of inputs, outputs and weights, each counted once.
    bytes: int
    # Operations of matrix products, convolutions and attention. None if they cannot be counted.
    flops: int | None
    memory_ms: float
    compute_ms: float | None
    # The larger of the two.
    floor_ms: float
    # "memory" or "compute", whichever takes longer.
    bound: str = schema.capped(max_chars=10)
    # floor_ms divided by the candidate's median; above 1 if it did less work than the task's program appears
    # to need.
    fraction: float = 0.0
    # The device's peaks and their source, as text.
    peaks: str = schema.capped(max_chars=300, default="")
    # All other operations: elementwise work, reductions, softmax, norms, pooling (judge.clock.operations). None if they
    # were not counted. They bound no time: other units of a device may do them meanwhile.
    other_flops: int | None = None
    # Those of both counts that work on 64-bit floating numbers. None if they were not told apart.
    double_flops: int | None = None
    # Operators of the task that nothing could count.
    uncounted: list[str] = schema.capped(max_chars=60, max_items=20, default_factory=list)
    # The device's peak in the arithmetic of the task, if known.
    flops_per_s: float | None = None

    def __post_init__(self) -> None:
        """Check that the floor is positive and its bound is known."""
        if self.bound not in ("memory", "compute") or not self.floor_ms > 0 or self.fraction < 0:
            raise ContractError("roofline needs floor_ms > 0, fraction >= 0 and bound memory or compute")
        if (
            self.bytes < 0
            or (self.flops or 0) < 0
            or (self.other_flops or 0) < 0
            or (self.double_flops or 0) < 0
            or (self.flops_per_s or 0) < 0
        ):
            raise ContractError("roofline holds negative counts")


@dataclass(frozen=True)
class Timing:
    """Times of candidate and baselines, taken with the same clock on the same values."""

    candidate: Spread
    # "eager" always; "compile", "max-autotune" and "cudagraph" if the profile requests them and the task
    # supports them.
    baselines: dict[str, Spread] = schema.capped(max_items=8)
    speedup: Speedup = schema.capped()
    # Method of measurement, as text.
    method: str = schema.capped(max_chars=1_000)
    # Median of the judge's own clock over the candidate's calls: an upper bound on the runner's times.
    wall_ms: float = schema.capped()
    # Median overhead of handling one call, by the judge's clock on the reference.
    handling_ms: float = 0.0
    # "orders" if they confirm what the runner's clock says or, beside a reference of many launches, have been confirmed
    # themselves; else empty, with the reason in `unconfirmed`. `orders.single_reference_ms` is there if the figures
    # above are those of the orders, as they also are where the runner's clock says more than orders vary by.
    confirmed_by: str = schema.capped(max_chars=40, default="")
    unconfirmed: str = schema.capped(max_chars=400, default="")
    orders: Orders | None = None
    # Lower bound for any correct run: the outputs must at least be written.
    floor_ms: float | None = None
    # Reason by mode for each requested baseline that is missing.
    baselines_missing: dict[str, str] = schema.capped(max_items=8, max_chars=300, default_factory=dict)
    # Baselines measured earlier for this task, device and versions, scaled by the ratio of eager's medians.
    baselines_reused: list[str] = schema.capped(max_items=8, max_chars=40, default_factory=list)
    roofline: Roofline | None = None
    # Device state during the timing. For a GPU sm_mhz, memory_mhz, temperature_c and power_w as {"min",
    # "median", "max"}, throttle reasons as words, samples (number of readings) and dropped_pairs (pairs timed
    # at a low clock).
    device_state: dict[str, Scalar | list[str] | dict[str, float]] = schema.capped(
        max_items=60, max_chars=200, default_factory=dict
    )

    @property
    def single_reference_ms(self) -> float:
        """Return the reference's time as a single call, as further baselines are timed."""
        alone_ms = self.orders.single_reference_ms if self.orders else None
        return alone_ms or self.baselines["eager"].median_ms

    def __post_init__(self) -> None:
        """Check that eager is among the baselines and that names are consistent."""
        if "eager" not in self.baselines:
            raise ContractError("timing.baselines must hold eager")
        if self.wall_ms <= 0:
            raise ContractError("timing.wall_ms must be positive")
        if set(self.baselines_missing) & set(self.baselines):
            raise ContractError("timing.baselines_missing names a baseline that is there")
        if not set(self.baselines_reused) <= set(self.baselines):
            raise ContractError("timing.baselines_reused names a baseline that is not there")
