"""The build service: a request in, the path of a built module out; the same request is built once."""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from . import slots
from .cache import Cache, Entry, ModuleRefusedError
from .one import BuildFailedError, OneBuild, Wrap
from .plan import Plan
from .request import BuildRefusedError, BuildRequest
from .slots import CancelledError, Slots
from .toolchain import Toolchain

DEFAULT_CACHE_BYTES = 4 * 1024**3
REMEMBERED_FAILURES = 500

Kind = Literal["built", "error", "refused", "timeout", "cancelled"]


@dataclass(frozen=True)
class BuildResult:
    """How one request ended."""

    kind: Kind
    module_path: Path | None = None  # set if and only if kind is "built"
    tier: str = ""  # "slim", or "full" if any file needed all of torch's headers
    seconds: float = 0.0  # of compiling and linking, waiting for room excluded; of the first build if cached
    cached: bool = False  # taken from the cache, or a failure that is remembered
    log: str = ""  # what the compilers said, capped
    error: str = ""  # one sentence, set unless kind is "built"
    waited_s: float = 0.0  # for a free core, or for another asker's build of the same

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        built = self.kind == "built"
        if built != (self.module_path is not None) or built == bool(self.error):
            raise ValueError("a build either has a module or an error")


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
        """`environment` is the compilers' whole environment; `jobs` and `memory_mb` default to what is free.

        Entries used within the last `grace_s` seconds are never thrown out.
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
                result = self._known(key) or self._build(key, request, timeout_s, cancelled)
        except CancelledError:
            result = BuildResult("cancelled", error="the build was cancelled while it waited")
        spent_s = 0.0 if result.cached else result.seconds
        return replace(result, waited_s=max(0.0, time.monotonic() - started - spent_s))

    def _known(self, key: str) -> BuildResult | None:
        entry = self._cache.find(key)
        if entry is not None:
            return _built(entry, cached=True)
        with self._failures_lock:
            failure = self._failures.get(key)
        return None if failure is None else replace(failure, cached=True)

    def _build(
        self, key: str, request: BuildRequest, timeout_s: float, cancelled: Callable[[], bool]
    ) -> BuildResult:
        with self._cache.workspace(key) as folder:
            try:
                plan = Plan(request, self.toolchain, folder)
            except BuildRefusedError as refusal:
                return self._remember(key, BuildResult("refused", error=str(refusal)))
            build = OneBuild(
                plan, wrap=self._wrap, environment=self._environment, slots=self._slots,
                timeout_s=timeout_s, cancelled=cancelled,
            )  # fmt: skip
            try:
                module = build.make()
            except BuildFailedError as failure:
                result = BuildResult(
                    failure.kind, None, build.tier, build.seconds, log=build.log, error=str(failure)
                )
                return self._remember(key, result) if failure.lasting else result
            return self._keep(key, module, build)

    def _keep(self, key: str, module: Path, build: OneBuild) -> BuildResult:
        try:
            entry = self._cache.put(key, module, build.tier, build.seconds, build.log)
        except ModuleRefusedError as refusal:
            return BuildResult("error", tier=build.tier, seconds=build.seconds, error=str(refusal))
        return _built(entry, cached=False)

    def _remember(self, key: str, result: BuildResult) -> BuildResult:
        with self._failures_lock:
            self._failures[key] = result
            while len(self._failures) > REMEMBERED_FAILURES:
                self._failures.popitem(last=False)
        return result


def _built(entry: Entry, *, cached: bool) -> BuildResult:
    return BuildResult("built", entry.module_path, entry.tier, entry.seconds, cached=cached, log=entry.log)
