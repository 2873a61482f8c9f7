"""A data set's repository on a Hub, by huggingface_hub: what is there, one commit, a tag.

Files are sent by the Hub's LFS over HTTP and never by xet, which other servers do not have: the library does so for
files that are open.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO
from urllib.parse import urlsplit

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError
from huggingface_hub.utils import logging as library_logging

from datasets_app.export.errors import PushError
from datasets_app.export.files import hash_of
from datasets_app.models.token import PREFIX

DATASET = "dataset"
CHUNK_BYTES = 1 << 20
MOST_UPLOADS = 5
LONGEST_WORDS = 600
SIGN_IN = "There is no token for {host}. Set HF_TOKEN to one that may write, or sign in with: hf auth login"
HINTS = {
    401: "Is HF_TOKEN a token of that Hub?",
    403: "The token may not do this: it needs the right to write there.",
    412: "Somebody else changed the repository meanwhile; push again.",
}
OF_A_SITE = (
    "HF_TOKEN is a token of a site like this one, which is not for {host}. Set it to a token of that Hub."
)


@dataclass(frozen=True)
class StoredFile:
    """A file of the repository: by its SHA-256 if it is a large one, or else by its git object."""

    size_bytes: int | None
    sha256: str
    git_oid: str

    def holds(self, file: BinaryIO, size_bytes: int, sha256: str) -> bool:
        """Return whether its content is that of the open file, whose SHA-256 is known."""
        if self.sha256:
            return self.sha256 == sha256
        return self.size_bytes == size_bytes and self.git_oid == git_oid(file, size_bytes)


@dataclass(frozen=True)
class Contents:
    """What a branch or a commit holds."""

    commit: str  # empty: the repository has none
    is_private: bool
    files: Mapping[str, StoredFile]


class HubRepository:
    """`OWNER/NAME` at an endpoint. Every method raises PushError with the server's own words."""

    def __init__(self, endpoint: str, name: str) -> None:
        self.endpoint, self.name, self.host = endpoint, name, urlsplit(endpoint).netloc
        with self.faults_in_words():
            token = get_token()
        if not token:
            raise PushError(SIGN_IN.format(host=self.host))
        if token.startswith(PREFIX):
            raise PushError(OF_A_SITE.format(host=self.host))
        keep_addresses_out_of_logs()
        # The endpoint is said here: the library reads HF_ENDPOINT only once, when it is imported.
        self.api = HfApi(endpoint=endpoint, token=token, library_name="concur-workbench")

    def contents(self, commit: str | None = None) -> Contents | None:
        """Return what the default branch, or the commit, holds; None if there is no such repository."""
        with self.faults_in_words():
            try:
                found = self.api.dataset_info(self.name, revision=commit, files_metadata=True)
            except RepositoryNotFoundError as error:
                if error.response.status_code != 404 or commit:  # 401: the server tells nothing to this token
                    raise
                return None
            files = {
                one.rfilename: StoredFile(one.size, one.lfs.sha256 if one.lfs else "", one.blob_id or "")
                for one in found.siblings or []
            }
        return Contents(found.sha or "", bool(found.private), files)

    def create(self, private: bool) -> Contents:
        """Create the repository, if it is still missing, and return what it holds at first."""
        with self.faults_in_words():
            self.api.create_repo(self.name, repo_type=DATASET, private=private or None, exist_ok=True)
        made = self.contents()
        if made is None:
            raise PushError(f"{self.host} made the repository {self.name}, but does not find it.")
        return made

    def sha256_of(self, path: str, contents: Contents) -> str:
        """Return the SHA-256 of a file; one that is not among the large files is downloaded for it."""
        if known := contents.files[path].sha256:
            return known
        with self.downloaded(path, contents.commit) as file:
            return hash_of(file)

    @contextmanager
    def downloaded(self, path: str, commit: str) -> Iterator[Path]:
        """Yield where a file of the commit lies during the block."""
        with TemporaryDirectory() as folder:
            with self.faults_in_words():
                found = self.api.hf_hub_download(
                    self.name, path, repo_type=DATASET, revision=commit, local_dir=folder
                )
            yield Path(found)

    def commit(
        self, sent: Mapping[str, BinaryIO], deleted: Collection[str], parent: str, message: str, details: str
    ) -> str:
        """Send the open files, and make one commit of all changes on top of `parent`; return its id.

        The server refuses it if somebody else's commit came in between. Without the commit, nothing has changed.
        """
        with self.faults_in_words():
            added = [CommitOperationAdd(path, file) for path, file in sent.items()]
            made = self.api.create_commit(
                self.name,
                [*added, *(CommitOperationDelete(path, is_folder=False) for path in deleted)],
                commit_message=message,
                commit_description=details,
                repo_type=DATASET,
                parent_commit=parent or None,
                num_threads=threads(added),
            )
        return str(made.oid)

    def tags(self) -> dict[str, str]:
        """Return the commits of the tags by their names."""
        with self.faults_in_words():
            refs = self.api.list_repo_refs(self.name, repo_type=DATASET)
            return {tag.name: tag.target_commit for tag in refs.tags}

    def tag(self, name: str, commit: str) -> None:
        with self.faults_in_words():
            self.api.create_tag(self.name, tag=name, revision=commit, repo_type=DATASET)

    @contextmanager
    def faults_in_words(self) -> Iterator[None]:
        """Raise PushError for whatever the library raises: its own errors, its transport's, or of a strange answer."""
        try:
            yield
        except HfHubHTTPError as error:
            raise PushError(self.refusal(error)) from error
        except Exception as error:
            cause = error.__cause__  # of an upload: the library says which file, its cause says why
            said = self.refusal(cause) if isinstance(cause, HfHubHTTPError) else str(cause or "")
            why = str(error) if said in str(error) else f"{error} {said}"
            raise PushError(f"{self.host}: {on_one_line(why) or type(error).__name__}") from error

    def refusal(self, error: HfHubHTTPError) -> str:
        """Return the server's status and sentence. The library's own text would name addresses that are signed."""
        response = error.response
        said = on_one_line(error.server_message or "") or response.reason_phrase
        hint = HINTS.get(response.status_code, "")
        return f"{self.host} answered {response.status_code}: {said} {hint}".strip()


def keep_addresses_out_of_logs() -> None:
    """Silence the library and its transports: they log each request's address, and that of an upload is signed."""
    library_logging.set_verbosity_error()
    for transport in ("httpx", "httpx2"):
        logging.getLogger(transport).setLevel(logging.WARNING)


def threads(added: list[CommitOperationAdd]) -> int:
    """Return how many uploads may run at once: one, if files are alike, since the library reads one of them for all."""
    return MOST_UPLOADS if len({one.upload_info.sha256 for one in added}) == len(added) else 1


def git_oid(file: BinaryIO, size_bytes: int) -> str:
    """Return the SHA-1 that names the file's content in a git repository."""
    made = hashlib.sha1(b"blob %d\0" % size_bytes, usedforsecurity=False)
    file.seek(0)
    while chunk := file.read(CHUNK_BYTES):
        made.update(chunk)
    file.seek(0)
    return made.hexdigest()


def on_one_line(text: str) -> str:
    """Return foreign text as a terminal can show it: on one line, without control characters, cut."""
    line = " ".join(text.split())[:LONGEST_WORDS]
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)
