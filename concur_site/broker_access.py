"""Whether the run's own broker accepts other machines: its address and the password of the site's account.

Both are in a file of the data folder, written when CONCUR_BROKER_LISTEN is set, so that commands in another terminal
know them as well. Without that file the broker has a Unix socket only, and no password.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = "broker-access"
EVERYWHERE = ("0.0.0.0", "::", "*")  # noqa: S104  (recognised, not bound)


@dataclass(frozen=True)
class BrokerAccess:
    """Where the run's own broker listens, as HOST:PORT, and the password of the account `default`."""

    listen: str = ""
    password: str = ""

    @property
    def host(self) -> str:
        return self.listen.rpartition(":")[0].strip("[]")

    @property
    def port(self) -> str:
        return self.listen.rpartition(":")[2]

    @property
    def address(self) -> str:
        """Return the address that other machines connect to."""
        return f"{socket.getfqdn()}:{self.port}" if self.host in EVERYWHERE else self.listen

    def site_url(self, path: Path) -> str:
        """Return the address for processes of this machine: always the socket."""
        return f"unix://default:{self.password}@{path}" if self.password else f"unix://{path}"


def broker_access(folder: Path, listen: str) -> BrokerAccess:
    """Return what is stored, with another address if one is given."""
    path = folder / FILE
    stored = read(path)
    if not listen or stored.listen == listen:
        return stored
    access = BrokerAccess(listen, stored.password or secrets.token_urlsafe(32))
    write(path, access)
    return access


def read(path: Path) -> BrokerAccess:
    try:
        return BrokerAccess(**json.loads(path.read_text()))
    except FileNotFoundError:
        return BrokerAccess()


def write(path: Path, access: BrokerAccess) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{FILE}-{os.getpid()}-{secrets.token_hex(4)}")
    part.touch(mode=0o600)
    part.write_text(json.dumps(asdict(access)))
    part.replace(path)
