"""One build, from a plan to a module: each file in its cheapest tier that compiles, then the link."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from . import files
from .plan import FULL, SLIM, Plan
from .processes import Finished, limited, run
from .slots import CancelledError, Slots

FailureKind = Literal["error", "timeout", "cancelled"]

_LINK_PEAK_MB = 500
_LOG_CHARS = 20_000
# Time limits that all compilers of a build may take together, and all builds of a job.
LIMITS_TOGETHER = 4
# Of all files of a build, as many compilers at once as there are cores aside.
MAX_BUILD_BYTES = 2**30


class Wrap(Protocol):
    """Wraps a command in a sandbox that may write `binds_rw`, also within a folder of `binds_ro`, which it reads."""

    def __call__(self, argv: Sequence[str], binds_rw: Sequence[str], binds_ro: Sequence[str]) -> list[str]:
        """Return the command to start instead."""


class BuildFailedError(Exception):
    """The build produced no module. `lasting` means that a retry would fail in the same way."""

    def __init__(self, kind: FailureKind, message: str, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.kind, self.lasting = kind, lasting


@dataclass
class _Step:
    """Result of compiling one file."""

    name: str
    tier: str = ""
    object_path: Path | None = None
    last: Finished | None = None
    seconds: float = 0.0
    log: list[str] = field(default_factory=list)


class Compilation:
    """Runs one plan. `seconds`, `tier` and `log` describe it, whether or not there is a module."""

    def __init__(
        self,
        plan: Plan,
        *,
        wrap: Wrap,
        environment: Mapping[str, str],
        slots: Slots,
        timeout_s: float,
        cancelled: Callable[[], bool],
    ) -> None:
        """Store the plan; `timeout_s` limits the compilers' own time for each file, and four times that for all files;
        `cancelled` is polled ten times per second."""
        self._plan, self._wrap, self._environment, self._slots = plan, wrap, environment, slots
        self._timeout_s, self._cancelled = timeout_s, cancelled
        self._given_up = threading.Event()  # one file failed: the others are abandoned
        self._too_large = False
        self._spent_s: list[float] = []  # by each compiler that has ended
        self._log: list[str] = []
        self.seconds = 0.0  # wall time; parallel compilers counted once, without waiting for room
        self.tier = SLIM  # FULL as soon as one file needed it

    @property
    def log(self) -> str:
        """Return the compilers' output without the name of the build's folder."""
        return "\n".join(self._log).replace(f"{self._plan.folder}/", "")[-_LOG_CHARS:]

    def make(self) -> Path:
        """Compile and link; return the module's path. Raises BuildFailedError."""
        self._plan.write_headers()
        names = self._plan.unit_names()
        with ThreadPoolExecutor(len(names)) as pool:
            steps = list(pool.map(self._compile, names))
        self.seconds = max(step.seconds for step in steps)
        self.tier = FULL if any(step.tier == FULL for step in steps) else SLIM
        self._log += [line for step in steps for line in step.log]
        self._check(steps)
        return self._link([step.object_path for step in steps if step.object_path])

    def _compile(self, name: str) -> _Step:
        step = _Step(name)
        for tier in self._plan.tiers(name):
            step.tier = tier
            compile_ = self._plan.compile(name, tier)
            self._plan.write(compile_)
            command = self._run(compile_.argv, compile_.peak_mb, step.seconds)
            step.last = command
            step.seconds += command.seconds
            step.log.append(f"== {name} ({tier}): {command.seconds:.1f} s\n{command.log}".rstrip())
            if self._takes_too_much():
                break
            if command.ok and compile_.object_path.is_file():
                step.object_path = compile_.object_path
                return step
            if command.reason != "exited":
                break
        self._given_up.set()
        return step

    def _takes_too_much(self) -> bool:
        """Return whether the build's files take more of the disk than any may; stay so from then on."""
        self._too_large |= files.size_bytes(self._plan.folder) > MAX_BUILD_BYTES
        return self._too_large

    def _check(self, steps: list[_Step]) -> None:
        """Raise the first reason that prevents a module."""
        if self._too_large:
            text = f"the build's files take more than {MAX_BUILD_BYTES:,} bytes"
            raise BuildFailedError("error", text, lasting=True)
        if self._cancelled():
            raise BuildFailedError("cancelled", "the build was cancelled")
        failed = [step for step in steps if step.object_path is None and step.last is not None]
        if any(step.last and step.last.reason == "timeout" for step in failed):
            raise self._timeout()
        errors = {step.name: step.last for step in failed if step.last and step.last.reason == "exited"}
        if errors:
            raise _failed(errors)

    def _link(self, objects: list[Path]) -> Path:
        command = self._run(self._plan.link(objects), _LINK_PEAK_MB, self.seconds)
        self.seconds += command.seconds
        self._log.append(f"== link: {command.seconds:.1f} s\n{command.log}".rstrip())
        if command.reason == "timeout":
            raise self._timeout()
        if command.reason == "cancelled":
            raise BuildFailedError("cancelled", "the build was cancelled")
        if not command.ok or not self._plan.module_path.is_file():
            raise _failed({"link": command})
        return self._plan.module_path

    def _run(self, argv: Sequence[str], peak_mb: int, spent_s: float) -> Finished:
        output = str(self._plan.output)
        readable = [str(self._plan.folder), *self._plan.toolchain.roots]
        command = self._wrap(limited(argv, output), [output], readable)
        try:
            with self._slots.take(peak_mb, self._unwanted):
                left_s = min(self._timeout_s - spent_s, LIMITS_TOGETHER * self._timeout_s - sum(self._spent_s))
                done = run(command, env=self._environment, timeout_s=left_s, cancelled=self._unwanted)
        except CancelledError:
            return Finished(None, "cancelled", "", 0.0)
        self._spent_s.append(done.seconds)
        return done

    def _unwanted(self) -> bool:
        return self._given_up.is_set() or self._cancelled()

    def _timeout(self) -> BuildFailedError:
        message = (
            f"the build took longer than {self._timeout_s:g} s, or all of its compilers together longer than "
            f"{LIMITS_TOGETHER * self._timeout_s:g} s, and was killed"
        )
        return BuildFailedError("timeout", message)


def _failed(errors: Mapping[str, Finished]) -> BuildFailedError:
    parts = [f"{name}: {_how(command)}" for name, command in errors.items()]
    lasting = not any(_was_killed(command) or command.short_of for command in errors.values())
    return BuildFailedError("error", f"the compiler failed on {'; '.join(parts)}", lasting=lasting)


def _how(command: Finished) -> str:
    if _was_killed(command):
        return "killed (out of memory?)"
    return (
        f"the machine ran out of resources: {command.short_of}"
        if command.short_of
        else f"exit status {command.returncode}"
    )


def _was_killed(command: Finished) -> bool:
    """Return whether the compiler was killed: a retry may then succeed, unlike after a plain error."""
    return command.returncode is None or not 0 <= command.returncode < 128
