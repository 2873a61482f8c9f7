"""Rows that all tests of a module start from, stored once.

They live in a transaction around the module's tests. The transaction of each test is a savepoint within it, so what a
test changes is rolled back as usual. Not for modules whose tests commit (`transactional_db`, `live_server`), nor for
those with a test that must start from an empty database.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test.utils import override_settings

from datasets_app.models import Release


@contextmanager
def shared_rows(
    request: pytest.FixtureRequest, store: Callable[[], object], **settings: Any
) -> Iterator[None]:
    """Call `store` under the settings; what it stores ends with the context."""
    request.getfixturevalue("django_db_setup")
    blocker = request.getfixturevalue("django_db_blocker")
    around = transaction.atomic()
    around._from_testcase = True  # as in Django's own test cases: a durable block is allowed within it
    with blocker.unblock():
        around.__enter__()
        try:
            with override_settings(**settings):
                store()
        except BaseException:
            transaction.set_rollback(True)
            around.__exit__(None, None, None)
            raise
    yield
    with blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)


@contextmanager
def shared_release(request: pytest.FixtureRequest, store: Callable[[], object]) -> Iterator[Path]:
    """Call `store`, which makes the release `first`; yield the folder of its files, for `own_release`."""
    folder = request.getfixturevalue("tmp_path_factory").mktemp("release")
    with shared_rows(request, store, EXPORT_DIR=folder):
        yield folder


def own_release(files: Path, export_dir: Path) -> Release:
    """Return the shared release, its files copied to the test's own folder."""
    shutil.copytree(files, export_dir, dirs_exist_ok=True)
    return Release.objects.get(name="first")
