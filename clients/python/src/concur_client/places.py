"""Where a release's files are stored: below the chosen folder, whatever names the site sends."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from concur_client.errors import DownloadError

PART = ".part"  # the ending of a file that is not complete yet


def place_of(folder: Path, name: str) -> Path:
    """Return the path of a file below the folder. Raises DownloadError if the name does not plainly lead there."""
    parts = name.split("/")
    if not all(map(is_plain, parts)) or name.casefold().endswith(PART):
        raise DownloadError(
            f"The site names a file {name!r:.200}, which is no safe name. It was not downloaded."
        )
    place = folder.joinpath(*parts)
    if not place.parent.resolve().is_relative_to(folder.resolve()):
        raise DownloadError(
            f"{place.parent} leads out of {folder} by a symbolic link. Remove the link, or choose another folder."
        )
    return place


def is_plain(part: str) -> bool:
    """Return whether this is one name of a file or folder on every system: no step up, no drive, no controls."""
    return (
        part not in ("", ".", "..")
        and part.isprintable()
        and not set(part) & set('\\:*?"<>|')
        and not part.endswith((".", " "))
    )


def refuse_collisions(names: Iterable[str]) -> None:
    """Raise DownloadError if two files would be stored as one, or one where another needs a folder."""
    seen: set[PurePosixPath] = set()
    paths = [PurePosixPath(unicodedata.normalize("NFC", name).casefold()) for name in names]
    for path in paths:
        if path in seen:
            raise DownloadError(f"The site names two files {str(path)!r:.200}. Nothing was downloaded.")
        seen.add(path)
    for path in paths:
        if seen.intersection(path.parents):
            raise DownloadError(f"The site names a file above {str(path)!r:.200}. Nothing was downloaded.")
