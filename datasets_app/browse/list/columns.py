"""The columns of the list, and the selection of columns in a URL."""

from dataclasses import dataclass

from datasets_app.browse.query.errors import BrowseError


@dataclass(frozen=True)
class Column:
    name: str
    label: str
    sort: str = ""  # the order that its header links to
    number: bool = False
    unit: str = ""


COLUMNS = {
    column.name: column
    for column in (
        Column("task", "Task", sort="task"),
        Column("generator", "Generator"),
        Column("language", "Language"),
        Column("kind", "Task kind"),
        Column("source", "Source"),
        Column("turn", "Turn", number=True),
        Column("tokens", "Trace", sort="tokens", number=True, unit="tokens"),
        Column("kernel", "Kernel", number=True, unit="kB"),
        Column("outcome", "Outcome"),
        Column("claimed", "Claimed", sort="claimed", number=True),
        Column("measured", "Measured", sort="measured", number=True),
        Column("ratio", "Of claim", sort="ratio", number=True),
        Column("device", "Device"),
        Column("verdict", "Verdict"),
        Column("tags", "Tags"),
        Column("created", "Added", sort="created", number=True, unit="UTC"),
    )
}
ALWAYS = "task"
USUAL = (
    "task",
    "generator",
    "language",
    "tokens",
    "outcome",
    "claimed",
    "measured",
    "ratio",
    "verdict",
    "tags",
    "created",
)


SPARE = ("ratio", "tags")  # left out of a page on which they are empty, unless they were chosen


def columns_named(texts: list[str]) -> tuple[Column, ...]:
    """Return the columns of `columns=a,b` or of ticked boxes; the default ones if none are named. Raises
    BrowseError.
    """
    names = {part.strip() for text in texts for part in text.split(",") if part.strip()}
    unknown = sorted(names - set(COLUMNS))
    if unknown:
        raise BrowseError(
            {"columns": [f"there is no column {unknown[0]!r:.60}; choose from {', '.join(COLUMNS)}."]}
        )
    shown = names | {ALWAYS} if names else set(USUAL)
    return tuple(column for name, column in COLUMNS.items() if name in shown)
