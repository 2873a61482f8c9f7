"""Slow figures are cached for a while, and say how old they are; quick ones are made anew each time.

No page waits for a figure over very many samples: its place is empty until it is made.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace

from datasets_app.analysis.figures import FIGURES, TITLES, Figure
from datasets_app.analysis.request import FigureRequest
from datasets_app.browse.query.hidden_reviews import HiddenReviews

SLOW_SECONDS = 0.25
KEPT_SECONDS = 300
MOST = 200  # figures that one process keeps
MANY = 5000  # samples: over more of them a page does not wait for its figures

Key = tuple[str, str, str, str, HiddenReviews | None]
_cache: OrderedDict[Key, Made] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True)
class Made:
    figure: Figure
    at: float  # by time.monotonic()
    took_seconds: float
    was_kept: bool = False  # made for an earlier request

    @property
    def age_seconds(self) -> int:
        return int(time.monotonic() - self.at)


@dataclass(frozen=True)
class Waiting:
    """A figure that its page does not wait for and requests separately."""

    name: str

    @property
    def title(self) -> str:
        return TITLES[self.name]


def made_or_waiting(asked: FigureRequest, samples: int, *, anew: bool = False) -> list[Made | Waiting]:
    """Return all figures: over few samples made now, over many the cached ones."""
    few = samples <= MANY
    cached = {} if anew or few else {name: recall(key_of(name, asked)) for name in FIGURES}
    return [made(name, asked, anew=anew) if few else cached.get(name) or Waiting(name) for name in FIGURES]


def key_of(name: str, asked: FigureRequest) -> Key:
    bins = asked.bins if name == "accuracy" else ""
    tells_reviews = name == "clusters" or asked.filter.is_about_reviews
    hidden = asked.filter.hidden if tells_reviews else None
    return name, asked.filter.querystring(), asked.device, bins, hidden


def made(name: str, asked: FigureRequest, *, anew: bool = False) -> Made:
    """Return the figure; a cached one if there is any, unless `anew`."""
    key = key_of(name, asked)
    cached = None if anew else recall(key)
    return cached or make(key, asked)


def recall(key: Key) -> Made | None:
    with _lock:
        cached = _cache.get(key)
        if cached and time.monotonic() - cached.at > KEPT_SECONDS:
            del _cache[key]
            return None
        return replace(cached, was_kept=True) if cached else None


def make(key: Key, asked: FigureRequest) -> Made:
    started = time.monotonic()
    figure = FIGURES[key[0]](asked.samples, asked.bins, asked.filter.hidden)
    done = Made(figure, time.monotonic(), time.monotonic() - started)
    with _lock:
        _cache.pop(key, None)
        if done.took_seconds > SLOW_SECONDS:
            _cache[key] = done
            while len(_cache) > MOST:
                _cache.popitem(last=False)
    return done
