import pytest

from tests.site.backup.demo_site import BACKUPS


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    """A data folder of the test's own; the database is the tests'."""
    settings.DATA_DIR = tmp_path / "data"
    settings.UPLOAD_DIR = settings.DATA_DIR / "uploads"
    settings.EXPORT_DIR = settings.DATA_DIR / "exports"
    for folder in (settings.UPLOAD_DIR, settings.EXPORT_DIR):
        folder.mkdir(parents=True)
    return settings.DATA_DIR


@pytest.fixture
def backup_path():
    """The backup of a demo site that was made on SQLite."""
    return max(BACKUPS.glob("*-sqlite.zip"))
