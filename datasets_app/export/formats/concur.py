from collections.abc import Iterator, Sequence
from uuid import UUID

from datasets_app.export.columns import COLUMNS, Column, Origin
from datasets_app.export.formats.arrow import Arrow
from datasets_app.export.formats.base import Record, Rows
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.types import Described

CONCUR = 6  # the first columns of a row are ConCuR's own
NUMBER = Column("uuid", "int64", "a number per problem, from the task's id", Origin.CONTENT)


class ConCuR(Arrow):
    """The layout of the released ConCuR data set: its file name, its six columns, `uuid` a number per problem."""

    name = "concur"
    title = "ConCuR layout"
    means = "Arrow with ConCuR's six columns alone, for programs that read the released data set"
    folder = "concur"
    takes = ("numbered",)

    def fields(self, options: Options = DEFAULT) -> Sequence[Described]:
        return (NUMBER if options.numbered else COLUMNS[0], *COLUMNS[1:CONCUR])

    def records(self, rows: Rows, options: Options = DEFAULT) -> Iterator[Record]:
        return super().records((row | numbered(row) if options.numbered else row for row in rows), options)

    def path(self, split: str, number: int, count: int, options: Options = DEFAULT) -> str:
        return f"{self.place(options)}/{split}/data-{number:05d}-of-{count:05d}.arrow"


def numbered(row: Record) -> Record:
    """Return `uuid` as the upper 63 bits of the task's id: the same for all samples of a task in every release."""
    return {"uuid": UUID(row["task_id"]).int >> 65}
