"""This host's key, from CONCUR_HOST_KEY or the file host-key in the data folder. Hidden from child processes."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from eval_app.broker.messages.keys import HostKey, HostKeyError

VARIABLE = "CONCUR_HOST_KEY"
HANDED_OVER = "CONCUR_HOST_KEY_FD"  # a pipe from this process's previous image
FILE = "host-key"


def take_key(folder: Path) -> HostKey:
    """Return the key and remove it from its source. Raises HostKeyError, which never repeats the key."""
    text = os.environ.pop(VARIABLE, "").strip() or from_pipe() or from_file(folder / FILE)
    if not text:
        raise HostKeyError(
            "This host has no key. Make one on the site with `manage.py host add NAME`, then start it here with "
            f"{VARIABLE} set to what that printed, or write it to {folder / FILE} with mode 600"
        )
    return HostKey.read(text)


def from_pipe() -> str:
    """Return the key from the pipe of `hand_over`; empty if there is none."""
    number = os.environ.pop(HANDED_OVER, "")
    if not number.isascii() or not number.isdigit():
        return ""
    with os.fdopen(int(number)) as pipe:
        return pipe.read().strip()


def from_file(path: Path) -> str:
    """Return the key in a file; empty if there is none. Raises HostKeyError if others may read it."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return ""
    if mode & 0o077:
        raise HostKeyError(f"{path} can be read by other accounts: chmod 600 {path}")
    return path.read_text("ascii", "replace").strip()


def restart_without_key(arguments: list[str]) -> None:
    """Restart this process without the key in its environment, which stays readable in /proc."""
    text = os.environ.pop(VARIABLE, "")
    if text:
        hand_over(text, arguments)


def hand_over(text: str, arguments: list[str]) -> NoReturn:
    """Replace this process by one that reads the key from a pipe."""
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as pipe:
        pipe.write(text[:4000])  # fits into a pipe's buffer, so that writing never blocks
    os.set_inheritable(reader, True)
    environment = {**os.environ, HANDED_OVER: str(reader)}
    os.execve(sys.executable, [sys.executable, *arguments], environment)  # noqa: S606
