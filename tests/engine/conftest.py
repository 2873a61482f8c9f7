"""One CPU engine for all tests that only submit jobs: starting one takes seconds."""

import pytest

from eval_app.engine import Engine


@pytest.fixture(scope="session")
def build_cache(tmp_path_factory):
    """Keep one cache of built modules between runs and for all test processes, beside pytest's own folders."""
    folder = tmp_path_factory.getbasetemp().parent / "concur-test-builds"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def engine(build_cache):
    with Engine("cpu", build_cache) as running:
        yield running
