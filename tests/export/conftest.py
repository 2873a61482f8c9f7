import pytest

from datasets_app.export.finish import finish_files
from tests.curate.store import frozen, small_store
from tests.export.receiving_hub import TOKEN, ReceivingHub
from tests.shared_rows import own_release, shared_release


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


def store() -> None:
    small_store()
    finish_files(frozen("first"))


@pytest.fixture(scope="module")
def files(request):
    with shared_release(request, store) as folder:
        yield folder


@pytest.fixture
def release(db, files, export_folder):
    """Return a release, `first`, with all its files."""
    return own_release(files, export_folder)
