"""A release as the Hugging Face Hub would describe it, so that its clients read it with HF_ENDPOINT set to this site.

Only the finished files of the release's package are in the repository. `main` and the commit are its revisions. The
commit is derived from the content hash: it names the rows, while the describing files (a card that is yanked, a format
that was added) may be written again under it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from django.conf import settings
from django.http import Http404

from datasets_app.accounts.actor import Actor
from datasets_app.export import card, croissant
from datasets_app.export.readable import NeedsAccountError, find_readable
from datasets_app.models import Export, JobState, Publication, Release

MAIN = "main"
COMMIT_LENGTH = 40
POINTER_BYTES = 134  # of the file that stands for a large one in a git repository; clients only want a number


class HubError(Exception):
    """An answer that is not the file: status, the Hub's code for it, and a sentence."""

    def __init__(self, status: int, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.code = status, code


NOT_PUBLIC = (
    "There is no public release {repository} here. If it needs an account, set HF_TOKEN to a token of yours, made on "
    "the site's account page."
)
MISSING = "There is no finished release {repository} here; the names of releases begin with {mine}/."


def find_release(namespace: str, name: str, actor: Actor) -> Release:
    """Return the finished release. Raises HubError, which tells a stranger nothing about what there is."""
    repository, mine = f"{namespace}/{name}", settings.HUB_NAMESPACE
    missing = HubError(404, "RepoNotFound", MISSING.format(repository=repository, mine=mine))
    not_public = HubError(401, "RepoNotFound", NOT_PUBLIC.format(repository=repository))
    if namespace != mine:
        raise not_public if actor.user is None else missing
    try:
        release = find_readable(name, actor)
    except NeedsAccountError:
        raise not_public from None
    except Http404:
        raise missing from None
    if release.state != JobState.DONE:
        raise missing
    return release


def commit_of(release: Release) -> str:
    """Return the 40 hexadecimal digits that the Hub's clients take for a commit."""
    return release.content_sha256[:COMMIT_LENGTH]


def require_revision(release: Release, revision: str) -> None:
    """Raise HubError for a revision that the release does not have."""
    if revision.removeprefix("refs/heads/") not in (MAIN, commit_of(release)):
        raise HubError(
            404,
            "RevisionNotFound",
            f"{release.name} has no revision {revision[:80]!r}; it has main, which is {commit_of(release)}.",
        )


def files_of(release: Release) -> list[Export]:
    """Return the finished files in the order of their paths."""
    return list(release.exports.in_package().filter(state=JobState.DONE).order_by("path"))


def find_file(release: Release, path: str) -> Export:
    """Return a finished file of the release. Raises HubError."""
    export = release.exports.in_package().filter(path=path, state=JobState.DONE).first()
    if export is None:
        raise HubError(404, "EntryNotFound", f"{release.hub_id} has no file {path[:200]!r}.")
    export.release = release
    return export


def metadata(release: Release, address: Callable[[str], str]) -> dict[str, Any]:
    """Return the release in MLCommons' Croissant, with its files' full addresses. Raises HubError."""
    find_file(release, croissant.FILE)
    files = release.exports.of_rows().filter(state=JobState.DONE).order_by("path")
    made = croissant.metadata(release, list(files), card.licences(release))
    for file in made["distribution"]:
        file["contentUrl"] = address(file["contentUrl"])
    return made


def repository(release: Release) -> dict[str, Any]:
    """Return what the Hub's clients know as the information on a data set."""
    files = files_of(release)
    publication = Publication.of(release)
    return {
        "_id": commit_of(release)[:24],
        "id": release.hub_id,
        "author": settings.HUB_NAMESPACE,
        "sha": commit_of(release),
        "private": not publication.is_public,
        "gated": False,
        "disabled": False,
        "lastModified": moment(release),
        "createdAt": moment(release),
        "description": release.title,
        "tags": ["cuda", "code", "reasoning"],
        "downloads": 0,
        "likes": 0,
        "usedStorage": sum(file.size_bytes for file in files),
        "siblings": [
            {
                "rfilename": file.path,
                "size": file.size_bytes,
                "blobId": object_id(file),
                "lfs": large_file(file),
            }
            for file in files
        ],
    }


def moment(release: Release) -> str:
    """Return when the release was finished, in the one form of time that the Hub's clients parse."""
    return f"{release.finished_at:%Y-%m-%dT%H:%M:%S}.000Z" if release.finished_at else ""


def object_id(file: Export) -> str:
    return file.sha256[:COMMIT_LENGTH]


def large_file(file: Export) -> dict[str, Any]:
    """Return the file's hash and size; the Hub says them of its large files, which ours all are to the clients."""
    return {"oid": file.sha256, "sha256": file.sha256, "size": file.size_bytes, "pointerSize": POINTER_BYTES}


def tree(release: Release, folder: str, recursive: bool) -> list[dict[str, Any]]:
    """Return the entries below `folder`; without `recursive`, those directly in it. Raises HubError."""
    below = f"{folder.strip('/')}/" if folder.strip("/") else ""
    files = [file for file in files_of(release) if file.path.startswith(below)]
    if below and not files:
        raise HubError(404, "EntryNotFound", f"{release.hub_id} has no folder {folder[:200]!r}.")
    wanted = [file for file in files if recursive or "/" not in file.path.removeprefix(below)]
    folders = sorted({path for file in files for path in folders_of(file.path) if path.startswith(below)})
    directly = [path for path in folders if recursive or "/" not in path.removeprefix(below)]
    entries = [*map(folder_entry, directly), *map(file_entry, wanted)]
    return [entry | last_commit(release) for entry in entries]


def folders_of(path: str) -> Iterable[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[: depth + 1]) for depth in range(len(parts)))


def paths_info(release: Release, paths: Collection[str]) -> list[dict[str, Any]]:
    """Return the entries of those paths that there are; others are left out, as the Hub does."""
    files = {file.path: file for file in files_of(release)}
    folders = {folder for path in files for folder in folders_of(path)}
    found = []
    for path in dict.fromkeys(path.strip("/") for path in paths):
        if path in files:
            found.append(file_entry(files[path]))
        elif path in folders:
            found.append(folder_entry(path))
    return [entry | last_commit(release) for entry in found]


def last_commit(release: Release) -> dict[str, Any]:
    """Return what an entry says of its last change: a file system without it refuses to say when a file changed, and
    DuckDB, which asks, to read it."""
    return {
        "lastCommit": {"id": commit_of(release), "title": f"Release {release.name}", "date": moment(release)}
    }


def file_entry(file: Export) -> dict[str, Any]:
    return {
        "type": "file",
        "path": file.path,
        "size": file.size_bytes,
        "oid": object_id(file),
        "lfs": large_file(file),
    }


def folder_entry(path: str) -> dict[str, Any]:
    return {"type": "directory", "path": path, "size": 0, "oid": "0" * COMMIT_LENGTH}


def refs(release: Release) -> dict[str, Any]:
    branch = {"name": MAIN, "ref": f"refs/heads/{MAIN}", "targetCommit": commit_of(release)}
    return {"branches": [branch], "tags": [], "converts": []}
