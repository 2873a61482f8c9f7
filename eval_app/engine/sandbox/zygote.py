"""The zygote: a sandboxed process that has imported torch and forks one child per job. It runs no submitted code.

Started as `python -m eval_app.engine.sandbox.zygote ROLE DEVICE CONTROL_FD KIND`. Commands on the control
channel: `spawn` forks a child with channels of its own; `reap` kills every remaining process in the sandbox,
empties the scratch folders and reports how the child ended and what is left of it.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from eval_app.engine.sandbox import privileges, scratch
from eval_app.engine.sandbox.channel import Channel, ChannelClosedError
from eval_app.engine.sandbox.compiler_caches import cache_environment

_ROLES = {
    "judge": "eval_app.engine.judge.main",
    "runner": "eval_app.engine.runner.main",
    "queries": "eval_app.engine.judge.query_main",
    "scout_task": "eval_app.engine.scout.task",
    "scout_candidate": "eval_app.engine.scout.candidate",
}
_GRACE_S = 5.0


def warm_up(role: str, device: str) -> dict[str, Any]:
    """Import everything that a child will need, without starting a thread or touching a GPU."""
    gc.disable()  # what is imported stays: looking for garbage in it took a sixth of a judge's start
    import torch

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    for name in ("torch.nn.functional", "torch.utils.cpp_extension"):
        import_module(name)
    getattr(import_module(_ROLES[role]), "warm_up", gc.collect)()
    if device == "cuda":
        _preload(torch.__file__)
    gc.collect()
    gc.freeze()
    gc.enable()
    return {"torch": torch.__version__, "python": sys.version.split()[0], "cuda": torch.version.cuda or ""}


def _preload(torch_file: str) -> None:
    """Map the large CUDA libraries that torch opens for the first convolution, so that children share them."""
    site = Path(torch_file).parent.parent
    for path in sorted(site.glob("nvidia/**/libcudnn*.so.*")):
        try:
            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue


def get_ready(role: str, device: str) -> None:
    """Initialise the device in a child, as every job needs it, and have the role load what it uses there."""
    if device == "cuda":
        import torch

        torch.zeros(1, device=device)
        if load := getattr(import_module(_ROLES[role]), "load_kernels", None):
            load()
        torch.cuda.synchronize()


class Zygote:
    """Serves the spawns of one lane, one child at a time."""

    def __init__(self, role: str, device: str, control: Channel, *, confined: bool) -> None:
        """Store the role; `confined` means that this sandbox holds nothing else, so that all other processes
        may be killed."""
        self._role, self._device, self._control = role, device, control
        self._confined = confined
        self._child: int | None = None
        self._uid = 0
        self._folder = Path(os.devnull)
        # Before the first job: where the worker is not root, a job has this process's user.
        self._settings: tuple[object, ...] = ()

    def serve(self) -> None:
        """Answer commands until the orchestrator closes the channel."""
        versions = warm_up(self._role, self._device)
        if self._confined:  # from here on, whatever lies there is a job's
            scratch.empty_all()
        self._settings = privileges.inherited_settings()
        self._control.send({"ready": True, "versions": versions})
        while True:
            try:
                message, descriptors = self._control.receive_with()
            except ChannelClosedError:
                self._kill_all()
                return
            if message.get("op") == "spawn":
                self._spawn(message, descriptors)
            else:
                ended = self._reap(float(message.get("linger_s", 0.0)))
                self._control.send(ended | {"sequence": message["sequence"]})

    def _spawn(self, message: dict[str, Any], descriptors: list[int]) -> None:
        self._uid, self._folder = int(message["uid"]), Path(message["folder"])
        child = self._fork()
        if child == 0:
            self._become_child(message, descriptors, self._folder)
        self._child = child
        for descriptor in descriptors:
            os.close(descriptor)
        self._control.send({"pid": child, "sequence": message["sequence"]})

    def _fork(self) -> int:
        """Fork as os.fork does, with an even process id for a judge and an odd one for a runner.

        Each counts in its own namespace, and CUDA treats a handle from a process with its own id as its own.
        """
        while True:
            child = os.fork()
            number = child or os.getpid()
            if number % 2 == (self._role == "runner"):
                return child
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)

    def _become_child(self, message: dict[str, Any], descriptors: list[int], folder: Path) -> None:
        code = 70
        try:
            self._control.close()
            _redirect(descriptors.pop())
            os.setpgid(0, 0)
            privileges.Limits(**message["limits"]).apply()
            if self._confined:
                privileges.become(self._uid)
            privileges.show_memory()
            privileges.die_with_parent()
            folder.mkdir(mode=0o700)
            os.chdir(folder)
            os.environ.update(TMPDIR=str(folder), HOME=str(folder))
            os.environ.update(cache_environment(str(folder)))
            channels = [Channel.from_fd(descriptor) for descriptor in descriptors]
            get_ready(self._role, self._device)
            channels[0].send({"ready": True})
            import_module(_ROLES[self._role]).main(self._device, folder, channels)
            code = 0
        except BaseException as error:  # the child must never return into the zygote's loop
            sys.stderr.write(f"{type(error).__name__}: {error}\n"[:4000])
            code = 71
        finally:
            _flush()
            os._exit(code)

    def _reap(self, linger_s: float) -> dict[str, Any]:
        ended = self._wait_for_child(linger_s)
        if self._child is not None:
            self._wipe()
            ended["left"] = self._remains()
        self._child = None
        return ended

    def _wait_for_child(self, linger_s: float) -> dict[str, Any]:
        """Return how the child ended by itself, or `{"killed": true}` if it had to be killed."""
        if self._child is None:
            return {}
        done, status = _wait(self._child, linger_s)
        was_alive = done == 0
        self._kill_all()
        if was_alive:
            done, status = _wait(self._child, _GRACE_S)
        if done == 0:
            return {"stuck": True}
        return {"killed": True} if was_alive else {"status": os.waitstatus_to_exitcode(status)}

    def _kill_all(self) -> None:
        target = -1 if self._confined else -(self._child or 0)
        if target == 0:
            return
        try:
            os.kill(target, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return

    def _wipe(self) -> None:
        """Delete all files of the job, as the job's own user, who owns what it wrote, within a time limit."""
        if not self._confined:
            scratch.delete(str(self._folder))
            return
        wiper = os.fork()
        if wiper == 0:
            try:
                privileges.become(self._uid)
                scratch.empty_all()
            finally:
                os._exit(0)
        if _wait(wiper, _GRACE_S)[0] == 0:
            os.kill(wiper, signal.SIGKILL)
            os.waitpid(wiper, 0)

    def _remains(self) -> str:
        """Return what is left of the job, in words, once killed processes have had time to vanish."""
        if privileges.inherited_settings() != self._settings:
            return "limits or priorities that its successors would inherit"
        if not self._confined:
            return ascii(str(self._folder)) if self._folder.exists() else ""
        deadline = time.monotonic() + _GRACE_S
        while (left := scratch.remaining_processes()) and time.monotonic() < deadline:
            self._collect_orphans()
            time.sleep(0.002)
        return left or scratch.remaining_files()

    def _collect_orphans(self) -> None:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return


def _wait(child: int, seconds: float) -> tuple[int, int]:
    """Wait as os.waitpid does, at most `seconds`; return (0, 0) if the child is still alive."""
    deadline = time.monotonic() + seconds
    done, status = os.waitpid(child, os.WNOHANG)
    while done == 0 and time.monotonic() < deadline:
        time.sleep(0.002)
        done, status = os.waitpid(child, os.WNOHANG)
    return done, status


def _redirect(descriptor: int) -> None:
    """Send stdout and stderr to the orchestrator's capped log; make stdin empty."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue


def main() -> None:
    """Start serving: role, device, control descriptor and sandbox kind come from the command line."""
    role, device, descriptor, confined = sys.argv[1:5]
    privileges.hide_memory()
    Zygote(role, device, Channel.from_fd(int(descriptor)), confined=confined == "bwrap").serve()


if __name__ == "__main__":
    main()
