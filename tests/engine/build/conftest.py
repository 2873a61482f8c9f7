"""Fixtures: a real toolchain, one cache for modules that only have to be built, and fresh services."""

import os

import pytest

from eval_app.engine.build.service import BuildService
from eval_app.engine.build.toolchain import find_toolchain

PATH = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def bare(argv, binds_rw, binds_ro):
    """Run without a sandbox: these tests are about the builds; the engine's own tests use one."""
    return list(argv)


@pytest.fixture(scope="session")
def toolchain(tmp_path_factory):
    return find_toolchain(cache_dir=tmp_path_factory.mktemp("toolchain"))


@pytest.fixture(scope="session")
def shared_service(tmp_path_factory, toolchain):
    return BuildService(tmp_path_factory.mktemp("shared"), toolchain, wrap=bare, environment=PATH)


@pytest.fixture
def make_service(tmp_path, toolchain):
    """Return a factory of services on one fresh cache folder."""

    def make(**options):
        settings = {"wrap": bare, "environment": PATH, "grace_s": 0.0, **options}
        return BuildService(tmp_path / "cache", toolchain, **settings)

    return make
