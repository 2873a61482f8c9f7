"""Baselines besides eager: measured once per task, device and versions, stored on disk, and reused.

A stored result includes eager's median at that time. A later job always measures eager again together with
its candidate; the stored times are scaled by the ratio of the two medians, and measured again if that ratio
is off by more than a few percent, because then the machine has changed.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.evidence import Spread
from eval_app.engine.contract.jobs import Job
from eval_app.engine.contract.schema import ContractError
from eval_app.engine.orchestrator import single_query
from eval_app.engine.sandbox.zygote_host import ZygoteHost

MODES = ("compile", "max-autotune", "cudagraph")
# Incremented when the measurement changes, which invalidates stored results.
_PROTOCOL = "1"
# Tolerated change of eager's median; a host's processors are shared, a GPU is not.
_MOVED = {"cuda": 0.05, "cpu": 0.25}
# Minimum time limit for compiling on a CPU, since the host may be busy.
_CPU_COMPILE_S = 120.0
_MAX_FILES = 50_000
_MAX_FILE_BYTES = 200_000
_VERSIONS = ("torch", "cuda", "driver", "python", "gcc")


@dataclass
class Baselines:
    """Baselines of a report's timing: spreads by mode, reasons for missing ones, and which are from an earlier run."""

    spreads: dict[str, Spread] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    reused: list[str] = field(default_factory=list)


class BaselineStore:
    """Stored results, one file each. Unreadable ones count as absent."""

    def __init__(self, folder: Path, device: dict[str, Any], versions: dict[str, str]) -> None:
        """Store the key of this machine; `folder` is created with the first result."""
        self._folder = folder
        parts = [_PROTOCOL, str(device.get("name", "")), *(versions.get(name, "") for name in _VERSIONS)]
        self._machine = "\n".join(parts)

    def path(self, *what: str) -> Path:
        """Return the file for `what`."""
        digest = hashlib.sha256("\n".join([self._machine, *what]).encode("utf-8", "replace")).hexdigest()
        return self._folder / digest[:2] / f"{digest}.json"

    def find(self, *what: str) -> dict[str, Any] | None:
        """Return the stored result for `what`, if any."""
        path = self.path(*what)
        try:
            if path.stat().st_size > _MAX_FILE_BYTES:
                return None
            data = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return data if isinstance(data, dict) else None

    def keep(self, answer: dict[str, Any], *what: str) -> None:
        """Write a result atomically; delete the oldest if there are too many."""
        path = self.path(*what)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{uuid.uuid4().hex}.tmp")
        draft.write_text(json.dumps(answer), "utf-8")
        draft.replace(path)
        if int(path.stem[:4], 16) % 64 == 0:
            self._prune()

    def _prune(self) -> None:
        files = sorted(self._folder.glob("*/*.json"), key=lambda path: path.stat().st_mtime)
        for path in files[: max(0, len(files) - _MAX_FILES)]:
            path.unlink(missing_ok=True)


def gather(
    job: Job, judge: ZygoteHost, eager_ms: float, store: BaselineStore, cancelled: Callable[[], bool]
) -> Baselines:
    """Return all baselines that the job's profile requests. The caller holds the lane. Raises HostLostError
    if the zygote breaks."""
    baselines = Baselines()
    for mode in job.profile.baselines:
        why_not = _never(mode, judge.device, job.profile.baseline_timeout_s)
        if why_not:
            baselines.missing[mode] = why_not
            continue
        answer = store.find("baseline", mode, job.reference)
        if answer is not None and _holds(answer, eager_ms, judge.device, job.profile.baseline_timeout_s):
            baselines.reused += [mode] if "mode" in answer else []
        else:
            answer = _measure(mode, job, judge, cancelled)
            if not cancelled():
                store.keep(answer, "baseline", mode, job.reference)
        _take(baselines, mode, answer, eager_ms)
    return baselines


def _never(mode: str, device: str, timeout_s: float) -> str:
    """Return why a mode is not supported here; empty if it is."""
    if mode not in MODES:
        return f"unknown mode; the modes are {', '.join(MODES)}"
    if device == "cpu" and mode == "cudagraph":
        return "a CPU has no CUDA graphs"
    if device == "cpu" and timeout_s < _CPU_COMPILE_S:
        return f"on a CPU it is measured only with a baseline_timeout_s of at least {_CPU_COMPILE_S:g} (thorough)"
    return ""


def _holds(answer: dict[str, Any], eager_ms: float, device: str, timeout_s: float) -> bool:
    """Return whether a stored result is valid: eager has not changed, or a failed mode has no more time now
    than then."""
    try:
        if "mode" in answer:
            return abs(eager_ms / float(answer["eager"]["median_ms"]) - 1) <= _MOVED[device]
        return float(answer.get("within_s", timeout_s)) >= timeout_s
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return False


def _measure(mode: str, job: Job, judge: ZygoteHost, cancelled: Callable[[], bool]) -> dict[str, Any]:
    profile = job.profile
    order = {
        "query": "baseline", "mode": mode, "reference": job.reference, "profile": schema.to_json(profile),
    }  # fmt: skip
    try:
        answer = single_query.ask(judge, order, profile.baseline_timeout_s, profile.memory_bytes, cancelled)
        return _checked(answer)
    except single_query.NoAnswerError as error:
        return {"missing": str(error)[:300], "within_s": profile.baseline_timeout_s}
    except ContractError as error:
        return {"missing": f"the measuring process gave no valid answer: {error}"[:300]}


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    """Validate the answer of a judge, which ran imported code, before it is stored."""
    if "missing" in answer:
        text = "".join(char if char.isprintable() else " " for char in str(answer["missing"]))
        return {"missing": text[:300] or "no reason was given"}
    spreads = {name: schema.read(Spread, answer.get(name), name) for name in ("eager", "mode")}
    return {name: schema.to_json(spread) for name, spread in spreads.items()}


def _take(baselines: Baselines, mode: str, answer: dict[str, Any], eager_ms: float) -> None:
    if "mode" not in answer:
        baselines.missing[mode] = str(answer.get("missing", "not measured"))[:300]
        return
    try:
        spread = schema.read(Spread, answer["mode"], mode)
        baselines.spreads[mode] = _scaled(spread, eager_ms / float(answer["eager"]["median_ms"]))
    except (ContractError, KeyError, TypeError, ValueError, ZeroDivisionError):
        baselines.missing[mode] = "the stored result cannot be read"
        baselines.reused = [name for name in baselines.reused if name != mode]


def _scaled(spread: Spread, ratio: float) -> Spread:
    return Spread(
        spread.median_ms * ratio, spread.p10_ms * ratio, spread.p90_ms * ratio, spread.n,
        [sample * ratio for sample in spread.samples_ms],
    )  # fmt: skip
