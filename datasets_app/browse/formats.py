"""Formats values for all pages: states, speedups, times, sizes. Templates use these as tags and filters."""

from functools import lru_cache
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

# outcome or state -> (word, shape, tone). Red: the kernel failed; violet: an error on our side; grey:
# unknown.
STATES = {
    "": ("not verified", "○", ""),
    "queued": ("waiting", "○", ""),
    "running": ("running", "◐", ""),
    "done": ("done", "●", "is-good"),
    "partly_refused": ("partly refused", "●", "is-doubt"),
    "nothing_added": ("refused, nothing new", "✕", "is-doubt"),
    "unreadable": ("unreadable", "▲", "is-doubt"),
    "needs_a_choice": ("format unknown", "?", "is-doubt"),
    "failed": ("failed", "⚠", "is-ours"),
    "cancelled": ("cancelled", "⊘", ""),
    "stopped": ("stopped early", "⊘", "is-doubt"),
    "delivered": ("delivered", "●", "is-good"),
    "given_up": ("given up", "▲", "is-doubt"),
    "off": ("off", "⊘", ""),
    "on": ("on", "●", "is-good"),
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
    "contested": ("contested", "≠", "is-doubt"),
    "being verified": ("being verified", "◐", ""),
    "not decided": ("not decided", "◇", "is-doubt"),
    "accepted": ("accepted", "✓", "is-good"),
    "withdrawn": ("withdrawn", "⊘", ""),
    "stale": ("stale", "◌", "is-doubt"),
}


@lru_cache(maxsize=256)
def state(value: str) -> SafeString:
    """Return an outcome, a job's state or a verdict as word, shape and colour."""
    word, shape, tone = STATES.get(value, (value.replace("_", " "), "?", ""))
    return format_html('<span class="state {}" data-shape="{}">{}</span>', tone, shape, word)


def speedup(value: float | None) -> str:
    """Return 2.14x, with three significant digits; a dash if nothing was measured."""
    if value is None:
        return "–"
    return f"{value:.2f}×" if value < 10 else f"{value:.1f}×" if value < 100 else f"{value:.0f}×"


UNCONFIRMED = SafeString('<span class="soft" title="Passed; no confirmed time">unconfirmed</span>')


def measured(value: float | None, outcome: str | None) -> str:
    """Return a measured speedup; of a sample that passed without one, that its time is unconfirmed."""
    return UNCONFIRMED if value is None and outcome == "passed" else speedup(value)


def standing(outcome: str, waiting: str) -> SafeString:
    """Return an outcome, and beside it that another verification waits or runs; alone, that the first one does."""
    if not waiting or not outcome:
        return state(waiting or outcome)
    return format_html('{} <span class="soft small">· {} again</span>', state(outcome), STATES[waiting][0])


def milliseconds(value: float | None) -> str:
    """Return a time in ms with three significant digits."""
    return "–" if value is None else significant(value, 3)


def duration(value_ms: float | None) -> str:
    """Return a time with its unit and three significant digits: in ns below 1 us, else in ms."""
    if value_ms is None:
        return "–"
    return f"{significant(value_ms * 1e6, 3)} ns" if 0 < value_ms < 1e-3 else f"{significant(value_ms, 3)} ms"


def two_places(value: float) -> str:
    """Return a coefficient with two decimals and a true minus sign."""
    return f"{value:.2f}".replace("-", "−")


def time_span(seconds: float) -> str:
    """Return seconds in the largest unit that they have two of, such as `90 s`, `12 min` or `3 d`."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def precise_percent(value: float | None) -> str:
    """Return a share in percent without its sign, with two or three significant digits."""
    if value is None:
        return "–"
    if 0 < value < 0.01:
        return "under 0.01"
    return f"{value:.2g}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def significant(value: float, digits: int) -> str:
    """Return the number with trailing zeros kept, so that the numbers of a column have equal precision."""
    if value >= 10**digits:
        return f"{value:,.0f}"
    return f"{value:#.{digits}g}".rstrip(".") if value else "0"


def kilobytes(size_bytes: int) -> str:
    return f"{size_bytes / 1000:.1f}"


def half_width(evidence: Any) -> str:
    """Return ±0.01: half the interval of a measured speedup, with the digits of the speedup itself."""
    half = (evidence.speedup_high - evidence.speedup_low) / 2
    return f"±{half:.2f}" if evidence.speedup_high < 10 else f"±{half:.1f}"
