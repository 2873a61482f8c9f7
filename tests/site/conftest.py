"""A whole run that several tests share."""

import os
from collections.abc import Iterator

import pytest

from tests.live import LiveSite

SECRET_KEY = "a-secret-key-for-this-test-alone-0123456789"


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory) -> Iterator[LiveSite]:
    """Start Redis, site, worker and sweeper from a shell with a loose umask on a folder that others may read.

    For tests of the xdist group "live" that only read from it.
    """
    folder = tmp_path_factory.mktemp("whole") / "data"
    folder.mkdir()
    folder.chmod(0o755)
    before = os.umask(0o022)
    try:
        live = LiveSite(folder, CONCUR_DEMO="0", CONCUR_SECRET_KEY=SECRET_KEY)
        with live:
            os.umask(before)
            yield live
    finally:
        os.umask(before)
