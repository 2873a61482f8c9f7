"""Builds of one engine: what runners request is built outside the lane and found by the next attempt."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval_app.engine.build.cache import objects_folder
from eval_app.engine.build.compilation import LIMITS_TOGETHER
from eval_app.engine.build.request import BuildRefusedError, BuildRequest
from eval_app.engine.build.service import BuildResult, BuildService
from eval_app.engine.build.slots import Slots
from eval_app.engine.build.toolchain import Toolchain, find_toolchain
from eval_app.engine.contract.evidence import BuildInfo
from eval_app.engine.contract.jobs import Outcome
from eval_app.engine.contract.printable import printable
from eval_app.engine.sandbox import bubblewrap

_LOG_CHARS = 4_000


@dataclass
class JobBuilds:
    """Builds of one job: results by key, and the requests of those that the service took."""

    results: dict[str, BuildResult] = field(default_factory=dict)
    requests: dict[str, BuildRequest] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Return what compilers took for this job; builds that the cache had took nothing."""
        return sum(result.seconds for result in self.results.values() if not result.cached)

    def info(self) -> BuildInfo | None:
        """Return the report's summary; None if nothing was built."""
        if not self.results:
            return None
        results = list(self.results.values())
        tiers = [result.tier for result in results if result.tier]
        return BuildInfo(
            extensions=len(results),
            tier="full" if "full" in tiers else (tiers or ["none"])[0],
            seconds=self.seconds,
            cached=all(result.cached for result in results),
            log=printable("\n".join(result.log or result.error for result in results)[-_LOG_CHARS:], "\n\t"),
        )

    def failure(self) -> tuple[Outcome, str] | None:
        """Return the first failed build as an outcome and a message; None if there is none."""
        outcomes = {"timeout": Outcome.BUILD_TIMEOUT, "cancelled": Outcome.INFRA_ERROR}
        for result in self.results.values():
            if result.kind != "built":
                text = f"{result.error}\n{result.log[:_LOG_CHARS]}" if result.log else result.error
                return outcomes.get(result.kind, Outcome.BUILD_ERROR), printable(text, "\n\t")
        return None


class Builder:
    """The engine's build service, started on first use, so that jobs without extensions need no compilers."""

    def __init__(self, cache_dir: Path, room: Slots, sandbox_kind: str, arch: str) -> None:
        """Store the settings; `arch` is the device's compute capability such as "9.0", or empty."""
        self._cache_dir, self._room, self._kind, self._arch = cache_dir, room, sandbox_kind, arch
        self._objects = objects_folder(cache_dir)
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._service: BuildService | None = None

    @property
    def folder(self) -> str:
        """Return the folder of built modules, which the runner's sandbox shows."""
        return str(self._objects)

    def toolchain(self) -> Toolchain:
        """Return the compilers of this machine."""
        return self._ready().toolchain

    def stop(self) -> None:
        """Abandon a search for the compilers: it imports torch, and the engine's end must not wait for that."""
        self._stopped.set()

    def _ready(self) -> BuildService:
        with self._lock:
            if self._service is None:
                python = str(bubblewrap.python_path())
                toolchain = find_toolchain(
                    self._arch, python=python, cache_dir=self._cache_dir, cancelled=self._stopped.is_set
                )
                self._service = BuildService(
                    self._cache_dir, toolchain, wrap=self._wrap, room=self._room,
                    environment=bubblewrap.build_environment(self._kind),
                )  # fmt: skip
            return self._service

    def _wrap(self, argv: Any, binds_rw: Any, binds_ro: Any) -> list[str]:
        return bubblewrap.wrap_build(argv, binds_rw, binds_ro, kind=self._kind)

    def resolve(self, request: BuildRequest, job: JobBuilds) -> dict[str, Any]:
        """Answer a runner's request: a path, the message of a failure, or that it must be built first."""
        key = request.key(self._ready().toolchain.fingerprint)
        job.requests[key] = request
        failed = job.results.get(key)
        if failed is None or failed.kind == "built":
            result = self._ready().earlier_result(request)
            if result is None:
                return {"path": None}
            job.results.setdefault(key, result)
            if result.kind == "built":
                return {"path": str(result.module_path)}
            failed = result
        return {"path": None, "failed": (failed.error + "\n" + failed.log)[-_LOG_CHARS:]}

    def build(
        self, request: BuildRequest, job: JobBuilds, timeout_s: float, cancelled: Callable[[], bool]
    ) -> None:
        """Build a request and store the result with the job, for which too many long builds are a timeout."""
        if job.seconds > LIMITS_TOGETHER * timeout_s:
            text = f"the job's builds took {job.seconds:.0f} s together; one may take {timeout_s:g} s"
            job.results[repr(request.name)] = BuildResult("timeout", error=text)
            return
        service = self._ready()
        try:
            job.results[request.key(service.toolchain.fingerprint)] = service.build(
                request, timeout_s, cancelled
            )
        except BuildRefusedError as error:
            job.results[repr(request.name)] = BuildResult("refused", error=str(error))
