"""Compares supervision with honcho's: which processes survive if one of them, or the supervisor, dies."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.libraries import import_cost

START_SECONDS, SETTLE_SECONDS = 20, 4
PROCFILE = "one: sleep 10001\ntwo: sleep 10002\n"
OURS = """
import os, sys, tempfile, time, pathlib
os.environ["DJANGO_SETTINGS_MODULE"] = "concur_site.settings"
import django
django.setup()
from concur_site.up.processes import Program
from concur_site.up.supervise import Supervised
programs = [Program("one", "", ["sleep", "10001"]), Program("two", "", ["sleep", "10002"])]
running = [Supervised(program, pathlib.Path(sys.argv[1]), print) for program in programs]
for one in running:
    one.start()
while True:
    time.sleep(0.5)
    for one in running:
        one.keep_running()
"""


def sleepers() -> dict[str, int]:
    """Return the process of each of the two programs, by its argument."""
    pids = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[:1] == [b"sleep"] and words[1] in (b"10001", b"10002"):
            pids["one" if words[1] == b"10001" else "two"] = int(folder.name)
    return pids


def started() -> dict[str, int]:
    """Return both processes, once they run."""
    deadline = time.monotonic() + START_SECONDS
    while len(running := sleepers()) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    return running


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def observe(name: str, command: list[str], folder: str) -> None:
    environment = {**os.environ, "CONCUR_DATA_DIR": folder}
    supervisor = subprocess.Popen(command, cwd=os.getcwd(), env=environment, stdout=subprocess.DEVNULL)
    before = started()
    print(f"  {name}: supervisor of {resident_mb(supervisor.pid):.0f} MB, programs {sorted(before)}")
    os.kill(before["one"], signal.SIGKILL)
    time.sleep(SETTLE_SECONDS)
    after = sleepers()
    unchanged = f"`two` is the same: {same(before, after)}"
    print(f"  {name}: {SETTLE_SECONDS} s after `one` was killed: programs {sorted(after)}, {unchanged}")
    if supervisor.poll() is not None:
        print(f"  {name}: the supervisor ended with status {supervisor.returncode}; started again")
        supervisor = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        started()
    supervisor.kill()
    supervisor.wait()
    time.sleep(SETTLE_SECONDS)
    left = sleepers()
    print(f"  {name}: {SETTLE_SECONDS} s after the supervisor was killed: programs {sorted(left)}")
    for pid in left.values():
        os.kill(pid, signal.SIGKILL)


def same(before: dict[str, int], after: dict[str, int]) -> bool:
    return before["two"] == after.get("two")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        procfile = Path(folder) / "Procfile"
        procfile.write_text(PROCFILE)
        observe("honcho", [sys.executable, "-m", "honcho", "-f", str(procfile), "start"], folder)
        observe("ours", [sys.executable, "-c", OURS, folder], folder)
    import_cost("honcho.manager", "concur_site.up.environment")


if __name__ == "__main__":
    main()
