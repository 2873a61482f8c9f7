"""Built modules on disk, by content address: written whole or not at all, the longest unused thrown out.

`objects/ab/abcd.../` holds a module and what is known of its build, or why a compiler refuses it; `work/`
holds builds under way, each locked by the process that runs it, so that what a killed one left behind is
told from what is alive; `locks/` has one file a key. The kernel releases a lock when its owner dies:
nothing that is left over can make a later build wait.
"""

import errno
import fcntl
import json
import os
import shutil
import stat
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eval_app.engine.contract.version import ENGINE_VERSION

from .slots import CancelledError

MAX_MODULE_BYTES = 512 * 1024 * 1024
_POLL_S = 0.05
_FACTS = "build.json"
_KEPT = {"tier", "seconds", "log"}


class ModuleRefusedError(ValueError):
    """What the linker left is not taken into the cache; the message says why."""


@dataclass(frozen=True)
class Entry:
    """One built module."""

    module_path: Path
    tier: str
    seconds: float  # that its build took, waiting excluded
    log: str


@dataclass(frozen=True)
class Failure:
    """One build that the compilers refused, and would refuse again."""

    error: str  # one sentence
    tier: str
    seconds: float
    log: str


def objects_folder(folder: Path) -> Path:
    """Where the modules of a cache in `folder` lie, made if need be. The rest of `folder` is nobody else's business."""
    return _open_to_all(folder / "objects")


