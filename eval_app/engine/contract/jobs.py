"""Jobs in, reports out. Reading either from JSON validates it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.configs import TaskConfig, read_configs
from eval_app.engine.contract.evidence import BuildInfo, Correctness, KernelBench, Timing
from eval_app.engine.contract.profiles import PROFILES, Profile
from eval_app.engine.contract.schema import ContractError, Scalar
from eval_app.engine.inspect.found import Inspection, ProfileTrace

MAX_PROGRAM_CHARS = 1_000_000


class Outcome(StrEnum):
    """What a verification found; never merged, so that a reader knows whose fault it was."""

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
    CHEATED = "cheated"
    INVALID_REFERENCE = "invalid_reference"
    UNSUPPORTED = "unsupported"
    INFRA_ERROR = "infra_error"


class Severity(StrEnum):
    """What a finding does: refuses the kernel, asks a person to look, or tells."""

    REJECT = "reject"
    AUDIT = "audit"
    LABEL = "label"


class Language(StrEnum):
    """What a candidate is written in; `auto` is found out by reading it."""

    AUTO = "auto"
    CUDA = "cuda"
    CPP = "cpp"
    TRITON = "triton"
    PYTHON = "python"


@dataclass(frozen=True)
class Finding:
    """Something that a check noticed, with evidence a person can read."""

    code: str = schema.capped(max_chars=60)
    severity: Severity = schema.capped()
    detail: str = schema.capped(max_chars=2_000)


@dataclass(frozen=True)
class Job:
    """One candidate to hold against its reference."""

    id: str
    reference: str
    candidate: str
    language: Language = Language.AUTO
    profile: Profile = PROFILES["quick"]
    # Whether its machine code, its counters and its memory accesses are wanted too.
    inspect: bool = False
    # Other arguments that the task is declared for, besides its own: a candidate must be right on each.
    configs: list[TaskConfig] = field(default_factory=list)
    # Whether gradients of inputs and parameters are compared too.
    backward: bool = False

    @classmethod
    def from_dict(cls, data: Any, default_profile: Any = "quick") -> Job:
        """Read one job from JSON; a job without a profile gets `default_profile`."""
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
        """What the judge is told of the task besides its program, in JSON."""
        return {"configs": schema.to_json(self.configs), "backward": self.backward}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
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
    """What one run of one job on one device found, and the evidence."""

    id: str = schema.capped(max_chars=200)
    outcome: Outcome = schema.capped()
    # One or two sentences for a person.
    detail: str = schema.capped(max_chars=8_000, default="")
    findings: list[Finding] = schema.capped(max_items=100, default_factory=list)
    build: BuildInfo | None = None
    correctness: Correctness | None = None
    timing: Timing | None = None
    # The kernels that a call ran, where the profile asks.
    profile_trace: ProfileTrace | None = None
    # What is behind the candidate, where the job asks.
    inspection: Inspection | None = None
    # What KernelBench's own protocol would have said.
    kernelbench: KernelBench | None = None
    # What the task itself is worth: does its output move, can a constant pass.
    admission: dict[str, Scalar] = schema.capped(max_items=60, max_chars=500, default_factory=dict)
    profile: Profile = PROFILES["quick"]
    # kind ("cpu" or "cuda") and name at least; empty where no device was reached.
    device: dict[str, Scalar] = schema.capped(max_items=40, max_chars=200, default_factory=dict)
    # engine, torch, python, and cuda, driver, nvcc, gcc where they were found.
    versions: dict[str, str] = schema.capped(max_items=40, max_chars=200, default_factory=dict)
    # Seconds by stage; "total" is the wall time of the job, waiting for the device excluded.
    seconds: dict[str, float] = schema.capped(max_items=40, default_factory=dict)
    # ISO 8601, UTC.
    started_at: str = schema.capped(max_chars=40, default="")
    # "bwrap" or "none": whether the candidate could reach the machine.
    sandbox: str = schema.capped(max_chars=20, default="bwrap")

    def __post_init__(self) -> None:
        """Refuse what cannot be: a pass without evidence, a time without a pass."""
        rejected = [finding.code for finding in self.findings if finding.severity is Severity.REJECT]
        if self.outcome is Outcome.PASSED:
            self._check_pass(rejected)
        elif self.timing is not None and self.outcome is not Outcome.CHEATED:
            raise ContractError(
                "report.timing needs outcome passed (or cheated, where the clock is the evidence)"
            )
        if self.outcome is Outcome.CHEATED and not rejected:
            raise ContractError("report.outcome cheated needs a finding of severity reject")
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
        """Read a report that came from another machine."""
        if isinstance(data, dict) and isinstance(data.get("profile"), str):
            data = data | {"profile": schema.to_json(Profile.from_value(data["profile"]))}
        return schema.read(cls, data, "report")

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
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
