"""Stores the names in a folder on its disk."""

import errno
import os
from pathlib import Path

UNSUPPORTED = {errno.EINVAL, errno.EOPNOTSUPP}


def sync_folder(folder: Path) -> None:
    """Return when the folder's names are on the disk. Raises OSError.

    A file system that cannot sync a folder, such as some network ones, says so by EINVAL and is left alone.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
    finally:
        os.close(descriptor)
