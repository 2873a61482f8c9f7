"""Tests of a loss of power within a write: nothing is promised before its bytes and its name are on the disk."""

import errno
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from datasets_app.durable.folders import sync_folder
from datasets_app.export.files import write_whole
from datasets_app.ingest.uploads import store_upload
from eval_app.host.outbox import Outbox

pytestmark = pytest.mark.any_database


class Disk:
    """What a loss of power leaves: files whose bytes were synced, under names whose folder was synced after them."""

    def __init__(self, monkeypatch):
        self.synced_bytes: dict[int, bytes] = {}  # by the file's number
        self.names: dict[Path, int] = {}
        real = os.fsync

        def fsync(descriptor):
            real(descriptor)
            path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
            if path.is_dir():
                gone = [name for name in self.names if name.parent == path]
                for name in gone:
                    del self.names[name]
                self.names |= {child: child.stat().st_ino for child in path.iterdir()}
            else:
                self.synced_bytes[path.stat().st_ino] = path.read_bytes()

        monkeypatch.setattr(os, "fsync", fsync)

    def after_power_loss(self, path):
        """Return the file's bytes after the loss; None if its name is gone, '' if its bytes are."""
        number = self.names.get(path)
        return None if number is None else self.synced_bytes.get(number, b"")


@pytest.fixture
def disk(monkeypatch):
    return Disk(monkeypatch)


def test_the_model_loses_what_was_not_synced(disk, tmp_path):
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.write(b"bytes")
        assert disk.after_power_loss(path) is None
        sync_folder(tmp_path)
        assert disk.after_power_loss(path) == b""
        file.flush()
        os.fsync(file.fileno())
    assert disk.after_power_loss(path) == b"bytes"


def test_an_export_is_on_the_disk_when_it_is_called_written(disk, tmp_path):
    path = tmp_path / "data" / "train.jsonl"
    written = write_whole(path, lambda stream: stream.write(b"row\n"))
    assert disk.after_power_loss(path) == b"row\n"
    assert written.size_bytes == 4


def test_an_export_that_is_replaced_is_old_or_new_and_never_cut(disk, tmp_path):
    path = tmp_path / "train.jsonl"
    write_whole(path, lambda stream: stream.write(b"old\n"))

    def lose_power_within(stream):
        stream.write(b"new, and more")
        assert disk.after_power_loss(path) == b"old\n"

    write_whole(path, lose_power_within)
    assert disk.after_power_loss(path) == b"new, and more"


def test_an_upload_is_on_the_disk_before_its_ingest_is_accepted(disk, settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.UPLOAD_DIR.mkdir()
    settings.FREE_DISK_BYTES = 0
    path, *_ = store_upload(SimpleUploadedFile("rows.jsonl", b'{"a": 1}\n'))
    assert disk.after_power_loss(path) == b'{"a": 1}\n'
    assert path.parent in disk.names


def test_a_report_is_in_the_outbox_before_it_is_sent_and_until_it_was(disk, tmp_path):
    seen = []
    path = tmp_path / "outbox" / "v-1.json"

    class Channel:
        def report(self, **letter):
            seen.append(disk.after_power_loss(path))

    outbox = Outbox(path.parent, Channel(), lambda: False)
    assignment = SimpleNamespace(verification="v", attempt=1, nonce="n")
    assert outbox.deliver(assignment, {"id": "s", "outcome": "passed"})
    [stored] = seen
    assert json.loads(stored)["report"] == {"id": "s", "outcome": "passed"}
    assert not path.exists()


def test_a_report_that_was_sent_before_a_loss_of_power_is_sent_again_as_the_same(disk, tmp_path):
    """Its deletion may not be on the disk yet: the site drops the second one by attempt and nonce."""
    path = tmp_path / "outbox" / "v-1.json"
    letters = []
    channel = SimpleNamespace(report=lambda **letter: letters.append(letter))
    outbox = Outbox(path.parent, channel, lambda: False)
    outbox.deliver(SimpleNamespace(verification="v", attempt=1, nonce="n"), {"id": "s"})
    path.write_bytes(disk.after_power_loss(path))
    outbox.deliver_leftovers()
    assert letters[0] == letters[1]


@pytest.mark.parametrize(("code", "raised"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_a_folder_that_cannot_be_synced_is_no_fault_and_a_broken_disk_is(monkeypatch, tmp_path, code, raised):
    def refuse(descriptor):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)
    if raised:
        with pytest.raises(OSError, match="Input/output"):
            sync_folder(tmp_path)
    else:
        sync_folder(tmp_path)
