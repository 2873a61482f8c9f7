"""Jobs and reports. Reading either from JSON validates it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.configs import TaskConfig, read_configs
from eval_app.engine.contract.evidence import BuildInfo, Correctness, KernelBench, Timing
from eval_app.engine.contract.inspection import Inspection, ProfileTrace
from eval_app.engine.contract.profiles import PROFILES, Profile
from eval_app.engine.contract.schema import ContractError, Scalar
from eval_app.engine.contract.sweep import MAX_SIZES, TimedSize

MAX_PROGRAM_CHARS = 1_000_000


class Outcome(StrEnum):
    """Result of a verification. Outcomes are never merged, so that the cause of a failure stays clear."""

    PASSED = "passed"
    BUILD_ERROR = "build_error"
    BUILD_TIMEOUT = "build_timeout"
    LOAD_ERROR = "load_error"
    RUNTIME_ERROR = "runtime_error"
    ILLEGAL_MEMORY = "illegal_memory"
    OUT_OF_MEMORY = "out_of_memory"
    TIMEOUT = "timeout"
    WRONG_STRUCTURE = "wrong_structure"
    WRONG_VALUE = "wrong_value"
    NONDETERMINISTIC = "nondeterministic"
    # Correct, and it breaks what a caller relies on, as an honest author may without meaning harm.
    BROKEN_PROMISE = "broken_promise"
    # Deception that was observed.
    CHEATED = "cheated"
    INVALID_REFERENCE = "invalid_reference"
    UNSUPPORTED = "unsupported"
    INFRA_ERROR = "infra_error"


class Severity(StrEnum):
    """Effect of a finding: reject the kernel, ask a person to look, or only describe."""

    REJECT = "reject"
    AUDIT = "audit"
    LABEL = "label"


class Language(StrEnum):
    """Language of a candidate; `auto` is detected from the source."""

    AUTO = "auto"
    CUDA = "cuda"
    CPP = "cpp"
    TRITON = "triton"
    PYTHON = "python"
    HIP = "hip"
    SASS = "sass"


@dataclass(frozen=True)
class Finding:
    """One observation of a check, with evidence that a person can read."""

    code: str = schema.capped(max_chars=60)
    severity: Severity = schema.capped()
    detail: str = schema.capped(max_chars=2_000)


@dataclass(frozen=True)
class Job:
    """One candidate to verify against its reference."""

    id: str
    reference: str
    candidate: str
    language: Language = Language.AUTO
    profile: Profile = PROFILES["quick"]
    # Whether machine code, performance counters and memory accesses are inspected too.
    inspect: bool = False
    # Declared alternative arguments of the task; a candidate must be correct on each.
    configs: list[TaskConfig] = field(default_factory=list)
    # Whether gradients of inputs and parameters are compared too.
    backward: bool = False

    @classmethod
    def from_dict(cls, data: Any, default_profile: Any = "quick") -> Job:
        """Read a job from JSON; a job without a profile gets `default_profile`."""
        if not isinstance(data, dict):
            raise ContractError(f"a job must be an object, not {type(data).__name__}")
        plain = {k: v for k, v in data.items() if k not in ("profile", "configs")}
        raw = schema.read(_RawJob, plain, "job")
        profile = Profile.from_value(data.get("profile", default_profile))
        configs = read_configs(data.get("configs"))
        return cls(
            raw.id, raw.reference, raw.candidate, raw.language, profile, raw.inspect, configs, raw.backward
        )

    def task(self) -> dict[str, Any]:
        """Return the JSON that tells the judge about the task besides its program."""
        return {"configs": schema.to_json(self.configs), "backward": self.backward}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        form: dict[str, Any] = schema.to_json(self)
        return form


@dataclass(frozen=True)
class _RawJob:
    id: str = schema.capped(max_chars=200)
    reference: str = schema.capped(max_chars=MAX_PROGRAM_CHARS)
    candidate: str = schema.capped(max_chars=MAX_PROGRAM_CHARS)
    language: Language = Language.AUTO
    inspect: bool = False
    backward: bool = False

    def __post_init__(self) -> None:
        for name in ("id", "reference", "candidate"):
            if not getattr(self, name).strip():
                raise ContractError(f"job.{name} must not be empty")


@dataclass(frozen=True)
class Report:
    """Result of one job on one device, with its evidence."""

    id: str = schema.capped(max_chars=200)
    outcome: Outcome = schema.capped()
    # One or two sentences for a reader.
    detail: str = schema.capped(max_chars=8_000, default="")
    findings: list[Finding] = schema.capped(max_items=100, default_factory=list)
    build: BuildInfo | None = None
    correctness: Correctness | None = None
    timing: Timing | None = None
    # GPU kernels of one call, if the profile requests them.
    profile_trace: ProfileTrace | None = None
    # Inspection of the candidate, if the job requests it.
    inspection: Inspection | None = None
    # Times at the sizes and configurations at which it was checked, the task's own first, if the job requests an
    # inspection and the candidate passed.
    sweep: list[TimedSize] = schema.capped(max_items=MAX_SIZES, default_factory=list)
    # The verdict and speedup of KernelBench's own protocol.
    kernelbench: KernelBench | None = None
    # Properties of the task: does its output depend on its inputs, does a constant pass.
    admission: dict[str, Scalar] = schema.capped(max_items=60, max_chars=500, default_factory=dict)
    profile: Profile = PROFILES["quick"]
    # kind ("cpu" or "cuda") and name at least; empty if no device was reached.
    device: dict[str, Scalar] = schema.capped(max_items=40, max_chars=200, default_factory=dict)
    # engine, torch, python, and cuda, driver, nvcc, gcc if present.
    versions: dict[str, str] = schema.capped(max_items=40, max_chars=200, default_factory=dict)
    # Seconds by stage; "total" is the wall time of the job without the wait for the device.
    seconds: dict[str, float] = schema.capped(max_items=40, default_factory=dict)
    # ISO 8601, UTC.
    started_at: str = schema.capped(max_chars=40, default="")
    # "bwrap" or "none", which gives the candidate access to the machine.
    sandbox: str = schema.capped(max_chars=20, default="bwrap")

    def __post_init__(self) -> None:
        """Reject impossible combinations, such as a pass without evidence or a time without a pass."""
        rejected = [finding.code for finding in self.findings if finding.severity is Severity.REJECT]
        if self.outcome is Outcome.PASSED:
            self._check_pass(rejected)
        elif self.timing is not None and self.outcome is not Outcome.CHEATED:
            raise ContractError(
                "report.timing needs outcome passed (or cheated, where the clock is the evidence)"
            )
        if self.outcome in (Outcome.CHEATED, Outcome.BROKEN_PROMISE) and not rejected:
            raise ContractError(f"report.outcome {self.outcome} needs a finding of severity reject")
        if any(value < 0 for value in self.seconds.values()):
            raise ContractError("report.seconds must not be negative")
        _check_utc(self.started_at)

    def _check_pass(self, rejected: list[str]) -> None:
        if self.correctness is None or self.correctness.compared < 1:
            raise ContractError("report.outcome passed needs correctness with at least one comparison")
        if self.correctness.mismatches:
            raise ContractError("report.outcome passed cannot have mismatches")
        if rejected:
            raise ContractError(f"report.outcome passed cannot have a reject finding: {rejected[0]}")

    @classmethod
    def from_dict(cls, data: Any) -> Report:
        """Read a report that was made on another machine."""
        if isinstance(data, dict) and isinstance(data.get("profile"), str):
            data = data | {"profile": schema.to_json(Profile.from_value(data["profile"]))}
        return schema.read(cls, data, "report")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        form: dict[str, Any] = schema.to_json(self)
        return form


def _check_utc(text: str) -> None:
    if not text:
        return
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ContractError("report.started_at must be an ISO 8601 time") from None
    if moment.tzinfo is None:
        raise ContractError("report.started_at must carry its zone (UTC)")
