"""The bubblewrap sandbox: no network, a read-only system, a private /tmp and a user of its own.

It has two forms, because RLIMIT_NPROC does not bind root. As root, bwrap makes the mounts and the process
inside switches to an unprivileged host user (`privileges.become`); otherwise a user namespace maps the
present user to nobody.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eval_app.engine.sandbox.privileges import Limits

PACKAGE_ROOT = "/concur"
ENGINE_DIR = Path(__file__).resolve().parents[1]
NOBODY = 65534
BUILD_UID = 64_999
INSTALL_LINE = "apt-get install bubblewrap"

_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt/nvidia",
    "/etc/alternatives",
    "/etc/ld.so.cache",
)
_SYSTEM_FILES = (
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/vulkan",
    "/etc/nsswitch.conf",
)
_GPU_DEVICES = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-caps")
_KEPT_VARIABLES = (
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_DEVICE_ORDER",
    "LANG",
    "TZ",
    "TORCH_CUDA_ARCH_LIST",
    "CC",
    "CXX",
)
_NCCL_VARIABLES = ("NCCL_NVLS_ENABLE", "TORCH_SYMM_MEM_DISABLE_MULTICAST", "NVSHMEM_DISABLE_NVLS")


class SandboxMissingError(RuntimeError):
    """bubblewrap is not installed or cannot make namespaces; the message says what to do."""


@dataclass(frozen=True)
class Sandbox:
    """One kind of confinement: what is visible, what is writable, and how much. `kind` is "bwrap" or "none"."""

    kind: str = "bwrap"
    # Whether GPU device files and the driver's control devices are visible.
    gpu: bool = False
    # The only GPU's device file that is; all are if it is empty.
    gpu_file: str = ""
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    tmp_bytes: int = 2**30
    environment: dict[str, str] = field(default_factory=dict)

    def command(self, argv: Sequence[str]) -> list[str]:
        """Return the command that runs `argv` inside the sandbox."""
        if self.kind == "none":
            return list(argv)
        return [_bwrap(), *self._namespaces(), *self._mounts(), "--", *argv]

    def variables(self) -> dict[str, str]:
        """Return the complete environment of the process inside: an allow-list, never the caller's own."""
        inherited = {
            name: os.environ[name] for name in (*_KEPT_VARIABLES, *_NCCL_VARIABLES) if name in os.environ
        }
        path = os.pathsep.join(
            [str(python_path().parent), *_tool_folders(), "/usr/local/bin", "/usr/bin", "/bin"]
        )
        fixed = {"PATH": path, "HOME": "/tmp", "TMPDIR": "/tmp", "PYTHONPATH": self.package_root()}  # noqa: S108
        fixed |= {"PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONSAFEPATH": "1"}
        # No user inside has a passwd entry, and torch's compiler asks for a user name on import.
        fixed |= {"USER": "runner", "LOGNAME": "runner"}
        return inherited | fixed | self.environment

    def package_root(self) -> str:
        """Return the folder in which the process inside finds the package eval_app."""
        return PACKAGE_ROOT if self.kind == "bwrap" else str(ENGINE_DIR.parent.parent)

    def _namespaces(self) -> list[str]:
        shared = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
        common = [*shared, "--hostname", "sandbox", "--new-session", "--die-with-parent", "--cap-drop", "ALL"]
        if os.getuid() != 0:
            return [*common, "--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY), "--disable-userns"]
        capabilities = [
            word
            for name in ("CAP_SETUID", "CAP_SETGID", "CAP_KILL", "CAP_SETPCAP")
            for word in ("--cap-add", name)
        ]
        return [*common, *capabilities]

    def _mounts(self) -> list[str]:
        readable = _existing((*_SYSTEM, *_SYSTEM_FILES, *_python_folders(), *_tool_roots(), *self.readable))
        package = f"{PACKAGE_ROOT}/eval_app"
        return [
            *("--proc", "/proc", "--dev", "/dev"),
            *(self._gpu_mounts() if self.gpu else ()),
            *_scratch("/tmp", self.tmp_bytes),  # noqa: S108
            *_scratch("/dev/shm", self.tmp_bytes),  # noqa: S108
            *_parents((*readable, *self.writable, f"{package}/engine")),
            *_read_only(readable),
            *("--ro-bind", str(ENGINE_DIR), f"{package}/engine"),
            *("--ro-bind", str(ENGINE_DIR.parent / "__init__.py"), f"{package}/__init__.py"),
            *(word for path in self.writable for word in ("--bind", path, path)),
            *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"),  # noqa: S108
        ]

    def _gpu_mounts(self) -> list[str]:
        gpus = [self.gpu_file] if self.gpu_file else map(str, Path("/dev").glob("nvidia[0-9]*"))
        devices = _existing([*(f"/dev/{name}" for name in _GPU_DEVICES), *gpus])
        binds = [word for path in devices for word in ("--dev-bind", path, path)]
        return [*binds, *_read_only(_existing(("/sys",)))]


def _scratch(path: str, size_bytes: int) -> tuple[str, ...]:
    return ("--perms", "1777", "--size", str(size_bytes), "--tmpfs", path)


def _parents(paths: Iterable[str]) -> list[str]:
    """Return the words that create the folders above mount points for every user; bwrap's own belong to root."""
    above = {str(parent) for path in paths for parent in Path(path).parents}
    ours = sorted(folder for folder in above if folder not in ("/", "/tmp", "/usr") and folder[:5] != "/usr/")  # noqa: S108
    return [word for folder in ours for word in ("--perms", "0755", "--dir", folder)]


def _read_only(paths: Iterable[str]) -> list[str]:
    words: list[str] = []
    for path in paths:
        if os.path.islink(path) and path.count("/") == 1:
            words += ["--symlink", os.readlink(path), path]
        else:
            words += ["--ro-bind", path, path]
    return words


def _existing(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(path for path in paths if os.path.exists(path)))


def python_path() -> Path:
    """Return the interpreter in its real folder: a virtual environment may be reached over a link."""
    return Path(os.path.realpath(sys.prefix)) / "bin" / Path(sys.executable).name


def _python_folders() -> list[str]:
    """Return the folders of the interpreter, its library and its packages, as far as they are outside /usr."""
    folders = [
        sys.prefix,
        sys.base_prefix,
        *(p for p in sys.path if p.endswith(("site-packages", "dist-packages"))),
    ]
    interpreter = Path(sys.executable)
    real = [os.path.realpath(folder) for folder in folders] + [str(interpreter.resolve().parent.parent)]
    return [path for path in real if not path.startswith("/usr/") and path not in ("/", "/usr")]


def _tool_folders() -> list[str]:
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    return [f"{home}/bin" for home in homes if home and os.path.isdir(f"{home}/bin")]


def _tool_roots() -> list[str]:
    named = [os.environ.get(name, "").split(" ")[0] for name in ("CC", "CXX", "CUDAHOSTCXX")]
    tools = [
        shutil.which(name) for name in ("nvcc", "g++", "gcc", "c++", "ninja", "cuobjdump", *named) if name
    ]
    roots = {os.path.dirname(os.path.dirname(path)) for tool in tools if tool for path in _chain(tool)}
    roots |= {os.path.realpath(os.path.dirname(folder)) for folder in _tool_folders()}
    return sorted(root for root in roots if not root.startswith("/usr/") and root not in ("/", "/usr"))


def _chain(path: str) -> list[str]:
    """Return `path` and its target: tools are started by either name."""
    return [os.path.abspath(path), os.path.realpath(path)]


def _bwrap() -> str:
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxMissingError(
            "bubblewrap is not installed, and submitted code is not run without it. "
            f"Install it ({INSTALL_LINE}), or use --sandbox none to run without protection on a machine "
            "that you can afford to lose."
        )
    return path


def check_available() -> None:
    """Raise SandboxMissingError, with the reason, if no sandbox can be made."""
    process = subprocess.run(  # noqa: S603
        wrap_build(["/bin/sh", "-c", "exit 0"]), capture_output=True, text=True, timeout=30, env=build_environment(),
        check=False,
    )  # fmt: skip
    if process.returncode != 0:
        raise SandboxMissingError(
            f"bubblewrap cannot make a sandbox on this machine: {process.stderr.strip()[-300:]}. Allow unprivileged "
            "user namespaces (sysctl kernel.unprivileged_userns_clone=1), or use --sandbox none on a machine "
            "that you can afford to lose."
        )


def wrap_build(
    argv: Sequence[str],
    binds_rw: Iterable[str] = (),
    binds_ro: Iterable[str] = (),
    *,
    kind: str = "bwrap",
    limits: Limits | None = None,
) -> list[str]:
    """Return a compiler command that runs inside the sandbox; folders in `binds_rw` are given to the build's user, and
    not what they hold: a command that is running there could exchange it meanwhile.

    Run the result with `env=build_environment(kind)`.
    """
    writable = tuple(str(path) for path in binds_rw)
    sandbox = Sandbox(kind=kind, readable=tuple(str(path) for path in binds_ro), writable=writable)
    limits = limits or Limits(processes=256, file_bytes=2 * 2**30)
    if os.getuid() == 0 and kind == "bwrap":
        for path in writable:
            os.chown(path, BUILD_UID, BUILD_UID, follow_symlinks=False)
    return sandbox.command([*dropping(sandbox, limits), *argv])


def dropping(sandbox: Sandbox, limits: Limits) -> list[str]:
    """Return the prefix of a command that lowers its limits and, under bubblewrap, drops its privileges."""
    entry = f"{sandbox.package_root()}/eval_app/engine/sandbox/privileges.py"
    options = [f"--processes={limits.processes}", f"--file-bytes={limits.file_bytes}"]
    user = [f"--uid={BUILD_UID}"] if sandbox.kind == "bwrap" else []
    return [str(python_path()), "-I", entry, *options, *user, "--"]


def build_environment(kind: str = "bwrap") -> dict[str, str]:
    """Return the environment for a command from `wrap_build`."""
    return Sandbox(kind=kind).variables()
