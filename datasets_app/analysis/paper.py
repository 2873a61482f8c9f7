"""Figures that ConCuR's paper reports of its own data, drawn beside the site's and labelled as the paper's."""

from itertools import pairwise

BINS = 9
FIRST_TOKENS, LAST_TOKENS = 404, 19_332
ACCURACY = (0.65, 0.54, 0.35, 0.26, 0.18, 0.14, 0.10, 0.07, 0.04)  # by trace-length bin
SPEEDUP_R, SPEEDUP_N = -0.047, 3109


def edges(first: float = FIRST_TOKENS, last: float = LAST_TOKENS) -> list[float]:
    """Return the bounds of nine bins of equal width."""
    width = (last - first) / BINS
    return [first + width * number for number in range(BINS + 1)]


def centres(bounds: list[float]) -> list[float]:
    return [(low + high) / 2 for low, high in pairwise(bounds)]
