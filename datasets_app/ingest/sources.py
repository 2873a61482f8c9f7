"""The sources of rows: the one that a person names, else that of the format's data set."""

from __future__ import annotations

from dataclasses import dataclass

from datasets_app.ingest.registry import Origin, readers
from datasets_app.ingest.rows import IngestError
from datasets_app.models import Source
from datasets_app.text_input.characters import HIDDEN
from datasets_app.text_input.validate import name_fault

NONE_DECLARED = {"none", "no licence", "none declared", "-"}


@dataclass(frozen=True)
class Provenance:
    """A person's statement about the origin of a file. An empty name means the format's own data set."""

    name: str = ""
    url: str = ""
    licence: str = ""


def known_origins() -> list[Origin]:
    """Return the data sets of the formats, each once."""
    origins = {reader.origin.name: reader.origin for reader in readers() if reader.origin}
    return list(origins.values())


def source_for(stated: Provenance, origin: Origin | None, file_name: str) -> Source:
    """Return the stored source. Raises IngestError if the statement contradicts what is stored."""
    if fault := name_fault("The source's name", stated.name.strip(), 120):
        raise IngestError(fault)
    name = stated.name.strip() or (origin.name if origin else HIDDEN.sub("", file_name))
    known_origin = next((other for other in known_origins() if other.name == name), None)
    declared_none = stated.licence.strip().lower() in NONE_DECLARED
    licence = (
        "" if declared_none else stated.licence.strip() or (known_origin.licence if known_origin else "")
    )
    url = stated.url.strip() or (known_origin.url if known_origin else "")
    source, made = Source.objects.get_or_create(name=name[:120], defaults={"url": url, "licence": licence})
    return source if made else completed(source, stated, url, licence)


def completed(source: Source, stated: Provenance, url: str, licence: str) -> Source:
    """Return a stored source with missing fields filled in."""
    if stated.licence.strip() and source.licence and licence != source.licence:
        raise IngestError(
            f"The source {source.name} is stored under the licence {source.licence}, not {licence or 'none'}: "
            "name another source, or change its licence in the admin."
        )
    source.url, source.licence = source.url or url, source.licence or licence
    source.save(update_fields=["url", "licence"])
    return source
