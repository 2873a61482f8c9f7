"""Binds the site's port once for all site processes, and names the program that occupies it."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

HOST = "127.0.0.1"
BACKLOG = 1024
LISTENING = "0A"  # the state in /proc/net/tcp


def bind(port: int) -> socket.socket:
    """Return a socket that listens on the port, for processes that inherit it. Raises OSError if the port is taken."""
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def is_free(port: int) -> bool:
    try:
        bind(port).close()
    except OSError:
        return False
    return True


def holder(port: int) -> str:
    """Return the program that listens on the port, as "python3 (process 4711)"; '' if it is another user's or not
    found."""
    sockets = set(sockets_on(port))
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(descriptor) in sockets:
                pid = descriptor.parts[2]
                return f"{Path(f'/proc/{pid}/comm').read_text().strip()} (process {pid})"
        except OSError:  # ended meanwhile, or another user's
            continue
    return ""


def sockets_on(port: int) -> Iterator[str]:
    """Return the listening sockets of the port, as /proc/PID/fd names them."""
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        for line in table.read_text().splitlines()[1:] if table.exists() else ():
            fields = line.split()
            if fields[3] == LISTENING and int(fields[1].rsplit(":", 1)[1], 16) == port:
                yield f"socket:[{fields[9]}]"
