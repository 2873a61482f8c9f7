"""Messages for refused writes, and the memory of the latest refusal."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.template.defaultfilters import filesizeformat

from datasets_app.disk_space.errors import is_of_database_server, is_out_of_space, is_read_only
from datasets_app.disk_space.room import data_disk, fullest_disk

REMEMBERED_SECONDS = 10.0
LOOK_AGAIN_SECONDS = 2.0
log = logging.getLogger(__name__)

_refused_at = float("-inf")


def sentence(error: BaseException | None = None, names_the_folder: bool = True) -> str:
    """Return which disk is full, what became of the request, and what to do."""
    return (
        f"{which_disk(error, names_the_folder)}, so this was not stored. "
        f"Everything that was stored before is kept. {what_to_do(error)}"
    )


def what_to_do(error: BaseException | None) -> str:
    if is_read_only(error):
        return (
            "Linux does that after a fault of the disk: the system's log (dmesg) says why. "
            "Make it writable again and try again: the site needs no restart."
        )
    return "Free some space on that disk and try again: the site needs no restart."


def which_disk(error: BaseException | None, names_the_folder: bool = True) -> str:
    """Return "The disk of … is full", with its free bytes if they can be measured, or "… is read-only"."""
    if is_of_database_server(error):
        return "The disk of the database server is full"
    disk = data_disk() if is_read_only(error) else fullest_disk()
    where = f"{disk.name} {disk.folder}" if names_the_folder else f"site's {disk.name}"
    if is_read_only(error):
        return f"The disk of the {where} is read-only"
    free = filesizeformat(disk.free_bytes).replace("\xa0", " ")
    return f"The disk of the {where} is full ({free} free)"


def when_there_is_room(action: Callable[[], object]) -> None:
    """Repeat `action` until no disk refuses it: for a report that would otherwise be lost."""
    while True:
        try:
            action()
        except Exception as error:
            if not is_out_of_space(error):
                raise
            log.warning("%s; waiting for room", which_disk(error))
        else:
            return
        time.sleep(LOOK_AGAIN_SECONDS)


def note_refusal(error: BaseException | None) -> None:
    """Remember that a database server refused a write just now: its disk cannot be measured from here."""
    global _refused_at
    if is_of_database_server(error):
        _refused_at = time.monotonic()


def was_refused_lately() -> bool:
    return time.monotonic() - _refused_at < REMEMBERED_SECONDS
