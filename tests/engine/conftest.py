"""One engine on the CPU for all tests that only give it jobs: starting one costs seconds."""

import pytest

from eval_app.engine import Engine


@pytest.fixture(scope="session")
def engine(tmp_path_factory):
    with Engine("cpu", tmp_path_factory.mktemp("builds")) as running:
        yield running
