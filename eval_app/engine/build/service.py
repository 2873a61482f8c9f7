"""The build service: a request in, the path of a built module out; the same request is built once."""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from . import slots
from .cache import Cache, Entry
from .plan import FULL, SLIM, Compile, Plan
from .processes import Finished, limited, run
from .request import BuildRefusedError, BuildRequest
from .slots import CancelledError, Slots
from .toolchain import Toolchain

DEFAULT_CACHE_BYTES = 4 * 1024**3
REMEMBERED_FAILURES = 500

Kind = Literal["built", "error", "refused", "timeout", "cancelled"]


class Wrap(Protocol):
    """Puts a command into a sandbox that may write `binds_rw` and read `binds_ro`."""

    def __call__(self, argv: Sequence[str], binds_rw: Sequence[str], binds_ro: Sequence[str]) -> list[str]:
        """The command to start instead."""


@dataclass(frozen=True)
class BuildResult:
    """How one request ended."""

    kind: Kind
    module_path: Path | None = None  # set if and only if kind is "built"
    tier: str = ""  # "slim", or "full" if any file needed all of torch's headers
    seconds: float = 0.0  # of compiling and linking, waiting for room excluded; of the first build if cached
    cached: bool = False
    log: str = ""  # what the compilers said, capped
    error: str = ""  # one sentence, set unless kind is "built"
    waited_s: float = 0.0  # for a free core, or for another asker's build of the same

    def __post_init__(self) -> None:
        if (self.kind == "built") != (self.module_path is not None) or (self.kind == "built") == bool(
            self.error
        ):
            raise ValueError("a build either has a module or an error")


@dataclass
class _Progress:
    """What one build has spent and said so far."""

    budget_s: float
    cancelled: Callable[[], bool]
    spent_s: float = 0.0
    tier: str = SLIM
    log: list[str] = field(default_factory=list)


class _FailedError(Exception):
    def __init__(self, kind: Kind, error: str, *, lasting: bool = False) -> None:
        super().__init__(error)
        self.kind, self.error, self.lasting = kind, error, lasting


