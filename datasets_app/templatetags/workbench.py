"""How values look on every page: states, speedups, counts. One place, so that they look the same everywhere."""

from datetime import UTC, datetime
from functools import lru_cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

# outcome or state -> (word, shape, tone). Red speaks against the kernel, violet is a fault of ours, grey is unknown.
STATES = {
    "": ("not verified", "○", ""),
    "queued": ("waiting", "○", ""),
    "running": ("running", "◐", ""),
    "done": ("done", "●", "is-good"),
    "failed": ("failed", "⚠", "is-ours"),
    "cancelled": ("cancelled", "⊘", ""),
    "passed": ("passed", "●", "is-good"),
    "wrong_value": ("wrong value", "✕", "is-bad"),
    "wrong_structure": ("wrong structure", "✕", "is-bad"),
    "nondeterministic": ("nondeterministic", "≈", "is-bad"),
    "broken_promise": ("broken promise", "⚐", "is-bad"),
    "cheated": ("cheated", "⚑", "is-bad"),
    "build_error": ("build error", "▲", "is-bad"),
    "build_timeout": ("build timeout", "▲", "is-bad"),
    "load_error": ("load error", "▲", "is-bad"),
    "runtime_error": ("runtime error", "▲", "is-bad"),
    "illegal_memory": ("illegal memory", "▲", "is-bad"),
    "out_of_memory": ("out of memory", "▲", "is-bad"),
    "timeout": ("timeout", "▲", "is-bad"),
    "invalid_reference": ("invalid reference", "◇", "is-doubt"),
    "unsupported": ("unsupported", "◇", "is-doubt"),
    "infra_error": ("our error", "⚠", "is-ours"),
    "accept": ("accepted", "✓", "is-good"),
    "fix": ("needs a fix", "~", "is-doubt"),
    "reject": ("rejected", "✕", "is-bad"),
    "stale": ("stale", "◌", "is-doubt"),
}
SEVERITY_TONES = {"reject": "is-bad", "audit": "is-doubt", "label": ""}


@register.simple_tag
@lru_cache(maxsize=256)
def state(value: str) -> SafeString:
    """An outcome, a job's state or a verdict as word, shape and colour."""
    word, shape, tone = STATES.get(value, (value.replace("_", " "), "?", ""))
    return format_html('<span class="state {}" data-shape="{}">{}</span>', tone, shape, word)


@register.simple_tag
def day(moment: datetime) -> SafeString:
    """A date; its time by pointing at it. A long list shows many: three `date` filters each are much slower."""
    utc = moment.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        utc.isoformat(),
        f"{utc:%Y-%m-%d %H:%M:%S}",
        f"{utc:%Y-%m-%d}",
    )


@register.filter
def speedup(value: float | None) -> str:
    """2.14x; three digits that matter; a dash when nothing was measured."""
    if value is None:
        return "–"
    return f"{value:.2f}×" if value < 10 else f"{value:.1f}×" if value < 100 else f"{value:.0f}×"


@register.filter
def milliseconds(value: float | None) -> str:
    """A time in ms with three significant digits."""
    return "–" if value is None else significant(value, 3)


def significant(value: float, digits: int) -> str:
    """As many significant digits for each number of a column, so that 0.130 stands below 0.131."""
    return f"{value:#.{digits}g}".rstrip(".") if value else "0"


@register.filter
def severity_tone(value: str) -> str:
    return SEVERITY_TONES.get(value, "")


@register.filter
def short_id(value: object) -> str:
    return str(value)[:8]
