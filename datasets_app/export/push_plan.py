"""What a push would change in a repository: compared by hashes, and nothing that no push has written.

The repository belongs to whoever else writes there. What an earlier push wrote is listed, with hashes, in the
SHA256SUMS that it left: only those files are replaced. Those of them that the release no longer has are deleted, if
their content is still the listed one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from datasets_app.export.errors import PushError
from datasets_app.export.hub_repository import Contents, HubRepository
from datasets_app.export.package import SUMS
from datasets_app.models import Export

OpenFiles = Mapping[str, tuple[Export, BinaryIO]]  # the release's files by path, open at their beginning

LINE = re.compile(r"([0-9a-f]{64})  (.+)")
OF_EVERY_PUSH = {
    "README.md",
    "LICENSE",
    "recipe.json",
    "manifest.json",
}  # a list of hashes with these is a push's
MOST_BYTES = 10_000_000  # of a list of hashes
NOT_OURS = (
    "{repository} has files that no push wrote, where the release's would go: {paths}. Delete them there, or push to "
    "another repository."
)


@dataclass(frozen=True)
class Plan:
    """What differs, by paths; if only `kept` has any, the repository holds the release."""

    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    kept: list[str] = field(
        default_factory=list
    )  # not the release's: somebody else's, or changed since a push

    @property
    def changes(self) -> bool:
        return bool(self.added or self.replaced or self.deleted)

    def lines(self, files: OpenFiles) -> Iterator[str]:
        """Yield a line for each path. The repository's own paths are quoted: anybody may have chosen them."""
        for word, paths in (("add", self.added), ("replace", self.replaced)):
            yield from (f"{word:>8} {path} ({files[path][0].size_bytes:,} bytes)" for path in paths)
        yield from (f"  delete {path!r}, which an earlier push wrote" for path in self.deleted)
        yield from (f"    keep {path!r}, which is not of the release" for path in self.kept)


def planned(files: OpenFiles, remote: HubRepository, there: Contents | None) -> Plan:
    """Return what a push would change. Raises PushError if it would replace what no push has written."""
    if there is None:
        return Plan(added=list(files))
    plan = compared(files, there)
    written = written_by_pushes(remote, there)
    if strange := [path for path in plan.replaced if path not in written]:
        raise PushError(NOT_OURS.format(repository=remote.name, paths=", ".join(strange)))
    kept: list[str] = []
    for path in plan.kept:
        ours = path in written and remote.sha256_of(path, there) == written[path]
        (plan.deleted if ours else kept).append(path)
    return Plan(plan.added, plan.replaced, plan.deleted, kept)


def compared(files: OpenFiles, there: Contents) -> Plan:
    """Return what differs; whatever is not the release's is kept."""
    replaced = [
        path
        for path, (file, stream) in files.items()
        if path in there.files and not there.files[path].holds(stream, file.size_bytes, file.sha256)
    ]
    added = [path for path in files if path not in there.files]
    return Plan(added, replaced, kept=sorted(set(there.files) - set(files)))


def written_by_pushes(remote: HubRepository, there: Contents) -> dict[str, str]:
    """Return the SHA-256 of each file that the push before wrote; empty if there was none."""
    sums = there.files.get(SUMS)
    if sums is None or (sums.size_bytes or 0) > MOST_BYTES:
        return {}
    with remote.downloaded(SUMS, there.commit) as path, path.open("rb") as file:
        written = listed(file)
    return {**written, SUMS: ""} if written.keys() >= OF_EVERY_PUSH else {}


def listed(sums: BinaryIO) -> dict[str, str]:
    """Return the SHA-256 by path of a list of hashes, and leave it at its beginning. Other lines are left out."""
    text = sums.read().decode(errors="replace")
    sums.seek(0)
    return {line[2]: line[1] for line in map(LINE.fullmatch, text.splitlines()) if line}
