"""File formats of an export.

To add one: a module here with a subclass of Format; give it a name, a path and a writer that takes rows one by one
and holds no more than a group of them; add it to FORMATS. The command, the API, the page and the admin action offer
it then. Add a test that reads its file back in tests/export/.
"""

from datasets_app.export.formats.base import Format, RowWriter
from datasets_app.export.formats.jsonl import JsonLines
from datasets_app.export.formats.parquet import Parquet

FORMATS: dict[str, Format] = {made.name: made for made in (JsonLines(), Parquet())}
DEFAULTS = ("jsonl", "parquet")

__all__ = ["DEFAULTS", "FORMATS", "Format", "RowWriter"]
