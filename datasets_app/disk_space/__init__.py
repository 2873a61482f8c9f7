"""Disks that take nothing, full or read-only: how they show in errors, and what to tell whoever could not store data.

`is_out_of_space(error)` is called wherever a write may fail; `sentence(error)` says which disk it is, what was kept
and what to do. This package imports settings only.
"""

from datasets_app.disk_space.errors import is_out_of_space
from datasets_app.disk_space.refusals import (
    note_refusal,
    sentence,
    was_refused_lately,
    when_there_is_room,
    which_disk,
)
from datasets_app.disk_space.room import data_disk, is_full, try_to_write

__all__ = [
    "data_disk",
    "is_full",
    "is_out_of_space",
    "note_refusal",
    "sentence",
    "try_to_write",
    "was_refused_lately",
    "when_there_is_room",
    "which_disk",
]
