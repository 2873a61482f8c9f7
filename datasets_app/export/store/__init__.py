"""The store of releases' files: a folder of this machine, or a bucket of any S3-compatible server.

`release_files()` returns the one that the settings name. A file is written as a stream and appears whole or not at all;
its name is the release's and its path inside the release. This package imports no other part of the export but
files.py, and boto3 only where a bucket is set.
"""

from __future__ import annotations

from django.conf import settings
from django.core.files.storage import storages

from datasets_app.export.store.base import Store, StoreSilentError
from datasets_app.export.store.local import LocalStore

ALIAS = "exports"  # of Django's STORAGES

__all__ = ["ALIAS", "Store", "StoreSilentError", "release_files"]


def release_files() -> Store:
    if ALIAS not in settings.STORAGES:
        return LocalStore(settings.EXPORT_DIR)
    from datasets_app.export.store.s3 import S3Store  # boto3 is an optional dependency

    return S3Store(storages[ALIAS])
