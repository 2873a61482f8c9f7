"""Compares writing and reading an object through datasets_app.export.store and through django-storages' own files.

    .venv/bin/python -m benchmarks.libraries.object_store 64

The server is moto's, on loopback: the times compare the two, and say nothing of a real bucket.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from typing import Any

BLOCK = os.urandom(2**20)
OPTIONS = {
    "bucket_name": "kernels",
    "access_key": "a-key",
    "secret_key": "a-secret",
    "region_name": "us-east-1",
}


def measured(work: Callable[[], Any]) -> dict[str, float]:
    tracemalloc.start()
    began = time.perf_counter()
    work()
    seconds = time.perf_counter() - began
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {"seconds": round(seconds, 2), "peak_mb": round(peak / 1e6, 1)}


def fill(stream: Any, count: int, fails: bool = False) -> None:
    for number in range(count):
        if fails and number == count // 2:
            raise OSError("the rows ended early")
        stream.write(BLOCK)


def through_storages(storage: Any, name: str, count: int, fails: bool = False) -> None:
    with storage.open(name, "wb") as file:
        fill(file, count, fails)


def read_through_storages(storage: Any, count: int) -> None:
    with storage.open("theirs", "rb") as file:
        file.seek((count - 1) * len(BLOCK))
        assert file.read(1000) == BLOCK[:1000]


def read_through_ours(store: Any, count: int) -> None:
    with store.open("ours") as file:
        file.seek((count - 1) * len(BLOCK))
        assert file.read(1000) == BLOCK[:1000]


def compare(address: str, count: int) -> dict[str, Any]:
    from storages.backends.s3 import S3Storage

    from datasets_app.export.store.s3 import S3Store

    storage = S3Storage(endpoint_url=address, **OPTIONS)
    storage.connection.create_bucket(Bucket="kernels")
    store = S3Store(storage)
    found: dict[str, Any] = {"megabytes": count}
    found["ours"] = {"write": measured(lambda: store.write("ours", lambda stream: fill(stream, count)))}
    found["storages"] = {"write": measured(lambda: through_storages(storage, "theirs", count))}
    with suppress(OSError):
        store.write("ours-failed", lambda stream: fill(stream, count, fails=True))
    with suppress(OSError):
        through_storages(storage, "theirs-failed", count, fails=True)
    for side, name in (("ours", "ours-failed"), ("storages", "theirs-failed")):
        found[side]["half_object_after_a_fault"] = storage.exists(name)
    found["ours"]["read_1000_bytes"] = measured(lambda: read_through_ours(store, count))
    found["storages"]["read_1000_bytes"] = measured(lambda: read_through_storages(storage, count))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("megabytes", type=int, nargs="?", default=64)
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")
    import django

    django.setup()
    from tests.export.s3_server import running_s3

    with running_s3() as address:
        print(json.dumps(compare(address, given.megabytes), indent=2))


if __name__ == "__main__":
    main()
