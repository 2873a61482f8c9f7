"""Compares correlation, Wilson's interval, quantiles and bootstrap with scipy's: values, time, import."""

import math
import random
from collections.abc import Iterable

import numpy
from scipy import special, stats

from benchmarks.libraries import compare, import_cost
from datasets_app.analysis import statistics as ours
from eval_app.engine.judge.clock import statistics as judge

COUNTS = [3, 4, 5, 10, 30, 100, 1000, 3109, 100_000, 1_000_000]


def farthest(pairs: Iterable[tuple[float, float]]) -> float:
    """Return the largest relative difference."""
    return max(
        abs(value - reference) / max(abs(reference), 1e-300)
        for value, reference in pairs
        if value or reference
    )


def scipy_p(r: float, n: int) -> float:
    return float(special.betainc((n - 2) / 2, 0.5, 1 - r * r))


def p_values() -> Iterable[tuple[float, float]]:
    for n in COUNTS:
        for r in (0.001, 0.01, 0.047, 0.1, 0.3, 0.5, 0.9, 0.999):
            if (p := scipy_p(r, n)) > 1e-290:
                yield ours.p_value(r, n), p


def intervals() -> Iterable[tuple[float, float]]:
    for n in COUNTS:
        for share in (0, 0.01, 0.3, 0.5, 1):
            theirs = stats.binomtest(round(share * n), n).proportion_ci(0.95, "wilson")
            low, high = ours.wilson(round(share * n), n)
            yield from ((low + 1, theirs.low + 1), (high, theirs.high))


def quantiles() -> Iterable[tuple[float, float]]:
    draw = random.Random(1)
    for size in (1, 2, 5, 100):
        values = sorted(draw.lognormvariate(0, 1) for _ in range(size))
        for share in (0, 0.025, 0.1, 0.5, 0.9, 1):
            yield judge.quantile(values, share), float(numpy.quantile(values, share))


def main() -> None:
    for name, pairs in (("p-value", p_values()), ("wilson", intervals()), ("quantile", quantiles())):
        print(f"  {name:<44} largest relative difference {farthest(pairs):.1e}")
    draw = random.Random(2)
    reference = [draw.lognormvariate(0.4, 0.05) for _ in range(200)]
    candidate = [draw.lognormvariate(0.0, 0.05) for _ in range(200)]
    ratios = numpy.array(reference) / numpy.array(candidate)
    options = {"n_resamples": 1000, "method": "percentile", "rng": numpy.random.default_rng(1)}
    theirs = stats.bootstrap((ratios,), lambda x, axis: stats.trim_mean(x, 0.25, axis=axis), **options)
    mine = judge.speedup(reference, candidate)
    interval = theirs.confidence_interval
    print(
        f"  interval: ours {mine['low']:.4f} to {mine['high']:.4f}, scipy {interval.low:.4f} to {interval.high:.4f}"
    )
    compare(
        {
            "p-value: ours": lambda: [ours.p_value(0.047, 3109) for _ in range(1000)],
            "p-value: scipy.special.betainc": lambda: [scipy_p(0.047, 3109) for _ in range(1000)],
        }
    )
    compare(
        {
            "bootstrap of 200 pairs: ours": lambda: judge.speedup(reference, candidate),
            "bootstrap of 200 pairs: scipy": lambda: stats.bootstrap(
                (ratios,), lambda x, axis: stats.trim_mean(x, 0.25, axis=axis), **options
            ),
        }
    )
    assert math.isclose(mine["median"], float(stats.trim_mean(ratios, 0.25)))
    import_cost("datasets_app.analysis.statistics", "numpy", "scipy.special", "scipy.stats")


if __name__ == "__main__":
    main()
