"""Processor time of a run by kind of process, and of everything else on the machine."""

import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
LOOK_SECONDS = 1.0
OTHERS = "rest of the machine"
KINDS = {  # by what the first words of a command line contain, the first that fits
    "manage.py serve": "site",
    "datasets_app.bounded": "site's analyses of texts",
    "manage.py sweep": "site worker",
    "manage.py worker": "worker",
    "eval_app.host": "worker",
    "manage.py up": "supervisor",
    "valkey-server": "broker",
    "redis-server": "broker",
    "locust": "locust",
    "nginx": "nginx",
    "postgres": "postgres",
}


class ProcessorWatch(threading.Thread):
    """Looks at all processes below the given ones once a second, and sums their processor seconds by kind.

    A process that ends is counted up to the last look at it.
    """

    def __init__(self, roots: dict[str, int]) -> None:
        """Take the kind and process id of each root."""
        super().__init__(daemon=True)
        self.roots = roots
        self.ended = threading.Event()
        self.first: dict[int, float] = {}
        self.last: dict[int, float] = {}
        self.kinds: dict[int, str] = {}

    def run(self) -> None:
        self.machine = machine_seconds()
        self.look()
        self.first = dict(self.last)
        while not self.ended.wait(LOOK_SECONDS):
            self.look()

    def look(self) -> None:
        for name, root in self.roots.items():
            for pid, kind in tree(root, name):
                try:
                    self.last[pid] = processor_seconds(pid)
                    self.kinds[pid] = kind
                except (FileNotFoundError, ProcessLookupError):
                    continue  # ended meanwhile

    def seconds(self) -> dict[str, float]:
        """End the watch; return the processor seconds since its start by kind."""
        self.ended.set()
        self.join()
        self.look()
        used: dict[str, float] = defaultdict(float)
        for pid, last in self.last.items():
            used[self.kinds[pid]] += last - self.first.get(pid, 0.0)
        used[OTHERS] = machine_seconds() - self.machine - sum(used.values())
        return {kind: round(seconds, 1) for kind, seconds in sorted(used.items(), key=lambda item: -item[1])}


def tree(pid: int, kind: str) -> Iterator[tuple[int, str]]:
    """Yield process id and kind of a process and of all below it."""
    yield pid, kind
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                yield from tree(child, kind_of(child, kind))
    except (FileNotFoundError, ProcessLookupError):
        return


def kind_of(pid: int, parent: str) -> str:
    """Return what a process is; one with another command is of its parent's kind."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").replace("\0", " ").split()
    return next((kind for word, kind in KINDS.items() if word in " ".join(words[:3])), parent)


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def machine_seconds() -> float:
    """Return the seconds that all processors have worked, the kernel's interrupts included."""
    user, nice, system, _idle, _iowait, irq, softirq = map(
        int, Path("/proc/stat").read_text().split(maxsplit=8)[1:8]
    )
    return (user + nice + system + irq + softirq) / TICKS
