"""A bucket of an S3-compatible server, by django-storages and boto3.

A file goes up as a multipart upload, a part at a time, so that neither memory nor this machine's disk holds it. The
server shows an object when the upload is completed, and never a part of it.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from django.conf import settings
from django.core.files.storage import Storage

from datasets_app.export.files import HashingStream, Written
from datasets_app.export.store.base import Store, StoreSilentError

PART_BYTES = 16 * 2**20  # at most 10,000 parts: a file of up to 160 GB
MISSING = ("404", "NoSuchKey", "NotFound")
ADDRESS_SECONDS = 3600


class S3Store(Store):
    def __init__(self, storage: Storage) -> None:
        self.storage: Any = storage  # django-storages' S3Storage

    def write(self, name: str, write: Callable[[HashingStream], object]) -> Written:
        """Write the object, in one request if it is small. Uploads that killed writers of it left are aborted."""
        parts = Parts(self.object(name))
        stream = HashingStream(cast(BinaryIO, parts))
        try:
            with faults_in_words(name):
                self.abort_uploads(name)
            write(stream)
            parts.complete()
        except BaseException:
            parts.abort()
            raise
        return stream.written

    def abort_uploads(self, name: str) -> None:
        key = self.key(name)
        for upload in self.storage.bucket.multipart_uploads.filter(Prefix=key):
            if upload.object_key == key:
                upload.abort()

    def size_bytes(self, name: str) -> int:
        with faults_in_words(name):
            return int(self.object(name).content_length)

    def open(self, name: str) -> BinaryIO:
        return cast(BinaryIO, io.BufferedReader(S3Reader(self.object(name), self.size_bytes(name)), 2**16))

    def address(self, name: str, *, file_name: str, media_type: str) -> str:
        if settings.EXPORT_S3_DOWNLOADS != "redirect":
            return ""
        said = {
            "ResponseContentDisposition": f'attachment; filename="{file_name}"',
            "ResponseContentType": media_type,
        }
        with faults_in_words(name):
            return str(self.storage.url(name, parameters=said, expire=ADDRESS_SECONDS))

    def fault(self) -> str:
        name = self.storage.bucket_name
        try:
            with faults_in_words(name):
                self.storage.connection.meta.client.head_bucket(Bucket=name)
        except FileNotFoundError:
            return f"There is no bucket {name}: create it, or set CONCUR_S3_BUCKET to another."
        except OSError as error:
            return (
                f"{error}. Releases' files can be neither written nor read: check the CONCUR_S3_ variables."
            )
        return ""

    def object(self, name: str) -> Any:
        with faults_in_words(name):  # making the client reads the credentials
            return self.storage.bucket.Object(self.key(name))

    def key(self, name: str) -> str:
        return f"{self.storage.location}/{name}" if self.storage.location else name


class Parts:
    """Takes an object's bytes and sends them part by part."""

    def __init__(self, made: Any) -> None:
        self.object = made
        self.buffer = bytearray()
        self.upload: Any = None
        self.sent: list[dict[str, Any]] = []

    def write(self, data: bytes) -> int:
        size = len(memoryview(data).cast("B"))
        self.buffer += data
        while len(self.buffer) >= PART_BYTES:
            self.send(bytes(self.buffer[:PART_BYTES]))
            del self.buffer[:PART_BYTES]
        return size

    def flush(self) -> None:
        """Do nothing: a part but the last has a fixed size."""

    def send(self, data: bytes) -> None:
        with faults_in_words(self.object.key):
            if self.upload is None:
                self.upload = self.object.initiate_multipart_upload()
            number = len(self.sent) + 1
            answer = self.upload.Part(number).upload(Body=data)
            self.sent.append({"PartNumber": number, "ETag": answer["ETag"]})

    def complete(self) -> None:
        if self.upload is None:
            with faults_in_words(self.object.key):
                self.object.put(Body=bytes(self.buffer))
            return
        if self.buffer:
            self.send(bytes(self.buffer))
        with faults_in_words(self.object.key):
            self.upload.complete(MultipartUpload={"Parts": self.sent})

    def abort(self) -> None:
        """Delete the parts. If the server does not answer, the next writer of the object does it."""
        if self.upload is not None:
            with suppress(OSError), faults_in_words(self.object.key):
                self.upload.abort()


class S3Reader(io.RawIOBase):
    """An object to read from any byte: each seek to another place is a request for what follows there."""

    def __init__(self, made: Any, size_bytes: int) -> None:
        super().__init__()
        self.object, self.size_bytes, self.position = made, size_bytes, 0
        self.body: Any = None  # the answer from `position` on

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self.position, io.SEEK_END: self.size_bytes}[whence]
        if (place := max(0, base + offset)) != self.position:
            self.end_body()
            self.position = place
        return self.position

    def readinto(self, buffer: Any) -> int:
        if self.position >= self.size_bytes or not len(buffer):
            return 0
        with faults_in_words(self.object.key):
            if self.body is None:
                self.body = self.object.get(Range=f"bytes={self.position}-")["Body"]
            block = self.body.read(len(buffer))
        buffer[: len(block)] = block
        self.position += len(block)
        return len(block)

    def end_body(self) -> None:
        if self.body is not None:
            self.body.close()
            self.body = None

    def close(self) -> None:
        self.end_body()
        super().close()


@contextmanager
def faults_in_words(name: str) -> Iterator[None]:
    """Raise FileNotFoundError for a missing object, and StoreSilentError for any other fault of the server."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in MISSING:
            raise FileNotFoundError(f"The bucket has no {name}.") from error
        raise StoreSilentError(f"The store of files refused {name}: {error}") from error
    except (BotoCoreError, HTTPClientError) as error:
        raise StoreSilentError(f"The store of files does not answer: {error}") from error
