"""Push a release's files to a data set's repository on a Hub: one commit, then a tag of the release's name.

The repository gets what the site's own Hub endpoint offers (hub.py), at the same paths.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.export import hub, package
from datasets_app.export.errors import PushError
from datasets_app.export.files import digest_of
from datasets_app.export.hub_repository import Contents, HubRepository
from datasets_app.export.push_plan import OpenFiles, Plan, compared, listed, planned
from datasets_app.export.request import name_of
from datasets_app.export.store import release_files
from datasets_app.models import Export, JobState, Publication, Release, Visibility
from datasets_app.models.bounds import LONGEST_TITLE
from datasets_app.text_input.validate import name_fault

Say = Callable[[str], object]

PUBLIC_HUB = "https://huggingface.co"
REPOSITORY = re.compile(r"\w[\w.-]*/\w[\w.-]*", re.ASCII)
REBUILD = "Nothing was sent. Write the files again: manage.py release rebuild {name}"
NOT_PRIVATE = (
    "{repository} is not private, and a push does not change who reads it. Make it private there, or push to another "
    "repository."
)
LEAK = (
    "Release {name} is private here, and others could read {repository}. Push to a private repository (--private makes "
    "a new one so), or change who may read the release."
)


@dataclass(frozen=True)
class Destination:
    endpoint: str
    repository: str
    private: bool = False


@dataclass(frozen=True)
class Pushed:
    commit: str  # that holds the release; empty after a dry run that found changes to make
    changed: bool  # whether the commit was made now
    tagged: str  # the commit that has the release's name for a tag; empty if none has
    plan: Plan

    def to_json(self) -> dict[str, Any]:
        return {"commit": self.commit, "changed": self.changed, "tagged": self.tagged, **asdict(self.plan)}


def destination(repository: str, endpoint: str = "", private: bool = False) -> Destination:
    """Return where to push; without an endpoint, HF_ENDPOINT's or the public Hub. Raises PushError."""
    if not REPOSITORY.fullmatch(repository):
        raise PushError(f"{repository[:100]!r} is not a repository; name it as OWNER/NAME.")
    address = (endpoint or os.environ.get("HF_ENDPOINT") or PUBLIC_HUB).rstrip("/")
    if not is_address(address):
        raise PushError(f"The endpoint is not an address of a Hub, such as {PUBLIC_HUB}")
    return Destination(address, repository, private)


def is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    is_plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    return parts.scheme in ("https", "http") and bool(parts.hostname) and is_plain


@needs(Scope.CURATE)
def push(
    release: Release, to: Destination, message: str = "", *, dry_run: bool = False, say: Say, actor: Actor
) -> Pushed:
    """Make the repository hold the release's files. Raises PushError; without a commit, its files are as they were.

    The repository is made if it is missing. `say` gets sentences for people on the way. A dry run only reads.
    """
    if fault := name_fault("The message", message, LONGEST_TITLE):
        raise PushError(fault)
    with ExitStack() as opened:
        files = checked_files(release, opened)
        remote = HubRepository(to.endpoint, to.repository)
        before = remote.contents()
        refuse_if_others_read_it(release, to, before.is_private if before else to.private)
        plan = planned(files, remote, before)
        say_plan(plan, files, remote, is_new=before is None, say=say)
        if dry_run:
            return Pushed(before.commit if before and not plan.changes else "", False, "", plan)
        if before is None:
            before = remote.create(to.private)
            refuse_if_others_read_it(release, to, before.is_private)
            plan = planned(files, remote, before)
        commit = before.commit
        if plan.changes:
            commit = committed(release, files, remote, before, plan, message)
            facts = {"repository": to.repository, "commit": commit, "endpoint": remote.host}
            audit.record(actor, "release.push", release, name=release.name, **facts)
            say(f"Committed as {commit}.")
            require_all_there(files, remote, commit, plan)
    return Pushed(commit, plan.changes, tagged(release, remote, commit, say), plan)


def checked_files(release: Release, opened: ExitStack) -> OpenFiles:
    """Open the release's files, each compared with its recorded SHA-256. Raises PushError.

    What is sent is what was compared: a file that is written again meanwhile is another one, under the same name.
    """
    publication = Publication.of(release)
    if publication.is_yanked:
        raise PushError(f"Release {release.name} is yanked: {publication.yank_reason}")
    if left := release.exports.in_package().exclude(state=JobState.DONE).order_by("path").first():
        raise PushError(
            f"{left.path} of release {release.name} is {left.state}. Push when all files are written; the release's "
            "page tries a failed one again."
        )
    files = {file.path: (file, opened_file(release, file, opened)) for file in hub.files_of(release)}
    sums = {path: file.sha256 for path, (file, _) in files.items() if path != package.SUMS}
    if package.SUMS not in files or listed(files[package.SUMS][1]) != sums:
        raise PushError(
            f"{package.SUMS} does not list the release's files as they are. {REBUILD.format(name=release.name)}"
        )
    return files


def opened_file(release: Release, file: Export, opened: ExitStack) -> BinaryIO:
    try:
        stream = opened.enter_context(release_files().open(name_of(release, file.path)))
        fault = "" if digest_of(stream) == file.sha256 else "its SHA-256 is another"
        stream.seek(0)
    except OSError as error:
        fault = error.strerror or str(error)
    if fault:
        raise PushError(f"{file.path} is not as it was written: {fault}. {REBUILD.format(name=release.name)}")
    return stream


def refuse_if_others_read_it(release: Release, to: Destination, is_private: bool) -> None:
    if to.private and not is_private:
        raise PushError(NOT_PRIVATE.format(repository=to.repository))
    if Publication.of(release).visibility == Visibility.PRIVATE and not is_private:
        raise PushError(LEAK.format(name=release.name, repository=to.repository))


def say_plan(plan: Plan, files: OpenFiles, remote: HubRepository, is_new: bool, say: Say) -> None:
    if is_new:
        say(f"There is no {remote.name} at {remote.host} yet: a push makes it.")
    for line in plan.lines(files):
        say(line)
    if not plan.changes:
        say(f"{remote.name} at {remote.host} holds the release already; nothing is changed.")


def committed(
    release: Release, files: OpenFiles, remote: HubRepository, before: Contents, plan: Plan, message: str
) -> str:
    sent = {path: files[path][1] for path in (*plan.added, *plan.replaced)}
    details = f"{release.row_count:,} rows, content SHA-256 {release.content_sha256}"
    title = message.strip() or f"Release {release.name}"
    return remote.commit(sent, plan.deleted, before.commit, title, details)


def require_all_there(files: OpenFiles, remote: HubRepository, commit: str, plan: Plan) -> None:
    """Raise PushError if the commit does not hold the release: a repository's .gitignore leaves files out, silently."""
    there = remote.contents(commit)
    left = compared(files, there) if there else Plan(added=list(files))
    if wrong := [*left.added, *left.replaced, *(path for path in plan.deleted if path in left.kept)]:
        raise PushError(
            f"The commit {commit} was made, but does not hold these files as they were sent: {', '.join(wrong)}. Does "
            f"a .gitignore of {remote.name} name them?"
        )


def tagged(release: Release, remote: HubRepository, commit: str, say: Say) -> str:
    """Give the commit the release's name for a tag; return which commit has it. A server may have no tags."""
    try:
        there = remote.tags().get(release.name)
        if there is None:
            remote.tag(release.name, commit)
            say(f"Tagged as {release.name}.")
    except PushError as error:
        say(f"The release is there, but has no tag. {error}")
        return ""
    if there not in (None, commit):
        say(f"The tag {release.name} stays at {there}, where it was.")
    return there or commit
