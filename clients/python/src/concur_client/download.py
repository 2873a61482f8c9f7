"""Files of a release: what was received is gone on with, and what is complete has the SHA-256 that the site states."""

from __future__ import annotations

import fnmatch
import hashlib
import re
import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from urllib.parse import quote

import httpx

from concur_client.errors import DownloadError, UnreachableError, YankedWarning
from concur_client.part import Part
from concur_client.places import place_of, refuse_collisions
from concur_client.progress import Report, progress_bar
from concur_client.records import Downloaded, Release, ReleaseFile
from concur_client.transport import Transport, backoff_s, segment, words_of

MOST_PARALLEL = 16
MOST_ROUNDS = 3  # one that goes on from a part, one from the beginning, and one if the file changed meanwhile
CONTENT_RANGE = re.compile(r"bytes (\d+)-")


class StoppedError(Exception):
    """Another file of the same download failed."""


class Download:
    """The files of one release into one folder. `release` asks the site for the release as it is now."""

    def __init__(self, transport: Transport, release: Callable[[], Release], folder: Path) -> None:
        self.transport = transport
        self.release = release
        self.first = release()
        self.folder = folder
        self.stop = threading.Event()

    def matching(self, only: Sequence[str]) -> list[ReleaseFile]:
        """Return the files whose path matches any of the patterns; all if no pattern is given. Raises DownloadError."""
        files = [
            file
            for file in self.first.files
            if not only or any(fnmatch.fnmatchcase(file.path, one) for one in only)
        ]
        if not files:
            what = f"no file that matches {' or '.join(only)}" if only else "no files yet"
            raise DownloadError(f"Release {self.first.name} has {what}.")
        return files

    def run(
        self, files: Sequence[ReleaseFile], *, parallel: int, wants_progress: bool
    ) -> tuple[Downloaded, ...]:
        """Download the files, `parallel` at once. The first failure ends it; what was received is kept."""
        for file in files:
            place_of(self.folder, file.path)
            refuse_unwritten(file)
        refuse_collisions(file.path for file in files)
        self.warn_if_yanked()
        total_bytes = sum(file.size_bytes for file in files)
        pool = ThreadPoolExecutor(min(max(1, parallel), MOST_PARALLEL))
        with progress_bar(self.first.name, total_bytes, wanted=wants_progress) as report, pool:
            futures = [pool.submit(self.fetch, file, report) for file in files]
            try:
                for future in as_completed(futures):
                    future.result()
            except BaseException:
                self.stop.set()
                pool.shutdown(cancel_futures=True)
                raise
        return tuple(future.result() for future in futures)

    def warn_if_yanked(self) -> None:
        publication = self.first.publication
        if publication.yanked_at is not None:
            successor = f" Use {publication.superseded_by}." if publication.superseded_by else ""
            words = f"Release {self.first.name} is yanked: {publication.yank_reason}{successor}"
            warnings.warn(words, YankedWarning, stacklevel=4)

    def fetch(self, file: ReleaseFile, report: Report) -> Downloaded:
        """Return the file, downloaded unless it is complete already."""
        target = place_of(self.folder, file.path)
        if is_complete(target, file):
            report(file.size_bytes)
            return Downloaded(file, target, 0)
        target.parent.mkdir(parents=True, exist_ok=True)
        with Part(target) as part:
            incoming = Incoming(self, part, report)
            arrived = incoming.complete(file)
            part.finish()
        return Downloaded(arrived, target, incoming.fetched_bytes)

    def listed(self, path: str) -> ReleaseFile:
        """Return the file as the site lists it now. Raises DownloadError if it is gone or being written again."""
        found = next((file for file in self.release().files if file.path == path), None)
        if found is None:
            raise DownloadError(f"{path} is no longer a file of release {self.first.name}.")
        refuse_unwritten(found)
        return found


class Incoming:
    """One file on its way into its part."""

    def __init__(self, download: Download, part: Part, report: Report) -> None:
        self.download = download
        self.transport = download.transport
        self.part = part
        self.report = report
        self.fetched_bytes = 0
        report(part.size_bytes)

    def complete(self, file: ReleaseFile) -> ReleaseFile:
        """Receive until the bytes are those that the site lists; return its entry. Raises DownloadError."""
        for _ in range(MOST_ROUNDS):
            is_resumed = self.part.size_bytes > 0
            self.receive_all(file)
            digest = self.part.sha256.hexdigest()
            if digest == file.sha256:
                return file
            listed = self.download.listed(file.path)  # written again since it was listed?
            if digest == listed.sha256:
                return listed
            self.restart()
            if not is_resumed and listed.sha256 == file.sha256:
                break
            file = listed
        self.part.discard()
        raise DownloadError(
            f"{file.path}: the bytes that the site sent do not have the SHA-256 that it states. They were not kept. "
            f"Tell an administrator of the site: manage.py release rebuild {self.download.first.name}"
        )

    def receive_all(self, file: ReleaseFile) -> None:
        """Receive what is missing, in a new request whenever the connection ends early. Raises UnreachableError."""
        if self.part.size_bytes > file.size_bytes:
            self.restart()
        failures = 0
        while self.part.size_bytes < file.size_bytes:
            before_bytes = self.fetched_bytes
            try:
                self.receive(file)
                return
            except httpx.RequestError as error:
                failures = 1 if self.fetched_bytes > before_bytes else failures + 1
                if failures > self.transport.retries:
                    raise UnreachableError(
                        f"{file.path}: the connection ended early ({words_of(error)}). {self.part.size_bytes:,} of "
                        f"{file.size_bytes:,} bytes are kept in {self.part.path}: the same call goes on from there."
                    ) from error
                self.pause(backoff_s(failures - 1))

    def receive(self, file: ReleaseFile) -> None:
        """Make one request, and append what comes. Raises httpx.RequestError."""
        start = self.part.size_bytes
        headers = {"Accept": "*/*", "Accept-Encoding": "identity"}
        if start:
            headers |= {"Range": f"bytes={start}-", "If-Range": f'"{file.sha256}"'}
        path = f"releases/{segment(self.download.first.name)}/files/{quote(file.path)}"
        with self.transport.stream("GET", path, headers=headers, pause=self.pause) as answer:
            if start and not continues(answer, start):
                self.restart()
            for block in answer.iter_raw():
                self.refuse_if_stopped()
                self.part.append(block)
                self.fetched_bytes += len(block)
                self.report(len(block))
                if self.part.size_bytes > file.size_bytes:  # no more than was stated: the digest will say
                    return

    def restart(self) -> None:
        self.report(-self.part.size_bytes)
        self.part.restart()

    def pause(self, seconds: float) -> None:
        if self.download.stop.wait(seconds):
            raise StoppedError

    def refuse_if_stopped(self) -> None:
        if self.download.stop.is_set():
            raise StoppedError


def continues(answer: httpx.Response, start: int) -> bool:
    """Return whether the answer is the rest of the file from `start`; otherwise it is the whole file."""
    found = CONTENT_RANGE.match(answer.headers.get("Content-Range", ""))
    return answer.status_code == 206 and found is not None and int(found[1]) == start


def is_complete(path: Path, file: ReleaseFile) -> bool:
    """Return whether the file is there with the site's content."""
    if not path.is_file() or path.stat().st_size != file.size_bytes:
        return False
    with path.open("rb") as stored:
        return hashlib.file_digest(stored, "sha256").hexdigest() == file.sha256


def refuse_unwritten(file: ReleaseFile) -> None:
    if file.state != "done":
        reason = f": {file.error}" if file.error else ""
        raise DownloadError(f"{file.path} is {file.state}{reason}. It can be downloaded when it is done.")
