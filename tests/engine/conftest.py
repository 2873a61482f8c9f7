"""One CPU engine for all tests that only submit jobs: starting one takes seconds."""

import pytest

from eval_app.engine import Engine


@pytest.fixture(scope="session")
def engine(tmp_path_factory):
    with Engine("cpu", tmp_path_factory.mktemp("builds")) as running:
        yield running
