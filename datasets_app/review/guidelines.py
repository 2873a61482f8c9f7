"""Guidelines as the page shows them: paragraphs, in which a sample's id is a link."""

import re
from typing import NamedTuple
from uuid import UUID

from datasets_app.models import Sample

ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
MOST_LINKS = 100  # ids that are looked up


class Piece(NamedTuple):
    text: str
    sample: Sample | None = None  # a link to it


def paragraphs(text: str) -> list[list[Piece]]:
    """Return the text's paragraphs, which empty lines separate. Reads the samples that it names in one query.

    An id that is no sample of this site stays text.
    """
    ids = [UUID(match) for match in ID.findall(text)[:MOST_LINKS]]
    named = {one.pk: one for one in Sample.objects.select_related("task").filter(pk__in=ids)} if ids else {}
    parts = (part.strip() for part in re.split(r"\n\s*\n", text.replace("\r\n", "\n")))
    return [pieces(part, named) for part in parts if part]


def pieces(text: str, named: dict[UUID, Sample]) -> list[Piece]:
    found, at = [], 0
    for match in ID.finditer(text):
        if sample := named.get(UUID(match[0])):
            found += [Piece(text[at : match.start()]), Piece(match[0], sample)]
            at = match.end()
    return [*found, Piece(text[at:])]
