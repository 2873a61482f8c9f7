"""Profiles: how thoroughly a job is verified. Stored with every report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.schema import ContractError


@dataclass(frozen=True)
class Profile:
    """Settings of one verification. Budgets end a stage early; minimum counts apply whatever the budget."""

    name: str = schema.capped(max_chars=40)
    # Trials on the task's own inputs, each with a fresh nonce seed.
    trials: int = 5
    # Value families, tried once each after the task's own inputs; see judge/values/families.py.
    families: list[str] = schema.capped(max_items=20, default_factory=list)
    # Number of calls on one input to check that the output repeats, and whether to repeat under contention.
    repeats: int = 3
    under_load: bool = False
    # Number of alternative sizes of the task's free dimensions, odd and no multiple of a tile. They are
    # undeclared, so a failure is only labelled `fixed_shape`.
    shapes: int = 0
    # At most this many of the declared configurations are drawn; a failure there is a rejection.
    configs_max: int = 8
    # Gradient trials, if the job or the task requests them.
    backward_trials: int = 3
    # Relative tolerance by output dtype; the absolute one is the same times max(1, RMS of the truth).
    tolerance_fp32: float = 1e-4
    tolerance_half: float = 1e-2
    tolerance_fp64: float = 1e-6
    # Whether the tolerance on the task's own values is tightened until the next lower precision fails, as far
    # as honest error allows; see judge/last_bits/calibrate.py.
    calibrate: bool = False
    # Tolerances for gradients, which are sums over a batch; relative to the RMS of each gradient.
    gradient_fp32: float = 1e-3
    gradient_half: float = 3e-2
    gradient_fp64: float = 1e-6
    # Timed pairs of one reference call and one candidate call on the same fresh values.
    timings_min: int = 20
    timings_max: int = 100
    timing_budget_s: float = 3.0
    # Relative standard error of the median at which timing stops.
    target_error: float = 0.005
    warmup_calls: int = 10
    warmup_s: float = 0.05
    # Baselines besides eager: compile, max-autotune, cudagraph.
    baselines: list[str] = schema.capped(max_items=8, default_factory=list)
    # Time limit for one of them, including its compilation.
    baseline_timeout_s: float = 60.0
    # Whether the profiler lists the GPU kernels of a call.
    trace: bool = True
    # Whether compute-sanitizer checks memory accesses, if it is installed; GPU only.
    sanitize: bool = False
    # Whether the weights are replaced once after the trials to check that the candidate uses the new ones.
    reweigh: bool = True
    # Whether the task is examined: does its output depend on its inputs, does a constant pass.
    admission: bool = True
    # Deadlines.
    build_timeout_s: float = 300.0
    load_timeout_s: float = 60.0
    first_call_timeout_s: float = 60.0
    call_timeout_s: float = 10.0
    total_timeout_s: float = 300.0
    # Host memory limit of each role.
    memory_bytes: int = 16 * 2**30

    def __post_init__(self) -> None:
        """Reject a profile that could prove nothing or never end."""
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
        """Return a profile from its name or from an object, which may name a `base` and override some fields."""
        if isinstance(value, Profile):
            return value
        if isinstance(value, str):
            return _named(value)
        if isinstance(value, dict) and "base" in value:
            changed = {key: item for key, item in value.items() if key != "base"}
            return schema.read(cls, schema.to_json(_named(value["base"])) | changed, "profile")
        return schema.read(cls, value, "profile")


_FAMILIES = [
    "uniform",
    "scaled_up",
    "scaled_down",
    "constant",
    "integers",
    "one_hot",
    "sorted",
    "mixed",
    "spikes",
    "stretched",
]

_STANDARD = Profile(
    name="standard", families=_FAMILIES, timings_min=30, timings_max=300, timing_budget_s=6.0, shapes=2, calibrate=True,
    baselines=["compile", "cudagraph"],
)  # fmt: skip

PROFILES: dict[str, Profile] = {
    # KernelBench's protocol: 5 trials, up to 100 timings; five cheap and effective families.
    "quick": replace(
        _STANDARD, name="quick", families=["scaled_up", "one_hot", "mixed", "spikes", "stretched"], timings_min=20,
        timings_max=100, timing_budget_s=1.5, target_error=0.01, shapes=0, calibrate=False, configs_max=4,
        backward_trials=2, baselines=[], trace=False,
    ),
    "standard": _STANDARD,
    "thorough": replace(
        _STANDARD, name="thorough", trials=10, repeats=5, families=[*_FAMILIES, "alternating"],
        timings_max=1000, timing_budget_s=20.0, target_error=0.0025, total_timeout_s=900.0,
        baselines=["compile", "max-autotune", "cudagraph"], baseline_timeout_s=300.0, shapes=5,
        configs_max=24, backward_trials=5, under_load=True, sanitize=True,
    ),
}  # fmt: skip

# Name of the profile that `admit` uses: the report's candidate is the reference itself.
ADMISSION = "admission"


def _named(name: Any) -> Profile:
    if not isinstance(name, str) or name not in PROFILES:
        raise ContractError(f"profile must be an object or one of: {', '.join(PROFILES)}")
    return PROFILES[name]
