"""Follows "More machines" of docs/operate.md word by word, on two machines: namespaces with addresses of their own.

Each has a checkout of its own as far as its commands can tell, and a data folder; nothing is told to either of them but
what the page says. Where namespaces cannot be made, the test says why it is skipped.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import pytest

from tests.faults.namespaces import SITE_ADDRESS, Network, unavailable
from tests.live import PASSWORD, ROOT

pytestmark = [
    pytest.mark.long,
    pytest.mark.engine,
    pytest.mark.any_database,
    pytest.mark.xdist_group("faults"),
]

SECTION = (ROOT / "docs/operate.md").read_text().partition("## More machines\n")[2].partition("\n## ")[0]
COMMANDS = [
    textwrap.dedent(block).replace("10.0.0.5", SITE_ADDRESS)
    for block in re.findall(r"^ +```\n(.*?)^ +```$", SECTION, re.DOTALL | re.MULTILINE)
]
PRINTED = re.compile(r"^CONCUR_HOST_KEY=\S+ REDIS_URL=\S+ make worker$", re.MULTILINE)
PATIENCE_SECONDS = 400.0  # a self-test compiles, and two run beside each other


class Machine:
    """A namespace, a checkout, a data folder, and terminals in them."""

    def __init__(self, folder: Path, network: Network, name: str) -> None:
        self.folder, self.enter = folder / name, network.enter(name)
        self.checkout = self.folder / "checkout"
        self.checkout.mkdir(parents=True)
        for path in ROOT.iterdir():
            if path.name not in (".venv", ".git", "requirements", "var", "build"):
                (self.checkout / path.name).symlink_to(path)
        (self.checkout / ".venv").symlink_to(sys.prefix)
        shutil.copytree(ROOT / "requirements", self.checkout / "requirements")
        for lock in (self.checkout / "requirements").iterdir():
            os.utime(lock, (0, 0))  # older than the environment: make has nothing to install
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("CONCUR_", "DJANGO_"))}
        self.environment = {key: kept[key] for key in kept if key not in ("REDIS_URL", "DATABASE_URL")}
        self.environment |= {"CONCUR_DATA_DIR": str(self.folder / "data"), "CONCUR_DEMO_VERIFY": "0"}
        self.environment |= {"CONCUR_ADMIN_PASSWORD": PASSWORD}
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, command: str) -> None:
        """Type a command that goes on until Ctrl-C."""
        with (self.folder / "terminal").open("ab") as terminal:
            process = subprocess.Popen(
                [*self.enter, "bash", "-c", command],
                cwd=self.checkout,
                env=self.environment,
                stdout=terminal,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.running.append(process)

    def run(self, command: str) -> str:
        """Type commands that end, in a second terminal; return what they print."""
        done = subprocess.run(
            [*self.enter, "bash", "-c", f"set -euo pipefail\n{command}"],
            cwd=self.checkout,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        return done.stdout

    def says(self, words: str) -> None:
        """Wait until the first terminal shows something."""

        deadline = time.monotonic() + PATIENCE_SECONDS
        while words not in (text := (self.folder / "terminal").read_text()):
            assert all(process.poll() is None for process in self.running), text
            assert time.monotonic() < deadline, f"{words!r} is not in\n{text}"
            time.sleep(0.2)

    def interrupt(self) -> None:
        """Press Ctrl-C in the first terminal."""
        for process in self.running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=120)


@pytest.fixture
def machines():
    if reason := unavailable():
        pytest.skip(reason)
    if not Path(sys.prefix, "web").exists():
        pytest.skip("this environment was not made by make, which would install it again")
    network = Network()
    folder = Path(tempfile.mkdtemp(prefix="cw-", dir="/var/tmp"))  # sandboxes have a /tmp of their own
    network.add_host("gpu-7")
    site, other = (Machine(folder, network, name) for name in ("site", "gpu-7"))
    try:
        yield site, other
    finally:
        other.interrupt()
        site.interrupt()
        network.close()
        shutil.rmtree(folder, ignore_errors=True)


def test_a_stranger_gets_from_the_page_to_two_machines_that_work(machines):
    site, other = machines
    run, add, worker, check = COMMANDS
    site.start(run)
    site.says("http://127.0.0.1:8000")
    [line] = PRINTED.findall(site.run(add))
    shape = re.escape(worker.strip()).replace(re.escape("...."), r"\.\S+").replace(re.escape("..."), r"\S+")
    assert re.fullmatch(shape, line), "what the page shows is what the command prints"
    other.start(line)
    other.says("self-test passed")

    [own] = [row.split("\t")[0] for row in site.run(check.splitlines()[0]).splitlines() if "gpu-7" not in row]
    site.run(f".venv/bin/python manage.py host drain {own}")  # so that only the other machine takes work
    said = site.run(check)
    assert re.search(r"^gpu-7\t\S+\tseen ", said, re.MULTILINE), said
    assert '"passed"' in said.splitlines()[-1], said
    assert "gpu-7" in site.run(WHO)


WHO = """.venv/bin/python manage.py shell -c '
from datasets_app.models import Verification
print(Verification.objects.filter(state="done").latest("finished_at").worker)'"""
