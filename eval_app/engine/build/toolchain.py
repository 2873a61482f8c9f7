"""The compilers and the torch that extensions are built against, determined once by a separate process.

The orchestrator must not import torch, so a subprocess does and prints the facts as JSON.
"""

import hashlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Self

from eval_app.engine.build import processes

PROBE = Path(__file__).with_name("probe.py")
PROBE_TIMEOUT_S = 180
CPU_INFO = Path("/proc/cpuinfo")


class ToolchainMissingError(RuntimeError):
    """There is no usable torch or compiler; the message says what to install."""


@dataclass(frozen=True)
class Toolchain:
    """Settings common to all builds on one machine."""

    python: str  # the interpreter that will import the modules
    python_tag: str  # e.g. "cpython-311-x86_64"
    python_include: str
    torch_version: str
    torch_includes: tuple[str, ...]
    torch_lib: str
    torch_has_cuda: bool  # libtorch_cuda and libc10_cuda are present
    std: str  # the C++ standard of this torch's extensions, e.g. "c++20"
    abi_flags: tuple[str, ...]  # defines that this torch passes to its own extensions
    nvcc_flags: tuple[str, ...]
    tensor_unpack: str  # C++ text for light bindings, from this torch's headers; "" if unavailable
    cxx: str
    cxx_version: str
    nvcc: str  # "" if there is none
    nvcc_version: str
    cuda_home: str
    arch: str = ""  # the device's compute capability, e.g. "9.0"; "" on a machine without a GPU
    processor: str = ""  # a digest of what `-march=native` compiles for

    @property
    def fingerprint(self) -> str:
        """Hash everything that affects a compiler's output for a given request."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    @property
    def roots(self) -> tuple[str, ...]:
        """Return the folders that compilers read: the sandbox shows them, and flags may name them."""
        own = [*self.torch_includes, self.torch_lib, self.python_include, self.cuda_home]
        return tuple(dict.fromkeys(path for path in own if path))

    @property
    def allowed_roots(self) -> tuple[str, ...]:
        """Return the folders that a candidate's -I and -L may name."""
        return (
            *self.roots,
            "/usr/include",
            "/usr/lib",
            "/usr/local/include",
            "/usr/local/lib",
            "/usr/local/cuda",
        )

    def versions(self) -> dict[str, str]:
        """Return the versions for the report."""
        names = {"torch": self.torch_version, "cxx": self.cxx_version, "nvcc": self.nvcc_version}
        return {name: version for name, version in names.items() if version}

    @classmethod
    def from_dict(cls, data: dict[str, object]) -> Self:
        """Read the output of the probe, or a cache file."""
        names = {field.name for field in fields(cls)}
        values = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
        return cls(**{key: value for key, value in values.items() if key in names})  # type: ignore[arg-type]


def _never() -> bool:
    return False


def find_toolchain(
    arch: str = "",
    *,
    python: str = sys.executable,
    cache_dir: Path | None = None,
    cancelled: Callable[[], bool] = _never,
) -> Toolchain:
    """Return the toolchain for a device of compute capability `arch` ("9.0"; "" for none).

    It is cached in `cache_dir` under a name derived from what it depends on, so that a new torch or compiler
    is probed again. Raises ToolchainMissingError with the reason, also if `cancelled` becomes true meanwhile.
    """
    cache_file = None if cache_dir is None else cache_dir / f"toolchain-{_environment_digest(python)}.json"
    facts = _read(cache_file) or _probe(python, cancelled)
    if cache_file is not None:
        _write(cache_file, facts)
    return Toolchain.from_dict({**facts, "arch": arch, "processor": _processor_digest()})


def _processor_digest() -> str:
    """Hash the first core's model and features: the cache may lie on a disk that another machine mounts later."""
    first_core, _, _ = CPU_INFO.read_text("utf-8", "replace").partition("\n\n")
    named = ("model name", "flags", "Features", "CPU implementer", "CPU part")
    lines = [line for line in first_core.splitlines() if line.startswith(named)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _environment_digest(python: str) -> str:
    """Hash the interpreter, torch and compilers that would be found, so that no stale answer is used."""
    folder = Path(python).parent.parent / "lib"
    versions = sorted(str(path) for path in folder.glob("python*/site-packages/torch/version.py"))
    stamps = [f"{path}:{os.stat(path).st_mtime_ns}" for path in versions]
    names = ("CXX", "CUDA_HOME", "CUDA_PATH", "PATH")
    parts = [python, *stamps, *(os.environ.get(name, "") for name in names), PROBE.read_text("utf-8")]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _read(cache_file: Path | None) -> dict[str, object] | None:
    if cache_file is None or not cache_file.is_file():
        return None
    try:
        data = json.loads(cache_file.read_text("utf-8"))
    except ValueError:
        return None
    return (
        data
        if isinstance(data, dict) and {f.name for f in fields(Toolchain)} - {"arch", "processor"} <= set(data)
        else None
    )


def _write(cache_file: Path, facts: dict[str, object]) -> None:
    cache_file.parent.mkdir(parents=True, exist_ok=True)
    draft = cache_file.with_suffix(f".{os.getpid()}.tmp")
    draft.write_text(json.dumps(facts), "utf-8")
    draft.replace(cache_file)


def _probe(python: str, cancelled: Callable[[], bool]) -> dict[str, object]:
    """Have a process import torch and print the facts. On a busy host that takes longer than a worker has to stop."""
    done = processes.run(
        [python, "-I", str(PROBE)], env=os.environ, timeout_s=PROBE_TIMEOUT_S, cancelled=cancelled
    )
    if done.reason == "cancelled":
        raise ToolchainMissingError("the torch probe was cancelled")
    if done.reason == "timeout":
        text = f"the torch probe gave no answer within {PROBE_TIMEOUT_S:g} s: is the host busy?"
        raise ToolchainMissingError(text)
    lines = done.log.strip().splitlines()
    answer = next((line for line in reversed(lines) if line.startswith("{")), "")
    if not done.ok or not answer:
        raise ToolchainMissingError(f"the torch probe failed: {lines[-1] if lines else 'no message'}")
    facts: dict[str, object] = json.loads(answer)
    return facts
