"""Every figure of the page, by its name in addresses: samples in, Figure out."""

from collections.abc import Callable

from datasets_app.analysis import measure
from datasets_app.analysis.figures.accuracy import accuracy_figure
from datasets_app.analysis.figures.figure import Figure
from datasets_app.analysis.figures.outcomes import outcomes_figure
from datasets_app.analysis.figures.scatter import scatter_figure
from datasets_app.analysis.figures.speeds import speeds_figure
from datasets_app.querysets import SampleQuerySet

# The second argument is the choice of bins, which only the first figure heeds.
FIGURES: dict[str, Callable[[SampleQuerySet, str], Figure]] = {
    "accuracy": lambda samples, bins: accuracy_figure(measure.accuracy(samples, bins)),
    "speedup-by-length": lambda samples, bins: scatter_figure(measure.speed_and_length(samples)),
    "speedups": lambda samples, bins: speeds_figure(measure.speeds(samples)),
    "outcomes": lambda samples, bins: outcomes_figure(measure.outcomes(samples)),
}

__all__ = ["FIGURES", "Figure"]
