"""Renders rows of the list. In Python rather than in a template: for the 600 cells of a page, template tags took longer
than the rest of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC
from html import escape
from urllib.parse import quote

from django.urls import reverse

from datasets_app.browse.evidence import RowEvidence
from datasets_app.browse.formats import half_width, kilobytes, speedup, standing, state
from datasets_app.browse.formats import measured as measured_speedup
from datasets_app.browse.highlight import Html
from datasets_app.browse.highlight.markup import safe
from datasets_app.browse.list.columns import ALWAYS, SPARE, USUAL, Column
from datasets_app.browse.list.list_rows import ListRow
from datasets_app.browse.list.snippets import Snippet
from datasets_app.models import Language, Tag, TaskKind

Cell = tuple[str, str]  # css class, HTML
LANGUAGES = dict(Language.choices)
KINDS = {value: label.lower() for value, label in TaskKind.choices}
DASH = '<span class="soft">–</span>'
HIDDEN = '<span class="soft" title="Blind review: shown after your own review">hidden</span>'
EMPTY = {"", "–", DASH}  # omitted from the cards on phones
NO_TRACE = '<span class="soft">no trace</span>'


@dataclass(frozen=True)
class ShownRow:
    """A sample with its URL, its evidence and its tags."""

    sample: ListRow
    url: str
    beside: RowEvidence
    tags: Iterable[Tag]
    hides_verdict: bool = False  # blind review: the reader has not reviewed it yet
    snippet: Snippet | None = None  # of a text search

    @property
    def link(self) -> str:
        """The sample's URL, at the place that a text search found."""
        return self.snippet.url(self.url) if self.snippet else self.url


def task(row: ShownRow) -> Cell:
    return "name", f'<a href="{escape(row.link)}" data-row-link>{safe(row.sample.task_name)}</a>'


def generator(row: ShownRow) -> Cell:
    """Return the model's name; the name of who published it is left out where the window is small."""
    owner, slash, name = row.sample.generator.rpartition("/")
    return "clip", (f'<span class="owner">{safe(owner)}/</span>' if slash else "") + safe(name) or "–"


def language(row: ShownRow) -> Cell:
    return "", safe(LANGUAGES.get(row.sample.language, row.sample.language))


def kind(row: ShownRow) -> Cell:
    return "", safe(KINDS.get(row.sample.task_kind, row.sample.task_kind))


def source(row: ShownRow) -> Cell:
    return "clip", safe(row.sample.source_name)


def turn(row: ShownRow) -> Cell:
    return "num", str(row.sample.turn)


def tokens(row: ShownRow) -> Cell:
    return ("num cell-tokens", f"{row.sample.trace_tokens:,}") if row.sample.has_trace else ("num", NO_TRACE)


def kernel(row: ShownRow) -> Cell:
    return "num", kilobytes(row.sample.kernel_bytes)


def claimed(row: ShownRow) -> Cell:
    return "num cell-claimed", speedup(row.sample.claimed_speedup)


def outcome(row: ShownRow) -> Cell:
    on = on_device(row.beside.device) if row.beside.device else ""
    return "", standing(row.sample.outcome, row.beside.waiting) + on


def on_device(name: str) -> str:
    """Return the device of evidence that is not of the reference device; a long name is cut, its title is whole."""
    return f' <span class="soft small on-device" title="{escape(name)}">on {safe(name)}</span>'


def measured(row: ShownRow) -> Cell:
    shown = measured_speedup(row.sample.measured_speedup, row.sample.outcome)
    if row.sample.measured_speedup and row.beside.speedup_low:
        shown += f'<span class="interval">{half_width(row.beside)}</span>'
    return "num cell-measured", shown


def ratio(row: ShownRow) -> Cell:
    """Return the measured speedup as a share of the claimed one."""
    share = row.sample.claim_ratio
    return ("num", "–") if share is None else ("num cell-ratio", f"{100 * share:,.0f} %")


def device(row: ShownRow) -> Cell:
    return "clip", safe(row.sample.device) or "–"


def verdict(row: ShownRow) -> Cell:
    if row.hides_verdict:
        return "", HIDDEN
    return "", state(row.sample.verdict) if row.sample.verdict else DASH


def tags(row: ShownRow) -> Cell:
    return "tags-cell", " ".join(map(tag_link, row.tags))


def tag_link(tag: Tag) -> str:
    here = f"{reverse('browse')}?tag={quote(tag.name, safe='')}"
    return f'<a class="tag is-{escape(tag.colour)}" href="{here}">{safe(tag.name)}</a>'


def created(row: ShownRow) -> Cell:
    utc = row.sample.created_at.astimezone(UTC)
    words = f"{utc:%Y-%m-%d %H:%M:%S}"
    return "num soft cell-created", f'<time datetime="{utc.isoformat()}" title="{words}">{words[:10]}</time>'


CELLS: dict[str, Callable[[ShownRow], Cell]] = {
    cell.__name__: cell
    for cell in (
        *(task, generator, language, kind, source, turn, tokens, kernel),
        *(outcome, claimed, measured, ratio, device, verdict, tags, created),
    )
}


def columns_of_page(rows: Iterable[ShownRow], columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the default columns without those that tell nothing about these rows: empty ones, and a date that all
    rows have. Chosen columns stay as they are.
    """
    shown = list(rows)
    if [column.name for column in columns] != list(USUAL):
        return tuple(columns)
    told = {name for name in SPARE if any(CELLS[name](row)[1] not in EMPTY for row in shown)}
    if len({row.sample.created_at.astimezone(UTC).date() for row in shown}) > 1:
        told.add("created")
    return tuple(
        column for column in columns if column.name in told or column.name not in (*SPARE, "created")
    )


def table_rows(rows: Iterable[ShownRow], columns: Iterable[Column], *, with_boxes: bool) -> Html:
    """Return the table's body; `with_boxes`: each row can be selected."""
    shown = [CELLS[ALWAYS], *(CELLS[column.name] for column in columns if column.name != ALWAYS)]
    return Html("".join(table_row(row, shown, with_boxes) for row in rows))


def table_row(row: ShownRow, cells: list[Callable[[ShownRow], Cell]], with_box: bool) -> str:
    filled = [
        f'<td role="cell" class="{css_class}{" is-none" if html in EMPTY else ""}">{html}</td>'
        for css_class, html in (cell(row) for cell in cells)
    ]
    found = snippet_row(row, row.snippet, len(cells) + with_box) if row.snippet else ""
    above = ' class="has-snippet"' if found else ""
    return f'<tr role="row"{above}>{pick_box(row.sample) if with_box else ""}{"".join(filled)}</tr>\n{found}'


def snippet_row(row: ShownRow, snippet: Snippet, width: int) -> str:
    """Return a row below the sample's own: the text that the search found, its name and line, and a link to it."""
    if not snippet.field:
        words = '<span class="soft">The match is far from the beginning of its text.</span>'
    else:
        where = f"{snippet.field}, line {snippet.line:,}"
        place = f'<span class="snippet-place">{where}</span>'
        words = f'<a href="{escape(row.link)}">{place} <code>{snippet.html}</code></a>'
    return f'<tr role="row" class="snippet-row"><td role="cell" colspan="{width}">{words}</td></tr>\n'


def pick_box(sample: ListRow) -> str:
    called = escape(f"{sample.task_name} {str(sample.pk)[:8]}")
    return (
        f'<td role="cell" class="pick"><input type="checkbox" form="act" name="sample" value="{sample.pk}"'
        f' aria-label="Select {called}"></td>'
    )
