"""Every figure of the page, by its name in addresses: samples with their evidence on one device in, Figure out."""

from collections.abc import Callable

from datasets_app.analysis import boxes, measure, standings, tasks_and_models
from datasets_app.analysis.claims import claims
from datasets_app.analysis.figures.accuracy import accuracy_figure
from datasets_app.analysis.figures.box_plots import length_figure, speed_figure
from datasets_app.analysis.figures.claimed import claims_figure
from datasets_app.analysis.figures.clusters import clusters_figure
from datasets_app.analysis.figures.difficulty import difficulty_figure
from datasets_app.analysis.figures.fast_p import fast_p_figure
from datasets_app.analysis.figures.figure import TITLES, Figure
from datasets_app.analysis.figures.leaderboard import leaderboard_figure
from datasets_app.analysis.figures.outcomes import outcomes_figure
from datasets_app.analysis.figures.scatter import scatter_figure
from datasets_app.analysis.figures.speeds import speeds_figure

# The second argument is the choice of bins, which only the first figure heeds; the third, reviews that are hidden from
# the reader, which only the last one does.
FIGURES: dict[str, Callable[..., Figure]] = {
    "accuracy": lambda samples, bins, hidden=None: accuracy_figure(measure.accuracy(samples, bins)),
    "lengths": lambda samples, bins, hidden=None: length_figure(boxes.length_boxes(samples)),
    "speedup-by-length": lambda samples, bins, hidden=None: scatter_figure(measure.speed_and_length(samples)),
    "speedups-by-length": lambda samples, bins, hidden=None: speed_figure(boxes.speed_boxes(samples)),
    "speedups": lambda samples, bins, hidden=None: speeds_figure(measure.speeds(samples)),
    "claims": lambda samples, bins, hidden=None: claims_figure(claims(samples)),
    "leaderboard": lambda samples, bins, hidden=None: leaderboard_figure(standings.leaderboard(samples)),
    "fast-p": lambda samples, bins, hidden=None: fast_p_figure(tasks_and_models.fast_p(samples)),
    "outcomes": lambda samples, bins, hidden=None: outcomes_figure(measure.outcomes(samples)),
    "difficulty": lambda samples, bins, hidden=None: difficulty_figure(tasks_and_models.difficulty(samples)),
    "clusters": lambda samples, bins, hidden=None: clusters_figure(
        tasks_and_models.clusters(samples, hidden)
    ),
}

__all__ = ["FIGURES", "TITLES", "Figure"]
