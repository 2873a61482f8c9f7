"""What the receiving Hub holds: repositories with their commits, and how they are described to its clients."""

import hashlib
from dataclasses import dataclass, field
from typing import Any


class RefusedError(Exception):
    def __init__(self, status: int, sentence: str, code: str = "") -> None:
        super().__init__(sentence)
        self.status, self.code = status, code


@dataclass
class Commit:
    oid: str
    files: dict[str, bytes]
    large: frozenset[str] = frozenset()  # paths
    title: str = ""


@dataclass
class Repository:
    private: bool = False
    commits: list[Commit] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)

    def at(self, revision: str) -> Commit:
        if revision == "main":
            return self.commits[-1]
        oid = self.tags.get(revision, revision)
        found = [commit for commit in self.commits if commit.oid == oid]
        if not found:
            raise RefusedError(404, f"There is no revision {revision}.", "RevisionNotFound")
        return found[0]

    def add(self, files: dict[str, bytes], large: set[str], title: str) -> Commit:
        oid = hashlib.sha1(f"{len(self.commits)} {title}".encode()).hexdigest()
        self.commits.append(Commit(oid, files, frozenset(large), title))
        return self.commits[-1]


def git_oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def entries(there: Commit) -> list[dict[str, Any]]:
    return [
        {
            "type": "file",
            "path": path,
            "size": len(content),
            "oid": git_oid(content),
            **({"lfs": lfs(content)} if path in there.large else {}),
        }
        for path, content in there.files.items()
    ]


def lfs(content: bytes) -> dict[str, Any]:
    return {"oid": sha256(content), "sha256": sha256(content), "size": len(content), "pointerSize": 134}


def folders(there: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = {one["path"].rpartition("/")[0] for one in there} - {""}
    return [{"type": "directory", "path": path, "size": 0, "oid": "0" * 40} for path in sorted(found)]
