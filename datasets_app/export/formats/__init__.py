"""File formats of an export.

To add one: a module here with a subclass of Format; give it a name, a title, a folder and a writer that takes records
one by one and holds no more than a group of them; add it to FORMATS. The command, the API, the page and the admin
action offer it then. One whose records are not the rows says in `nothing` why a release may have none. Add a test that
reads its file back in tests/export/.
"""

from datasets_app.export.formats.arrow import Arrow
from datasets_app.export.formats.base import Format, RowWriter
from datasets_app.export.formats.chat import Chat, ChatLines
from datasets_app.export.formats.concur import ConCuR
from datasets_app.export.formats.csv import Csv
from datasets_app.export.formats.jsonl import JsonLines
from datasets_app.export.formats.kto import Kto
from datasets_app.export.formats.masked import MaskedChat
from datasets_app.export.formats.parquet import Parquet
from datasets_app.export.formats.preference import Preference
from datasets_app.export.formats.rl import Tasks
from datasets_app.export.formats.trajectories import Trajectories

FORMATS: dict[str, Format] = {
    made.name: made
    for made in (
        JsonLines(),
        Parquet(),
        Arrow(),
        ConCuR(),
        Csv(),
        Chat(),
        ChatLines(),
        MaskedChat(),
        Trajectories(),
        Preference(),
        Kto(),
        Tasks(),
    )
}
DEFAULTS = ("jsonl", "parquet")
# Those that can be made of samples in any order, without a release.
OF_SAMPLES = tuple(name for name, made in FORMATS.items() if not made.by_task and not made.nothing)

__all__ = ["DEFAULTS", "FORMATS", "OF_SAMPLES", "Format", "RowWriter"]
