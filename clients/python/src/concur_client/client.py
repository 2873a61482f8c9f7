"""The client of one site."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, overload
from urllib.parse import parse_qs, urlsplit

import httpx

from concur_client.download import Download
from concur_client.errors import (
    ConcurError,
    DownloadError,
    IngestFailedError,
    UnexpectedAnswerError,
    UnreachableError,
)
from concur_client.records import Downloaded, Ingest, Release, ReleaseSummary, Sample, SampleRow
from concur_client.transport import Transport, segment, words_of

URL_VARIABLE, TOKEN_VARIABLE = "CONCUR_URL", "CONCUR_TOKEN"
NDJSON = "application/x-ndjson"
ENDED = ("done", "failed", "cancelled")

# Parameter of the API to its value or values: {"outcome": "passed", "-language": "triton", "speedup_min": 2}
Filters = Mapping[str, str | int | float | Sequence[str]]


class Client:
    """A site's API. Without `url` or `token`, the variables CONCUR_URL and CONCUR_TOKEN are read; public releases need
    no token. Threads may share a client. Every method raises ConcurError, and OSError where it writes or reads files.

    `retries` bounds the repetitions of a request that found no answer, too many requests (429) or a busy site (503);
    `max_wait_s` bounds the wait that the site may ask for before each.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout_s: float = 60.0,
        retries: int = 4,
        max_wait_s: float = 120.0,
    ) -> None:
        url = os.environ.get(URL_VARIABLE, "") if url is None else url
        token = os.environ.get(TOKEN_VARIABLE, "") if token is None else token
        if not url:
            raise ConcurError(f"Give the address of the site, or set {URL_VARIABLE}.")
        self.transport = Transport(url, token, timeout_s=timeout_s, retries=retries, max_wait_s=max_wait_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.transport.http.close()

    def call(self, method: str, path: str, **options: Any) -> Any:
        """Return the JSON of any address below /api/v1/, such as `call("POST", "suggestions/", json={...})`.

        `options` are httpx's: params, json, data, files, headers.
        """
        return self.transport.call(method, path.lstrip("/"), **options)

    # samples

    @overload
    def samples(
        self, filters: Filters | None = None, *, fields: None = None, sort: str = "", page_size: int = 100
    ) -> Iterator[SampleRow]: ...

    @overload
    def samples(
        self, filters: Filters | None = None, *, fields: Sequence[str], sort: str = "", page_size: int = 100
    ) -> Iterator[dict[str, Any]]: ...

    def samples(
        self,
        filters: Filters | None = None,
        *,
        fields: Sequence[str] | None = None,
        sort: str = "",
        page_size: int = 100,
    ) -> Iterator[SampleRow] | Iterator[dict[str, Any]]:
        """Yield all matching samples without texts, a page at a time as they are read; with `fields`, only those."""
        parameters = {**(filters or {}), "limit": page_size} | ({"sort": sort} if sort else {})
        if fields is not None:
            return self._pages("samples/", {**parameters, "fields": ",".join(fields)})
        return (SampleRow.read(row) for row in self._pages("samples/", parameters))

    def stream_samples(
        self, filters: Filters | None = None, *, fields: Sequence[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield all matching samples with texts, in the columns of exported files, from one request."""
        parameters = {**(filters or {})} | ({} if fields is None else {"fields": ",".join(fields)})
        return self._lines("samples/", parameters)

    def sample(self, id: str) -> Sample:
        return Sample.read(self.call("GET", f"samples/{segment(id)}/"))

    # releases

    def releases(self, *, page_size: int = 100) -> Iterator[ReleaseSummary]:
        """Yield the releases that the account may read, newest first."""
        return (ReleaseSummary.read(row) for row in self._pages("releases/", {"limit": page_size}))

    def release(self, name: str) -> Release:
        """Return a release with its files."""
        return Release.read(self.call("GET", f"releases/{segment(name)}/"))

    def download_file(
        self, release: str, path: str, into: str | os.PathLike[str], *, progress: bool = False
    ) -> Downloaded:
        """Download one file to INTO/PATH. See `download_release`."""
        download = Download(self.transport, lambda: self.release(release), Path(into))
        files = [file for file in download.first.files if file.path == path]
        if not files:
            raise DownloadError(f"Release {release} has no file {path!r:.200}.")
        return download.run(files, parallel=1, wants_progress=progress)[0]

    def download_release(
        self,
        name: str,
        into: str | os.PathLike[str],
        *,
        only: Sequence[str] = (),
        parallel: int = 4,
        progress: bool = False,
    ) -> tuple[Downloaded, ...]:
        """Download a release's files, or those that match a pattern of `only` such as `data/*.parquet`.

        A file has its name when it is complete and its SHA-256 is the site's; until then it is NAME.part, which a later
        call goes on with. Complete files are not fetched again. Warns with YankedWarning of a yanked release.
        """
        download = Download(self.transport, lambda: self.release(name), Path(into))
        return download.run(download.matching(only), parallel=parallel, wants_progress=progress)

    # ingests

    def upload(
        self,
        path: str | os.PathLike[str],
        *,
        format: str = "",
        source: str = "",
        url: str = "",
        licence: str = "",
        device: str = "",
        mapping: Mapping[str, str] | None = None,
    ) -> Ingest:
        """Upload a file of samples; it is read in the background. `format` is recognised unless it is given."""
        form = {"format": format, "source": source, "url": url, "licence": licence, "device": device}
        form["mapping"] = json.dumps(mapping) if mapping else ""
        with Path(path).open("rb") as file:
            sent = {name: text for name, text in form.items() if text}
            return Ingest.read(
                self.call("POST", "ingests/", data=sent, files={"file": (Path(path).name, file)})
            )

    def ingest(self, id: str) -> Ingest:
        return Ingest.read(self.call("GET", f"ingests/{segment(id)}/"))

    def wait_for_ingest(self, id: str, *, timeout_s: float | None = None, poll_s: float = 1.0) -> Ingest:
        """Return the ingest when it is done. Raises IngestFailedError, also if it was cancelled, and TimeoutError."""
        deadline_s = None if timeout_s is None else time.monotonic() + timeout_s
        while (ingest := self.ingest(id)).state not in ENDED:
            if deadline_s is not None and time.monotonic() >= deadline_s:
                raise TimeoutError(f"{ingest.file_name} is {ingest.state} after {timeout_s:g} s; it goes on.")
            self.transport.pause(poll_s)
        if ingest.state != "done":
            raise IngestFailedError(
                f"{ingest.file_name} is {ingest.state}: {ingest.error or 'no reason given'}"
            )
        return ingest

    def refused_rows(self, id: str) -> Iterator[dict[str, Any]]:
        """Yield an ingest's refused rows, with _line, _field and _reason."""
        return self._lines(f"ingests/{segment(id)}/refused/", {})

    # reading

    def _pages(self, path: str, parameters: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the rows of a list. Only the position is taken from `next`: requests go to this site alone."""
        cursor = ""
        while True:
            page = self.call("GET", path, params={**parameters, **({"cursor": cursor} if cursor else {})})
            if not isinstance(page, dict) or not isinstance(page.get("results"), list):
                raise UnexpectedAnswerError(f"The answer of {path} is no page of a list.")
            yield from page["results"]
            following = parse_qs(urlsplit(str(page.get("next") or "")).query).get("cursor", [""])[0]
            if not following:
                return
            if following == cursor:
                raise UnexpectedAnswerError(f"The list {path} does not go on: its next page is the same one.")
            cursor = following

    def _lines(self, path: str, parameters: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the objects of newline-delimited JSON as they come. Raises UnreachableError if it is cut."""
        count = 0
        with self.transport.stream(
            "GET", path, params=dict(parameters), headers={"Accept": NDJSON}
        ) as answer:
            try:
                for line in lines_of(answer):
                    yield json.loads(line)
                    count += 1
            except httpx.RequestError as error:
                raise UnreachableError(
                    f"The stream ended early, after {count:,} rows: {words_of(error)}."
                ) from error
            except ValueError as error:
                raise UnexpectedAnswerError(f"Row {count + 1:,} of {path} is no JSON: {error}.") from error


def lines_of(answer: httpx.Response) -> Iterator[bytes]:
    """Yield the lines. Only a line feed ends one: httpx's iter_lines also splits at U+2028 inside a text."""
    rest = b""
    for block in answer.iter_bytes():
        *lines, rest = (rest + block).split(b"\n")
        yield from lines
    if rest:
        yield rest
