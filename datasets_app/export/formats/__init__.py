"""File formats of an export.

To add one: a module here with a subclass of Format; give it a name, a path and a writer that takes rows in chunks and
holds no more than one group of them; add it to FORMATS. The command, the API, the page and the admin action offer it then.
"""

from datasets_app.export.formats.base import Format, RowWriter
from datasets_app.export.formats.jsonl import JsonLines
from datasets_app.export.formats.parquet import Parquet

FORMATS: dict[str, Format] = {made.name: made for made in (JsonLines(), Parquet())}
DEFAULTS = ("jsonl", "parquet")

__all__ = ["DEFAULTS", "FORMATS", "Format", "RowWriter"]
