"""Tries what a verification needs on this machine, for `doctor`: a sandbox, a compiler, CUDA. Each within seconds.

`concur_site.up.checks` looks whether the programs are there, at every start; here they are run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from concur_site.up.checks import Problem

TRY_SECONDS = 20.0
LONGEST_OUTPUT = 300
COMPILERS = ("g++", "clang++", "c++")
SMALL_PROGRAM = "#include <vector>\nint main() { return static_cast<int>(std::vector<int>{}.size()); }\n"
CUDA_FOLDERS = ("/usr/local/cuda/bin", "/opt/cuda/bin")


def fault_of(command: Sequence[str], text: str = "") -> str:
    """Run a command; return '' if it succeeds, else the end of what it said."""
    try:
        done = subprocess.run(  # noqa: S603  (our own commands)
            command, input=text, capture_output=True, text=True, errors="replace", timeout=TRY_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {TRY_SECONDS:.0f} s"
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return ""
    said = " ".join((done.stderr or done.stdout).split())[-LONGEST_OUTPUT:]
    return said or f"it ended with status {done.returncode}"


def try_sandbox() -> Iterator[Problem]:
    """Make a sandbox: a kernel may forbid namespaces although bubblewrap is installed."""
    if (bwrap := shutil.which("bwrap")) is None:
        return
    if fault := fault_of([bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "true"]):
        yield Problem(
            f"bubblewrap cannot make a sandbox ({fault}), so that no kernel is run here. Allow user namespaces: "
            "sysctl kernel.unprivileged_userns_clone=1, on Ubuntu 24.04 also "
            "sysctl kernel.apparmor_restrict_unprivileged_userns=0; in a container, run it with "
            "--security-opt seccomp=unconfined or as the deploy files do"
        )


def try_compiler() -> Iterator[Problem]:
    """Compile a program that includes a header: the standard library may be missing although the compiler is there."""
    compiler = next((path for name in COMPILERS if (path := shutil.which(name))), None)
    if compiler is None:
        return
    if fault := fault_of([compiler, "-x", "c++", "-std=c++17", "-fsyntax-only", "-"], SMALL_PROGRAM):
        yield Problem(
            f"{compiler} cannot compile a small program ({fault}): install the C++ standard library. "
            "On Debian or Ubuntu: apt-get install g++"
        )


def try_cuda() -> Iterator[Problem]:
    """Ask the driver, and look for the compiler, where there is a GPU."""
    if not os.path.exists("/dev/nvidiactl"):
        return
    smi = shutil.which("nvidia-smi")
    if smi is None:
        yield Problem(
            "There is a GPU and no nvidia-smi: install the NVIDIA driver's tools (nvidia-utils), so that clocks and "
            "temperature are recorded"
        )
    elif fault := fault_of([smi, "--query-gpu=name,driver_version", "--format=csv,noheader"]):
        yield Problem(
            f"The NVIDIA driver does not answer ({fault}): load it (modprobe nvidia), or restart the machine after an "
            "update of the driver"
        )
    if nvcc() is None:
        yield Problem(
            "There is a GPU and no nvcc: CUDA kernels cannot be built here. Install the CUDA toolkit of torch's "
            "version and put its bin folder on the PATH, or set CUDA_HOME"
        )


def nvcc() -> str | None:
    home = os.environ.get("CUDA_HOME", "")
    folders = [str(Path(home) / "bin")] if home else []
    return shutil.which("nvcc") or shutil.which("nvcc", path=os.pathsep.join([*folders, *CUDA_FOLDERS]))


def problems() -> list[Problem]:
    return [problem for check in (try_sandbox, try_compiler, try_cuda) for problem in check()]
