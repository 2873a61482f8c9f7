"""The form of the ingest page."""

from __future__ import annotations

from typing import Any

from django import forms

from datasets_app.ingest.inbox import in_inbox
from datasets_app.ingest.readers.generic import FIELDS
from datasets_app.ingest.registry import options
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.sources import Provenance
from datasets_app.ingest.start import IncomingFile
from datasets_app.ingest.uploads import drop_upload, store_upload


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Zero or more uploads, each validated as a file field validates one."""

    widget = ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        files = data if isinstance(data, list | tuple) else [data] if data else []
        return [super(ManyFilesField, self).clean(file, initial) for file in files]


class IngestForm(forms.Form):
    files = ManyFilesField(  # type: ignore[assignment]
        label="Files", required=False, allow_empty_file=False
    )
    server_path = forms.CharField(label="Or a file in the server inbox", required=False, max_length=500)
    format = forms.ChoiceField(label="Format", required=False)
    source = forms.CharField(label="Source", required=False, max_length=120)
    url = forms.URLField(label="Source URL", required=False, max_length=500, assume_scheme="https")
    licence = forms.CharField(label="Licence", required=False, max_length=120)
    device = forms.CharField(label="Device the claims were measured on", required=False, max_length=120)

    def __init__(self, *args: Any, may_name_files: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["format"].choices = [("", "Recognise by the columns"), *options()]  # type: ignore[attr-defined]
        if not may_name_files:
            del self.fields["server_path"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors and not (data.get("files") or data.get("server_path")):
            self.add_error("files", "Choose a file.")
        return data

    def incoming_files(self) -> list[IncomingFile]:
        """Return the chosen files, stored on the server. Raises IngestError."""
        files: list[IncomingFile] = []
        try:
            files.extend(self.incoming(*store_upload(upload)) for upload in self.cleaned_data["files"])
            if name := self.cleaned_data.get("server_path"):
                path = in_inbox(name)
                files.append(self.incoming(path, path.name, ""))
        except (IngestError, OSError):
            self.drop(files)
            raise
        return files

    def incoming(self, path: Any, name: str, sha256: str) -> IncomingFile:
        data = self.cleaned_data
        provenance = Provenance(data["source"], data["url"], data["licence"])
        return IncomingFile(path, name, data["format"], provenance, data["device"], sha256=sha256)

    @staticmethod
    def drop(files: list[IncomingFile]) -> None:
        """Delete uploads whose ingest was not created."""
        for file in files:
            if file.sha256:
                drop_upload(file.path)


def mapping_in(data: Any) -> dict[str, str]:
    """Return the chosen column of each field from a posted form."""
    return {field: column for field in FIELDS if (column := data.get(f"map_{field}", ""))}
