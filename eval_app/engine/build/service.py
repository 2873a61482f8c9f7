"""The build service: request in, path of a built module out; equal requests are built once."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from . import slots
from .cache import Cache, Entry, Failure, ModuleRefusedError
from .compilation import BuildFailedError, Compilation, Wrap
from .plan import Plan
from .request import BuildRefusedError, BuildRequest
from .slots import CancelledError, Slots
from .toolchain import Toolchain

DEFAULT_CACHE_BYTES = 4 * 1024**3

Kind = Literal["built", "error", "refused", "timeout", "cancelled"]


@dataclass(frozen=True)
class BuildResult:
    """Result of one request."""

    kind: Kind
    module_path: Path | None = None  # set if and only if kind is "built"
    tier: str = ""  # "slim", or "full" if any file needed all of torch's headers
    seconds: float = 0.0  # of compiling and linking, without waiting; of the first build if cached
    cached: bool = False  # taken from the cache, modules and failures alike
    log: str = ""  # the compilers' output, capped
    error: str = ""  # one sentence, set unless kind is "built"
    waited_s: float = 0.0  # for a free core, or for an equal request of another caller

    def __post_init__(self) -> None:
        """Reject impossible combinations."""
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
        room: Slots | None = None,
        environment: Mapping[str, str] | None = None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        grace_s: float = 900.0,
    ) -> None:
        """Open the cache. `environment` is the compilers' whole environment; `room` defaults to what the
        machine has free.

        Entries used within the last `grace_s` seconds are never evicted.
        """
        self.toolchain = toolchain
        self._cache = Cache(cache_dir.resolve(), cache_bytes, grace_s)
        self._wrap = wrap
        self._slots = room or slots.room()
        self._environment = dict(environment or {"PATH": os.defpath, "LANG": "C.UTF-8"})

    def lookup(self, request: BuildRequest) -> Path | None:
        """Return the module of a request if it is already built."""
        entry = self._cache.find(request.key(self.toolchain.fingerprint))
        return None if entry is None else entry.module_path

    def earlier_result(self, request: BuildRequest) -> BuildResult | None:
        """Return the earlier result of a request, in this process or another; None if it must be compiled."""
        return self._earlier_result(request.key(self.toolchain.fingerprint))

    def build(
        self, request: BuildRequest, timeout_s: float, cancelled: Callable[[], bool] = lambda: False
    ) -> BuildResult:
        """Build a request, or return it from the cache. Never raises for the contents of a request.

        `timeout_s` limits the compilers' own time, not the wait for a free core. A compile error is cached; a
        timeout, a cancelled build or one that ran out of memory or disk is tried again.
        """
        key = request.key(self.toolchain.fingerprint)
        started = time.monotonic()
        try:
            with self._cache.lock(key, cancelled):
                result = self._earlier_result(key) or self._build(key, request, timeout_s, cancelled)
        except CancelledError:
            result = BuildResult("cancelled", error="the build was cancelled while it waited")
        spent_s = 0.0 if result.cached else result.seconds
        return replace(result, waited_s=max(0.0, time.monotonic() - started - spent_s))

    def _earlier_result(self, key: str) -> BuildResult | None:
        entry = self._cache.find(key)
        if entry is not None:
            return _built(entry, cached=True)
        failure = self._cache.find_failure(key)
        return None if failure is None else BuildResult("error", cached=True, **asdict(failure))

    def _build(
        self, key: str, request: BuildRequest, timeout_s: float, cancelled: Callable[[], bool]
    ) -> BuildResult:
        with self._cache.workspace(key) as folder:
            try:
                plan = Plan(request, self.toolchain, folder)
            except BuildRefusedError as refusal:
                return BuildResult("refused", error=str(refusal))
            build = Compilation(
                plan, wrap=self._wrap, environment=self._environment, slots=self._slots,
                timeout_s=timeout_s, cancelled=cancelled,
            )  # fmt: skip
            try:
                module = build.make()
            except BuildFailedError as failed:
                failure = Failure(str(failed), build.tier, build.seconds, build.log)
                if failed.lasting:
                    self._cache.put_failure(key, failure)
                return BuildResult(failed.kind, **asdict(failure))
            return self._keep(key, module, build)

    def _keep(self, key: str, module: Path, build: Compilation) -> BuildResult:
        try:
            entry = self._cache.put(key, module, build.tier, build.seconds, build.log)
        except ModuleRefusedError as refusal:
            return BuildResult("error", tier=build.tier, seconds=build.seconds, error=str(refusal))
        return _built(entry, cached=False)


def _built(entry: Entry, *, cached: bool) -> BuildResult:
    return BuildResult("built", entry.module_path, entry.tier, entry.seconds, cached=cached, log=entry.log)