def _open_to_all(folder: Path) -> Path:
    """A sandbox reads modules as another account: a strict umask or a private folder above must not keep it out."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o055 != 0o055:
        folder.chmod(0o755)
    return folder


class Cache:
    """The folder of built modules. Safe for many threads and processes at once."""

    def __init__(self, folder: Path, max_bytes: int, grace_s: float) -> None:
        """Entries used within `grace_s` seconds stay even when over `max_bytes`: a runner may be at them."""
        self._folder, self._max_bytes, self._grace_s = folder, max_bytes, grace_s
        objects_folder(folder)
        for name in ("work", "locks"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self.sweep()

    def find(self, key: str) -> Entry | None:
        """The module of a key, marked as used now."""
        facts = self._facts(key)
        if "module" not in facts:
            return None
        module = self._entry_folder(key) / facts["module"]
        return Entry(module, facts["tier"], facts["seconds"], facts["log"]) if module.is_file() else None

    def find_failure(self, key: str) -> Failure | None:
        """Why a key cannot be built, marked as used now. Another engine version may know how to: it tries again."""
        facts = self._facts(key)
        if facts.get("engine") != ENGINE_VERSION or "error" not in facts:
            return None
        return Failure(facts["error"], facts["tier"], facts["seconds"], facts["log"])

    def _facts(self, key: str) -> dict[str, Any]:
        folder = self._entry_folder(key)
        try:
            facts = json.loads((folder / _FACTS).read_text("utf-8"))
            os.utime(folder)
        except (OSError, ValueError):
            return {}
        return facts if isinstance(facts, dict) and set(facts) >= _KEPT else {}

    def put(self, key: str, module: Path, tier: str, seconds: float, log: str) -> Entry:
        """Keep a module that a compiler wrote. It is copied, since its folder was in the compiler's hands."""
        facts = {"module": module.name, "tier": tier, "seconds": seconds, "log": log}
        with self._draft(key, facts) as draft:
            _copy_regular(module, draft / module.name)
        self.evict()
        entry = self.find(key)
        assert entry is not None
        return entry

    def put_failure(self, key: str, failure: Failure) -> None:
        """Keep why a build failed, so that no later run spends a compiler's minute to hear it again."""
        with self._draft(key, asdict(failure) | {"engine": ENGINE_VERSION}):
            pass
        self.evict()

    @contextmanager
    def _draft(self, key: str, facts: dict[str, Any]) -> Iterator[Path]:
        """A folder to fill that becomes the key's entry in one step."""
        draft = self._folder / "objects" / f".draft-{uuid.uuid4().hex}"
        _open_to_all(draft)
        try:
            yield draft
            (draft / _FACTS).write_text(json.dumps(facts), "utf-8")
            self._publish(draft, self._entry_folder(key))
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def _publish(self, draft: Path, target: Path) -> None:
        _open_to_all(target.parent)
        try:
            draft.rename(target)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            self._discard(target)  # a damaged entry, or the same module from another process
            draft.rename(target)

    @contextmanager
    def lock(self, key: str, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Hold a key against other threads and processes. Raises CancelledError while waiting."""
        with open(self._folder / "locks" / key, "w") as file:
            while not _try_lock(file.fileno()):
                if cancelled():
                    raise CancelledError
                time.sleep(_POLL_S)
            yield

    @contextmanager
    def workspace(self, key: str) -> Iterator[Path]:
        """A fresh folder for one build, gone afterwards. Another process sees that it is in use."""
        folder = self._folder / "work" / f"{key[:16]}-{uuid.uuid4().hex[:12]}"
        folder.mkdir(mode=0o755)
        with open(folder.with_suffix(".lock"), "w") as file:
            _try_lock(file.fileno())
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
                Path(file.name).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove what killed builds left behind: folders whose lock nobody holds."""
        for lock in (self._folder / "work").glob("*.lock"):
            with open(lock, "a") as file:
                if _try_lock(file.fileno()):
                    shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
                    lock.unlink(missing_ok=True)
        self._sweep_old(self._folder / "locks", lambda path: path.is_file())
        self._sweep_old(self._folder / "objects", lambda path: path.name.startswith("."))

    def _sweep_old(self, folder: Path, wanted: Callable[[Path], bool]) -> None:
        day_ago = time.time() - 86_400
        for path in folder.iterdir():
            if wanted(path) and path.stat().st_mtime < day_ago:
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def evict(self) -> None:
        """Throw out entries, the longest unused first, until the rest fits."""
        with open(self._folder / "evict.lock", "w") as file:
            if not _try_lock(file.fileno()):
                return  # another process is at it
            entries = sorted(self._entries())
            total = sum(size_bytes for _, size_bytes, _ in entries)
            now = time.time()
            for used_at, size_bytes, folder in entries:
                if total <= self._max_bytes or now - used_at < self._grace_s:
                    return
                self._discard(folder)
                total -= size_bytes

    def size_bytes(self) -> int:
        """What all entries take on disk."""
        return sum(size_bytes for _, size_bytes, _ in self._entries())

    def _entries(self) -> Iterator[tuple[float, int, Path]]:
        for folder in (self._folder / "objects").glob("[0-9a-f][0-9a-f]/*"):
            try:
                size_bytes = sum(path.stat().st_size for path in folder.iterdir())
                yield folder.stat().st_mtime, size_bytes, folder
            except FileNotFoundError:
                continue  # thrown out by another process meanwhile

    def _discard(self, folder: Path) -> None:
        aside = self._folder / "objects" / f".gone-{uuid.uuid4().hex}"
        try:
            folder.rename(aside)
        except FileNotFoundError:
            return
        shutil.rmtree(aside, ignore_errors=True)

    def _entry_folder(self, key: str) -> Path:
        return self._folder / "objects" / key[:2] / key


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _copy_regular(source: Path, target: Path) -> None:
    """Copy a plain file of bounded size; a link or a device in its place is refused."""
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise ModuleRefusedError(f"the linker's output cannot be read: {error.strerror}") from error
    with open(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_MODULE_BYTES:
            raise ModuleRefusedError(
                f"the linker's output is no plain file of at most {MAX_MODULE_BYTES:,} bytes"
            )
        with open(target, "xb") as written:
            shutil.copyfileobj(opened, written, 1024 * 1024)
    target.chmod(0o644)
