import pytest

from datasets_app.export.finish import finish_files
from tests.curate.store import frozen, small_store
from tests.export.receiving_hub import TOKEN, ReceivingHub


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path / "exports"
    return settings.EXPORT_DIR


@pytest.fixture
def hub(monkeypatch):
    """Serve a Hub that receives, and hold its token."""
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with ReceivingHub() as running:
        yield running


@pytest.fixture
def finished(db):
    """Return a release, `first`, with all its files."""
    small_store()
    made = frozen("first")
    finish_files(made)
    return made
