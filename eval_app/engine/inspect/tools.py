"""Tools that examine machine code: finding, running and, if missing, how to install them."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import site
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from eval_app.engine.sandbox import bubblewrap, process_tree
from eval_app.engine.sandbox.bubblewrap import Sandbox
from eval_app.engine.sandbox.privileges import Limits

# Installation of each tool: pip's packages hold the same programs as NVIDIA's toolkit.
INSTALL = {
    "cuobjdump": "pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm, or the CUDA toolkit",
    "nvdisasm": "pip install nvidia-cuda-nvdisasm, or the CUDA toolkit",
    # Wheels up to at least 13.1 lack the programs that start its target.
    "compute-sanitizer": "pip install 'nvidia-cuda-sanitizer-api>=13.5', or the CUDA toolkit",
    "ncu": "NVIDIA Nsight Compute (apt-get install nsight-compute from NVIDIA's repository)",
    "objdump": "apt-get install binutils",
}
_OUTPUT_BYTES = 64 * 2**20
# Shared memory counts as files, and CUDA uses some.
_GPU_FILE_BYTES = 2**30
_MEMORY_BYTES = 16 * 2**30
_MEMORY_SHARE = 0.7
_TICK_S = 0.2
_TMP_BYTES = 2**30
_PROCESSES = 256
_ERROR_CHARS = 400


class ToolMissingError(RuntimeError):
    """A tool is not installed or failed; the message says which, and how to install it or what it printed."""


@dataclass(frozen=True)
class Output:
    """Output of a tool; stdout and stderr are capped."""

    status: int
    text: str
    errors: str


def find(name: str) -> Path:
    """Return the program's real path from the PATH, a CUDA toolkit, or pip's packages. Raises ToolMissingError."""
    for candidate in (shutil.which(name), *_elsewhere(name)):
        if candidate and os.access(candidate, os.X_OK):
            return Path(os.path.realpath(candidate))
    raise ToolMissingError(f"{name} is not installed: {INSTALL.get(name, 'install it')}")


def _elsewhere(name: str) -> list[str]:
    homes = [
        os.environ.get("CUDA_HOME"),
        os.environ.get("CUDA_PATH"),
        *sorted(glob.glob("/usr/local/cuda*"))[::-1],
    ]
    homes += sorted(glob.glob("/opt/nvidia/nsight-compute/*"))[::-1]
    paths = [f"{home}/{folder}{name}" for home in homes if home for folder in ("bin/", "")]
    packages = glob.glob(f"{bubblewrap.python_path().parent.parent}/lib/python*/site-packages")
    for folder in dict.fromkeys([*packages, *site.getsitepackages()]):
        paths += sorted(glob.glob(f"{folder}/nvidia/*/bin/{name}"))[::-1]
        paths.append(f"{folder}/triton/backends/nvidia/bin/{name}")
    return paths


def run(
    argv: Sequence[str], *, kind: str, readable: Sequence[str] = (), gpu: bool = False, timeout_s: float = 60.0,
    gpu_file: str = "", environment: dict[str, str] | None = None,
) -> Output:  # fmt: skip
    """Run a tool in a sandbox of its own, as nobody: what it reads was made from a candidate's text.

    Raises ToolMissingError if it does not end in time.
    """
    folders = tuple(dict.fromkeys([*readable, *roots(argv[0])]))
    box = Sandbox(kind, gpu, gpu_file, folders, tmp_bytes=_TMP_BYTES, environment=environment or {})
    limits = Limits(processes=_PROCESSES, file_bytes=_GPU_FILE_BYTES if gpu else _OUTPUT_BYTES)
    command = box.command([*bubblewrap.dropping(box, limits), *argv])
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(  # noqa: S603
            command, env=_variables(box, argv[0]), stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True,
        )  # fmt: skip
        status = _wait(process, timeout_s, Path(argv[0]).name)
        return Output(status, _read(out), _read(err))


def _variables(box: Sandbox, tool: str) -> dict[str, str]:
    variables = box.variables()
    return variables | {"PATH": f"{Path(tool).parent}{os.pathsep}{variables['PATH']}"}


def roots(tool: str) -> list[str]:
    """Return the tool's own folder tree, which holds its libraries, unless the sandbox shows it anyway."""
    path = Path(tool)
    if not path.is_absolute() or str(path).startswith(("/usr/", "/bin/")):
        return []
    return [str(path.parent.parent if path.parent.name in ("bin", "compute-sanitizer") else path.parent)]


def _wait(process: subprocess.Popen[bytes], timeout_s: float, tool: str) -> int:
    """Return the exit status. Raises ToolMissingError after the timeout, or if it uses too much memory."""
    deadline = time.monotonic() + timeout_s
    limit = min(_MEMORY_BYTES, int(process_tree.memory().total * _MEMORY_SHARE))
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(_TICK_S)
            if time.monotonic() > deadline:
                raise ToolMissingError(f"{tool} took longer than {timeout_s:g} s and was killed")
            if process_tree.held_bytes(process.pid, limit) > limit:
                raise ToolMissingError(
                    f"{tool} used more than {limit / 2**30:.0f} GiB of memory and was killed"
                )
    finally:
        if process.poll() is None:
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the whole sandbox: its first process, which ends the namespace, or each process without one."""
    for pid in sorted(process_tree.descendants(process.pid), reverse=True):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)
    process.wait()


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    text = file.read(_OUTPUT_BYTES).decode("utf-8", "replace")
    return "".join(char if char.isprintable() or char in "\n\t" else "?" for char in text)


def expect(output: Output, tool: str) -> str:
    """Return the text of a tool that succeeded. Raises ToolMissingError with its message otherwise."""
    if output.status != 0 and not output.text.strip():
        message = (output.errors or output.text).strip()[-_ERROR_CHARS:]
        raise ToolMissingError(f"{tool} ended with status {output.status}: {message or 'no output'}")
    return output.text
