"""How hard one verification looks: documented value objects, stored with every report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.schema import ContractError


@dataclass(frozen=True)
class Profile:
    """The protocol of one run. Budgets end a stage early; minimum counts hold whatever the budget."""

    name: str = schema.capped(max_chars=40)
    # Correctness: trials on the task's own inputs, each with a fresh nonce seed.
    trials: int = 5
    # Other value families, tried once each after the task's own inputs; see judge/families.py.
    families: list[str] = schema.capped(max_items=20, default_factory=list)
    # How often one input is given again to see that the output repeats, and whether once more beside a busy neighbour.
    repeats: int = 3
    under_load: bool = False
    # Other sizes of the task's free dimensions, odd and no multiple of a tile. Nothing declares them: a failure there
    # is the label `fixed_shape`.
    shapes: int = 0
    # Of the configurations that the job or the task declares, at most so many, drawn; a failure there is a refusal.
    configs_max: int = 8
    # Trials of gradients where the job or the task asks for them.
    backward_trials: int = 3
    # Relative tolerance for each output dtype; absolute is the same times max(1, RMS of the truth).
    tolerance_fp32: float = 1e-4
    tolerance_half: float = 1e-2
    tolerance_fp64: float = 1e-6
    # Whether the tolerance on the task's own values is drawn tighter until the next lower precision fails, where
    # honest error leaves room for that; see judge/calibrate.py.
    calibrate: bool = False
    # For gradients, which are sums over a batch: against the RMS of each gradient.
    gradient_fp32: float = 1e-3
    gradient_half: float = 3e-2
    gradient_fp64: float = 1e-6
    # Timing: pairs of one reference call and one candidate call on the same fresh values.
    timings_min: int = 20
    timings_max: int = 100
    timing_budget_s: float = 3.0
    # The median's standard error, relative, at which timing stops.
    target_error: float = 0.005
    warmup_calls: int = 10
    warmup_s: float = 0.05
    # Further baselines besides eager: compile, max-autotune, cudagraph.
    baselines: list[str] = schema.capped(max_items=8, default_factory=list)
    # What one of them may take, compiling included.
    baseline_timeout_s: float = 60.0
    # Whether the kernels that a call runs are listed, by the profiler; on a GPU.
    trace: bool = True
    # Whether compute-sanitizer looks at the candidate's memory accesses, where it is installed; on a GPU.
    sanitize: bool = False
    # Whether the weights are replaced once after the trials, to see whether the candidate follows them.
    reweigh: bool = True
    # Whether the task itself is examined: does its output move, can a constant pass.
    admission: bool = True
    # Deadlines.
    build_timeout_s: float = 300.0
    load_timeout_s: float = 60.0
    first_call_timeout_s: float = 60.0
    call_timeout_s: float = 10.0
    total_timeout_s: float = 300.0
    # Host memory that one role may hold.
    memory_bytes: int = 16 * 2**30

    def __post_init__(self) -> None:
        """Refuse a profile that could prove nothing or never end."""
        bounds = {
            "trials": (1, 1000), "repeats": (1, 100), "timings_min": (0, 10_000), "timings_max": (0, 10_000),
            "warmup_calls": (0, 10_000), "warmup_s": (0, 60), "timing_budget_s": (0, 3600),
            "build_timeout_s": (1, 7200), "load_timeout_s": (1, 7200), "first_call_timeout_s": (1, 7200),
            "call_timeout_s": (0.1, 7200), "total_timeout_s": (1, 14_400), "baseline_timeout_s": (1, 7200),
            "target_error": (1e-6, 1),
            "tolerance_fp32": (0, 1), "tolerance_half": (0, 1), "tolerance_fp64": (0, 1),
            "memory_bytes": (2**28, 2**45), "shapes": (0, 20), "configs_max": (0, 64), "backward_trials": (1, 20),
            "gradient_fp32": (0, 1), "gradient_half": (0, 1), "gradient_fp64": (0, 1),
        }  # fmt: skip
        for field, (low, high) in bounds.items():
            if not low <= getattr(self, field) <= high:
                raise ContractError(f"profile.{field} must be from {low} to {high}")
        if self.timings_min > self.timings_max:
            raise ContractError("profile.timings_min must not exceed timings_max")

    @classmethod
    def from_value(cls, value: Any) -> Profile:
        """A profile from its name, or from an object; an object may name a `base` and change some fields."""
        if isinstance(value, Profile):
            return value
        if isinstance(value, str):
            return _named(value)
        if isinstance(value, dict) and "base" in value:
            changed = {key: item for key, item in value.items() if key != "base"}
            return schema.read(cls, schema.to_json(_named(value["base"])) | changed, "profile")
        return schema.read(cls, value, "profile")


_FAMILIES = ["uniform", "scaled_up", "scaled_down", "constant", "integers", "one_hot", "sorted", "mixed"]

_STANDARD = Profile(
    name="standard", families=_FAMILIES, timings_min=30, timings_max=300, timing_budget_s=6.0, shapes=2, calibrate=True,
    baselines=["compile", "cudagraph"],
)  # fmt: skip

PROFILES: dict[str, Profile] = {
    # KernelBench's protocol: 5 trials, up to 100 timings; three families that cost little and catch much.
    "quick": replace(
        _STANDARD, name="quick", families=["scaled_up", "one_hot", "mixed"], timings_min=20, timings_max=100,
        timing_budget_s=1.5, target_error=0.01, shapes=0, calibrate=False, configs_max=4, backward_trials=2,
        baselines=[], trace=False,
    ),
    "standard": _STANDARD,
    "thorough": replace(
        _STANDARD, name="thorough", trials=10, repeats=5, families=[*_FAMILIES, "alternating"],
        timings_max=1000, timing_budget_s=20.0, target_error=0.0025, total_timeout_s=900.0,
        baselines=["compile", "max-autotune", "cudagraph"], baseline_timeout_s=300.0, shapes=5,
        configs_max=24, backward_trials=5, under_load=True, sanitize=True,
    ),
}  # fmt: skip

# What `admit` calls its profile: the report's candidate is the reference itself.
ADMISSION = "admission"


def _named(name: Any) -> Profile:
    if not isinstance(name, str) or name not in PROFILES:
        raise ContractError(f"profile must be an object or one of: {', '.join(PROFILES)}")
    return PROFILES[name]