class BuildService:
    """Builds requests in parallel within the machine's cores and memory. Thread-safe."""

    def __init__(
        self,
        cache_dir: Path,
        toolchain: Toolchain,
        *,
        wrap: Wrap,
        jobs: int | None = None,
        memory_mb: int | None = None,
        environment: Mapping[str, str] | None = None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        grace_s: float = 900.0,
    ) -> None:
        """`environment` is the compilers' whole environment;

        `jobs` and `memory_mb` default to what is free now.
        """
        self.toolchain = toolchain
        self._cache = Cache(cache_dir.resolve(), cache_bytes, grace_s)
        self._wrap = wrap
        self._slots = Slots(jobs or slots.cores(), memory_mb or slots.memory_mb())
        self._environment = dict(environment or {"PATH": os.defpath, "LANG": "C.UTF-8"})
        self._failures: OrderedDict[str, BuildResult] = OrderedDict()
        self._failures_lock = threading.Lock()

    def lookup(self, request: BuildRequest) -> Path | None:
        """The module of a request if it is built already."""
        entry = self._cache.find(request.key(self.toolchain.fingerprint))
        return None if entry is None else entry.module_path

    def build(
        self, request: BuildRequest, timeout_s: float, cancelled: Callable[[], bool] = lambda: False
    ) -> BuildResult:
        """Build a request, or take it from the cache. Never raises for what a request holds.

        `timeout_s` counts the compilers' own time, not the wait for a free core. A compile error is
        remembered and not tried again; a timeout or a cancelled build is.
        """
        key = request.key(self.toolchain.fingerprint)
        started = time.monotonic()
        try:
            with self._cache.lock(key, cancelled):
                return self._known(key) or self._build(key, request, _Progress(timeout_s, cancelled), started)
        except CancelledError:
            waited_s = time.monotonic() - started
            return BuildResult(
                "cancelled", error="the build was cancelled while it waited", waited_s=waited_s
            )

    def _known(self, key: str) -> BuildResult | None:
        entry = self._cache.find(key)
        if entry is not None:
            return _result_of(entry, cached=True)
        with self._failures_lock:
            return self._failures.get(key)

    def _build(self, key: str, request: BuildRequest, progress: _Progress, started: float) -> BuildResult:
        try:
            with self._cache.workspace(key) as folder:
                module = self._make(Plan(request, self.toolchain, folder), progress)
                entry = self._cache.put(key, module, progress.tier, progress.spent_s, _joined(progress))
        except BuildRefusedError as refusal:
            return self._remember(key, BuildResult("refused", error=str(refusal)))
        except _FailedError as failure:
            result = BuildResult(
                failure.kind,
                tier=progress.tier,
                seconds=progress.spent_s,
                log=_joined(progress),
                error=failure.error,
            )
            return self._remember(key, result) if failure.lasting else result
        waited_s = max(0.0, time.monotonic() - started - progress.spent_s)
        return _result_of(entry, cached=False, waited_s=waited_s)

    def _remember(self, key: str, result: BuildResult) -> BuildResult:
        with self._failures_lock:
            self._failures[key] = result
            while len(self._failures) > REMEMBERED_FAILURES:
                self._failures.popitem(last=False)
        return result

    def _make(self, plan: Plan, progress: _Progress) -> Path:
        """Every file in its cheapest tier that compiles, then the link."""
        plan.write_headers()
        names = plan.unit_names()
        objects: dict[str, Path] = {}
        for tier in (SLIM, FULL):
            steps = [
                plan.compile(name, tier) for name in names if name not in objects and tier in plan.tiers(name)
            ]
            progress.tier = tier if steps else progress.tier
            failed = self._compile_all(plan, steps, progress, objects)
        if failed:
            raise _FailedError("error", _compiler_failed(failed), lasting=_is_lasting(failed))
        self._link(plan, [objects[name] for name in names], progress)
        return plan.module_path

    def _compile_all(
        self, plan: Plan, steps: list[Compile], progress: _Progress, objects: dict[str, Path]
    ) -> dict[str, Finished]:
        """Compile files side by side; fills `objects`, returns those that failed."""
        if not steps:
            return {}
        for step in steps:
            plan.write(step)
        with ThreadPoolExecutor(len(steps)) as pool:
            finished = list(pool.map(lambda step: self._run(plan, step.argv, step.peak_mb, progress), steps))
        progress.spent_s += max(done.seconds for done in finished)
        failed = {}
        for step, done in zip(steps, finished, strict=True):
            if done.ok and step.object_path.is_file():
                objects[step.unit.filename] = step.object_path
            else:
                failed[step.unit.filename] = done
            progress.log.append(
                f"== {step.unit.filename} ({step.tier}): {done.seconds:.1f} s\n{done.log}".rstrip()
            )
        return failed

    def _link(self, plan: Plan, objects: list[Path], progress: _Progress) -> None:
        done = self._run(plan, plan.link(objects), 500, progress)
        progress.spent_s += done.seconds
        progress.log.append(f"== link: {done.seconds:.1f} s\n{done.log}".rstrip())
        if not done.ok or not plan.module_path.is_file():
            raise _FailedError("error", _compiler_failed({"link": done}), lasting=_is_lasting({"link": done}))

    def _run(self, plan: Plan, argv: Sequence[str], peak_mb: int, progress: _Progress) -> Finished:
        folder = str(plan.folder)
        command = self._wrap(limited(argv, folder), [folder], list(self.toolchain.roots))
        try:
            with self._slots.take(peak_mb, progress.cancelled):
                left_s = progress.budget_s - progress.spent_s
                done = run(command, env=self._environment, timeout_s=left_s, cancelled=progress.cancelled)
        except CancelledError:
            raise _FailedError(
                "cancelled", "the build was cancelled while it waited for a free core"
            ) from None
        if done.reason == "timeout":
            progress.log.append(done.log)
            raise _FailedError(
                "timeout", f"the build took longer than {progress.budget_s:.0f} s and was killed"
            )
        if done.reason == "cancelled":
            raise _FailedError("cancelled", "the build was cancelled")
        return done


def _compiler_failed(failed: Mapping[str, Finished]) -> str:
    parts = []
    for name, done in failed.items():
        status = done.returncode if done.returncode is not None else -1
        killed = status < 0 or status >= 128
        parts.append(f"{name}: killed (out of memory?)" if killed else f"{name}: exit status {status}")
    return f"the compiler failed on {'; '.join(parts)}"


def _is_lasting(failed: Mapping[str, Finished]) -> bool:
    """A compiler that said no will say no again; one that was killed may not."""
    return all(done.returncode is not None and 0 <= done.returncode < 128 for done in failed.values())


def _joined(progress: _Progress) -> str:
    return "\n".join(progress.log)[-20_000:]


def _result_of(entry: Entry, *, cached: bool, waited_s: float = 0.0) -> BuildResult:
    return BuildResult(
        "built", entry.module_path, entry.tier, entry.seconds, cached=cached, log=entry.log, waited_s=waited_s
    )
