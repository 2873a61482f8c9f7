"""Cache of built modules on disk, by content hash: written atomically, evicted by last use.

`objects/ab/abcd.../` holds a module with the facts of its build, or the compiler's error; `work/` holds
builds in progress, each locked by its process, so that remains of killed ones are recognised; `locks/` has
one file per key. The kernel releases a lock when its owner dies: no remains can block a later build.
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
from eval_app.engine.sandbox import scratch

from .slots import CancelledError

MAX_MODULE_BYTES = 512 * 1024 * 1024
# Beyond so many times its size even entries that may be in use are deleted: their job has them built again.
_OVERFULL = 2
_POLL_S = 0.05
_FACTS = "build.json"
# Of the folders above the modules: whoever knows a module's key, from its sources, reads it; nobody lists the others.
_PASSED_THROUGH = 0o711
_KEPT = {"tier", "seconds", "log"}


class ModuleRefusedError(ValueError):
    """The linker's output is not accepted into the cache; the message says why."""


@dataclass(frozen=True)
class Entry:
    """One built module."""

    module_path: Path
    tier: str
    seconds: float  # of its build, without waiting
    log: str


@dataclass(frozen=True)
class Failure:
    """A build that the compilers rejected, and would reject again."""

    error: str  # one sentence
    tier: str
    seconds: float
    log: str


def objects_folder(folder: Path) -> Path:
    """Return the folder of the modules of a cache in `folder`; create it if necessary. The rest of `folder`
    is private."""
    return _made(folder / "objects", _PASSED_THROUGH)


def _made(folder: Path, mode: int) -> Path:
    """Create a folder with this mode, whatever the umask: a sandbox reads modules as another user."""
    folder.mkdir(parents=True, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) != mode:
        folder.chmod(mode)
    return folder


class Cache:
    """The cache's folder. Safe for many threads and processes."""

    def __init__(self, folder: Path, max_bytes: int, grace_s: float) -> None:
        """Open the folder. Entries used within `grace_s` seconds stay even above `max_bytes`, up to twice that: a
        runner may be using them."""
        self._folder, self._max_bytes, self._grace_s = folder, max_bytes, grace_s
        objects_folder(folder)
        for name in ("work", "locks"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self.sweep()

    def find(self, key: str) -> Entry | None:
        """Return the module of a key and mark it as used."""
        facts = self._facts(key)
        if "module" not in facts:
            return None
        module = self._entry_folder(key) / facts["module"]
        return Entry(module, facts["tier"], facts["seconds"], facts["log"]) if module.is_file() else None

    def find_failure(self, key: str) -> Failure | None:
        """Return why a key cannot be built and mark it as used. Another engine version tries again."""
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
        """Store a compiler's module as a copy, since its folder was writable by the compiler."""
        facts = {"module": module.name, "tier": tier, "seconds": seconds, "log": log}
        with self._draft(key, facts) as draft:
            _copy_regular(module, draft / module.name)
        self.evict()
        entry = self.find(key)
        assert entry is not None
        return entry

    def put_failure(self, key: str, failure: Failure) -> None:
        """Store why a build failed, so that it is not compiled again."""
        with self._draft(key, asdict(failure) | {"engine": ENGINE_VERSION}):
            pass
        self.evict()

    @contextmanager
    def _draft(self, key: str, facts: dict[str, Any]) -> Iterator[Path]:
        """Yield a folder to fill, which then becomes the key's entry atomically."""
        draft = self._folder / "objects" / f".draft-{uuid.uuid4().hex}"
        _made(draft, 0o755)
        try:
            yield draft
            (draft / _FACTS).write_text(json.dumps(facts), "utf-8")
            self._publish(draft, self._entry_folder(key))
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def _publish(self, draft: Path, target: Path) -> None:
        _made(target.parent, _PASSED_THROUGH)
        try:
            draft.rename(target)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            self._discard(target)  # a damaged entry, or the same module from another process
            draft.rename(target)

    @contextmanager
    def lock(self, key: str, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Lock a key against other threads and processes. Raises CancelledError while waiting."""
        with open(self._folder / "locks" / key, "w") as file:
            while not _try_lock(file.fileno()):
                if cancelled():
                    raise CancelledError
                time.sleep(_POLL_S)
            yield

    @contextmanager
    def workspace(self, key: str) -> Iterator[Path]:
        """Yield a fresh folder for one build, deleted afterwards. Other processes see that it is in use."""
        folder = self._folder / "work" / f"{key[:16]}-{uuid.uuid4().hex[:12]}"
        _made(folder, 0o755)
        with open(folder.with_suffix(".lock"), "w") as file:
            _try_lock(file.fileno())
            try:
                yield folder
            finally:
                _delete(folder)
                Path(file.name).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove what killed builds left: folders whose lock nobody holds."""
        for lock in (self._folder / "work").glob("*.lock"):
            with open(lock, "a") as file:
                if _try_lock(file.fileno()):
                    _delete(lock.with_suffix(""))
                    lock.unlink(missing_ok=True)
        self._sweep_old(self._folder / "locks", lambda path: path.is_file())
        self._sweep_old(self._folder / "objects", lambda path: path.name.startswith("."))

    def _sweep_old(self, folder: Path, wanted: Callable[[Path], bool]) -> None:
        day_ago = time.time() - 86_400
        for path in folder.iterdir():
            if wanted(path) and path.lstat().st_mtime < day_ago:
                _delete(path) if path.is_dir() else path.unlink(missing_ok=True)

    def evict(self) -> None:
        """Delete entries, least recently used first, until the rest fits; the last one stays."""
        with open(self._folder / "evict.lock", "w") as file:
            if not _try_lock(file.fileno()):
                return  # another process is evicting
            entries = sorted(self._entries())
            total = sum(size_bytes for _, size_bytes, _ in entries)
            now = time.time()
            for used_at, size_bytes, folder in entries[:-1]:
                in_use = now - used_at < self._grace_s
                if total <= self._max_bytes * (_OVERFULL if in_use else 1):
                    return
                self._discard(folder)
                total -= size_bytes

    def size_bytes(self) -> int:
        """Return the size of all entries on disk."""
        return sum(size_bytes for _, size_bytes, _ in self._entries())

    def _entries(self) -> Iterator[tuple[float, int, Path]]:
        for folder in (self._folder / "objects").glob("[0-9a-f][0-9a-f]/*"):
            try:
                size_bytes = sum(path.stat().st_size for path in folder.iterdir())
                yield folder.stat().st_mtime, size_bytes, folder
            except FileNotFoundError:
                continue  # deleted by another process meanwhile

    def _discard(self, folder: Path) -> None:
        aside = self._folder / "objects" / f".gone-{uuid.uuid4().hex}"
        try:
            folder.rename(aside)
        except FileNotFoundError:
            return
        shutil.rmtree(aside, ignore_errors=True)

    def _entry_folder(self, key: str) -> Path:
        return self._folder / "objects" / key[:2] / key


def _delete(folder: Path) -> None:
    """Delete a folder that a compiler could write: as safely as shutil does, and however deep it is."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        scratch.delete(str(folder))


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _copy_regular(source: Path, target: Path) -> None:
    """Copy a regular file of limited size; links and devices are refused."""
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise ModuleRefusedError(f"the linker's output cannot be read: {error.strerror}") from error
    with open(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_MODULE_BYTES:
            raise ModuleRefusedError(
                f"the linker's output is not a regular file of at most {MAX_MODULE_BYTES:,} bytes"
            )
        with open(target, "xb") as written:
            shutil.copyfileobj(opened, written, 1024 * 1024)
    target.chmod(0o644)
