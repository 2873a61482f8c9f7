"""What is seen of an attempt from outside its sandboxes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from eval_app.engine.build.request import BuildRequest
from eval_app.engine.hardware.device_peaks import Peaks
from eval_app.engine.hardware.telemetry import Sample


@dataclass
class AttemptTrace:
    """Everything that was observed of an attempt from outside."""

    verdict: dict[str, Any] | None = None
    # The runner's own reason for a failed load.
    failure: dict[str, Any] | None = None
    loaded: bool = False
    prepared: bool = False
    # Builds that the next attempt needs.
    needed: list[BuildRequest] = field(default_factory=list)
    # Whether it requested something that cannot be built.
    unbuildable: bool = False
    # Why the orchestrator ended it: "load_timeout", "reference_timeout", "total_timeout", "cancelled",
    # "memory:runner", "memory:judge" or "memory:host".
    stopped: str = ""
    # Whether the judge hung up while the runner had not: a runner that ends then has lost its judge.
    judge_left_first: bool = False
    runner_end: dict[str, Any] = field(default_factory=dict)
    judge_end: dict[str, Any] = field(default_factory=dict)
    runner_log: str = ""
    judge_log: str = ""
    forged: str = ""
    load_s: float = 0.0
    # Seconds by stage on the orchestrator's clock: "fork", "prepare", the stages announced by the judge,
    # "teardown".
    stages: dict[str, float] = field(default_factory=dict)
    peak_runner_bytes: int = 0
    peak_judge_bytes: int = 0
    # Whether the candidate was not loaded before the reference was prepared.
    reference_first: bool = False
    # Device state during the timing and the device's peak rates; set by the verification.
    samples: list[Sample] = field(default_factory=list)
    peaks: Peaks | None = None
