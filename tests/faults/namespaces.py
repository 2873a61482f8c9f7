"""A site and its hosts in network namespaces of their own, joined by a bridge whose cables a test can pull."""

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from concur_site import redis_server
from tests.verify.processes import LiveSite

SITE_ADDRESS = "10.77.0.1"
PASSWORD = "of-the-test"


def unavailable() -> str:
    """Return why namespaces cannot be made here; empty if they can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "network namespaces need iproute2's `ip`"
    name = f"cw-probe-{os.getpid()}"
    made = ip("netns", "add", name)
    if made.returncode:
        return f"this machine makes no network namespaces: {made.stderr.strip()}"
    ip("netns", "del", name)
    return ""


def ip(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)


def must(*arguments: str) -> None:
    done = ip(*arguments)
    assert done.returncode == 0, f"ip {' '.join(arguments)}: {done.stderr}"


class Network:
    """A namespace for the site with a bridge, and one per host."""

    def __init__(self) -> None:
        self.tag = f"cw{os.getpid() % 100_000}"
        self.names = [self.space("site")]
        must("netns", "add", self.names[0])
        site = ("-n", self.names[0])
        must(*site, "link", "add", "bridge", "type", "bridge")
        must(*site, "addr", "add", f"{SITE_ADDRESS}/24", "dev", "bridge")
        for device in ("lo", "bridge"):
            must(*site, "link", "set", device, "up")

    def space(self, name: str) -> str:
        return f"{self.tag}-{name}"

    def enter(self, name: str) -> tuple[str, ...]:
        """Return the beginning of a command that runs in a namespace."""
        return ("ip", "netns", "exec", self.space(name))

    def add_host(self, name: str) -> None:
        """Make a namespace with an address of its own and a cable to the site's bridge."""
        space, number = self.space(name), len(self.names) + 1
        self.names.append(space)
        must("netns", "add", space)
        must("-n", self.names[0], "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", space)
        must("-n", self.names[0], "link", "set", name, "master", "bridge", "up")
        must("-n", space, "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            must("-n", space, "link", "set", device, "up")

    def cable(self, name: str, state: str) -> None:
        """Pull a host's cable ("down"), or plug it in again ("up")."""
        must("-n", self.names[0], "link", "set", name, state)

    def close(self) -> None:
        for name in self.names:
            ip("netns", "del", name)


class NetworkedSite(LiveSite):
    """Site, broker and site worker in the site's namespace; each host in its own, with its own key and folder."""

    def __init__(self, folder: Path, network: Network) -> None:
        super().__init__(folder, f"redis://:{PASSWORD}@{SITE_ADDRESS}:6379/0")
        self.network = network
        self.prefix = network.enter("site")

    def start_broker(self) -> None:
        command = redis_server.command(self.folder, self.folder / "redis.sock")
        tcp = ["--port", "6379", "--bind", SITE_ADDRESS, "--requirepass", PASSWORD]
        with (self.folder / "redis.log").open("ab") as log:
            process = subprocess.Popen([*self.prefix, *command, *tcp], stdout=log, stderr=log)
        self.started.append(process)
        local = f"unix://:{PASSWORD}@{self.folder / 'redis.sock'}"
        redis_server.wait_until_ready(process, local)

    def start_host(self, name: str, gib: int) -> None:
        """Start a stand-in worker in the host's namespace; its runs are in a file of its own."""
        folder = self.folder / name
        if not folder.exists():
            folder.mkdir()
            (folder / "host-key").touch(mode=0o600)
            (folder / "host-key").write_text(self.run("manage.py", "host", "add", name))
        command = ("-m", "tests.verify.stand_in", str(self.log_of(name)), "--gib", str(gib))
        self.prefix = self.network.enter(name)
        try:
            self.start(*command, name=name, CONCUR_DATA_DIR=str(folder), CONCUR_WORKER_NAME=name)
        finally:
            self.prefix = self.network.enter("site")

    def log_of(self, name: str) -> Path:
        return self.folder / f"runs-{name}.txt"

    def runs_of(self, name: str) -> list[tuple[str, int]]:
        """Return (verification, attempt) of every run that a host began."""
        with suppress(FileNotFoundError):
            lines = self.log_of(name).read_text().splitlines()
            return [(line.split()[0], int(line.split()[1])) for line in lines]
        return []
