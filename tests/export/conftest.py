import pytest


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path / "exports"
    return settings.EXPORT_DIR
