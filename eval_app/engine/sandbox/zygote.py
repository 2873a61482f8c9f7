"""A process in a sandbox that has imported torch, and forks one child for each job. It runs no submitted code.

`python -m eval_app.engine.sandbox.zygote ROLE DEVICE CONTROL_FD`. On the control line: `spawn` forks a child, with
its own lines; `reap` kills all that is left in the sandbox, wipes the scratch folders and tells how the child ended.
"""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import signal
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from eval_app.engine.sandbox import privileges
from eval_app.engine.sandbox.channel import Channel, ChannelClosedError
from eval_app.engine.sandbox.compiler_caches import cache_environment

_ROLES = {
    "judge": "eval_app.engine.judge.main",
    "runner": "eval_app.engine.runner.main",
    "scout_task": "eval_app.engine.scout.task",
    "scout_candidate": "eval_app.engine.scout.candidate",
}
_SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108
_GRACE_S = 5.0


def warm_up(role: str, device: str) -> dict[str, Any]:
    """Import all that a child will need, without starting a thread or touching a GPU."""
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
    return {"torch": torch.__version__, "python": sys.version.split()[0], "cuda": torch.version.cuda or ""}


def _preload(torch_file: str) -> None:
    """Map the large CUDA libraries that torch opens at a first convolution: forked children then share them."""
    site = Path(torch_file).parent.parent
    for path in sorted(site.glob("nvidia/**/libcudnn*.so.*")):
        try:
            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue


def get_ready(device: str) -> None:
    """In a child: what every job on that device needs."""
    if device == "cuda":
        import torch

        torch.zeros(1, device=device)
        torch.cuda.synchronize()


class Zygote:
    """The loop that serves one lane's spawns, one child at a time."""

    def __init__(self, role: str, device: str, control: Channel, *, confined: bool) -> None:
        """`confined` says that this sandbox holds nothing else, so that all other processes may be killed."""
        self._role, self._device, self._control = role, device, control
        self._confined = confined
        self._child: int | None = None
        self._uid = 0

    def serve(self) -> None:
        """Answer until the orchestrator hangs up."""
        self._control.send({"ready": True, "versions": warm_up(self._role, self._device)})
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
        self._uid = int(message["uid"])
        folder = Path("/tmp") / f"job-{os.getpid()}"  # noqa: S108
        child = self._fork()
        if child == 0:
            self._become_child(message, descriptors, folder)
        self._child = child
        for descriptor in descriptors:
            os.close(descriptor)
        self._control.send({"pid": child, "sequence": message["sequence"]})

    def _fork(self) -> int:
        """As os.fork, with an even number for a judge and an odd one for a runner.

        Each counts in a namespace of its own, and CUDA takes a handle from a process of its own number for its own.
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
            folder.mkdir(mode=0o700, exist_ok=True)
            os.chdir(folder)
            os.environ.update(TMPDIR=str(folder), HOME=str(folder))
            os.environ.update(cache_environment(str(folder)))
            channels = [Channel.from_fd(descriptor) for descriptor in descriptors]
            get_ready(self._device)
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
        self._wipe()
        self._child = None
        return ended

    def _wait_for_child(self, linger_s: float) -> dict[str, Any]:
        """How the child ended by itself, or `{"killed": true}` where it had to be stopped here."""
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
        """Leave the next job nothing of this one: as the job's own user, who owns what it wrote."""
        if not self._confined:
            shutil.rmtree(Path("/tmp") / f"job-{os.getpid()}", ignore_errors=True)  # noqa: S108
            return
        wiper = os.fork()
        if wiper == 0:
            try:
                privileges.become(self._uid or 65534)
                for folder in _SCRATCH:
                    _empty(Path(folder))
            finally:
                os._exit(0)
        os.waitpid(wiper, 0)
        for folder in _SCRATCH:
            _empty(Path(folder))
        self._collect_orphans()

    def _collect_orphans(self) -> None:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return


def _wait(child: int, seconds: float) -> tuple[int, int]:
    """As os.waitpid, for at most so long; (0, 0) where it is still alive."""
    deadline = time.monotonic() + seconds
    done, status = os.waitpid(child, os.WNOHANG)
    while done == 0 and time.monotonic() < deadline:
        time.sleep(0.002)
        done, status = os.waitpid(child, os.WNOHANG)
    return done, status


def _empty(folder: Path) -> None:
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            _remove(entry.path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _redirect(descriptor: int) -> None:
    """The child's stdout and stderr go to the orchestrator's capped log; stdin is empty."""
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
    """Start serving: role, device, control descriptor and confinement come from the command line."""
    role, device, descriptor, confined = sys.argv[1:5]
    privileges.hide_memory()
    Zygote(role, device, Channel.from_fd(int(descriptor)), confined=confined == "bwrap").serve()


if __name__ == "__main__":
    main()
