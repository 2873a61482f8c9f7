"""A whole run that several tests share."""

import os
from collections.abc import Iterator

import pytest

from tests.live import LiveSite, free_port, prepare_folder

NOTHING_FOUND = "/nonexistent"  # a PATH
SECRET_KEY = "a-secret-key-for-this-test-alone-0123456789"


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory) -> Iterator[LiveSite]:
    """Start Redis, site, worker and sweeper from a shell with a loose umask on a folder that others may read.

    Redis listens for other machines. The worker finds no sandbox, and so runs no self-test, which takes longer than
    all tests here. For tests of the xdist group "live" that change nothing that others of them read.
    """
    folder = prepare_folder(tmp_path_factory.mktemp("whole") / "data")
    folder.chmod(0o755)
    before = os.umask(0o022)
    try:
        live = LiveSite(
            folder,
            CONCUR_DEMO="0",
            CONCUR_SECRET_KEY=SECRET_KEY,
            CONCUR_BROKER_LISTEN=f"127.0.0.1:{free_port()}",
            PATH=NOTHING_FOUND,
        )
        with live:
            os.umask(before)
            yield live
    finally:
        os.umask(before)
