"""This host's key: from CONCUR_HOST_KEY, else from the file host-key in the data folder. No child process sees it."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from eval_app.broker.messages.keys import HostKey, HostKeyError

VARIABLE = "CONCUR_HOST_KEY"
HANDED_OVER = "CONCUR_HOST_KEY_FD"  # a pipe from the process that this one was
FILE = "host-key"


def take_key(folder: Path) -> HostKey:
    """Return the key and forget where it came from. Raises HostKeyError, which never repeats it."""
    text = os.environ.pop(VARIABLE, "").strip() or from_pipe() or from_file(folder / FILE)
    if not text:
        raise HostKeyError(
            "This host has no key. Make one on the site with `manage.py host add NAME`, then start it here with "
            f"{VARIABLE} set to what that printed, or write it to {folder / FILE} with mode 600"
        )
    return HostKey.read(text)


def from_pipe() -> str:
    number = os.environ.pop(HANDED_OVER, "")
    if not number.isascii() or not number.isdigit():
        return ""
    with os.fdopen(int(number)) as pipe:
        return pipe.read().strip()


def from_file(path: Path) -> str:
    """Raises HostKeyError for a file that others may read."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return ""
    if mode & 0o077:
        raise HostKeyError(f"{path} can be read by other accounts: chmod 600 {path}")
    return path.read_text("ascii", "replace").strip()


def restart_without_key(arguments: list[str]) -> None:
    """Become a process whose first environment has no key: what a process is started with stays readable in /proc."""
    text = os.environ.pop(VARIABLE, "")
    if text:
        hand_over(text, arguments)


def hand_over(text: str, arguments: list[str]) -> NoReturn:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as pipe:
        pipe.write(text[:4000])  # fits into a pipe whoever reads it
    os.set_inheritable(reader, True)
    environment = {**os.environ, HANDED_OVER: str(reader)}
    os.execve(sys.executable, [sys.executable, *arguments], environment)  # noqa: S606
