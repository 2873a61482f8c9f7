"""Tests of the static files that a site collects when it starts."""

import gzip

import pytest
from django.core.files.base import ContentFile

from concur_site import settings as as_deployed
from concur_site.static_files import StaticFilesStorage

CONTENT = b"main { display: grid; }\n" * 100


@pytest.fixture
def storage(settings, tmp_path):
    settings.STORAGES = as_deployed.STORAGES
    collected = StaticFilesStorage(location=tmp_path, base_url="/static/")
    collected.save("base.css", ContentFile(CONTENT))
    return collected


def test_the_site_uses_them():
    assert as_deployed.STORAGES["staticfiles"]["BACKEND"].endswith(f".{StaticFilesStorage.__name__}")


def test_each_is_compressed_once_whatever_packages_are_installed(storage, tmp_path):
    assert [done for *_, done in storage.post_process({"base.css": (storage, "base.css")})].count(True) >= 1
    kinds = {path.suffix for path in tmp_path.iterdir()}
    assert kinds == {".css", ".gz", ".json"}
    hashed = storage.stored_name("base.css")
    assert hashed != "base.css"
    assert gzip.decompress((tmp_path / f"{hashed}.gz").read_bytes()) == CONTENT
