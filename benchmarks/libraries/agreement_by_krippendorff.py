"""Compares Krippendorff's alpha with the krippendorff package's: values, time, import."""

import random
from collections import Counter

import krippendorff
import numpy

from benchmarks.libraries import compare, import_cost, set_up_django

set_up_django()

from datasets_app.review.agreement import coefficients as ours  # noqa: E402

LEVELS = {"nominal": ours.nominal_alpha, "ordinal": ours.ordinal_alpha}


def ratings(draw: random.Random, raters: int, units: int, values: int, rated: float) -> numpy.ndarray:
    """Return a row per rater, NaN where the rater rated nothing."""
    return numpy.array(
        [
            [draw.randint(1, values) if draw.random() < rated else numpy.nan for _ in range(units)]
            for _ in range(raters)
        ]
    )


def units_of(data: numpy.ndarray) -> Counter[ours.Unit]:
    return Counter(
        tuple(sorted(int(value) for value in column if not numpy.isnan(value))) for column in data.T
    )


def theirs(data: numpy.ndarray, level: str) -> float:
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))


def main() -> None:
    draw = random.Random(1)
    for level, alpha in LEVELS.items():
        farthest, compared = 0.0, 0
        for _ in range(500):
            data = ratings(draw, draw.randint(2, 6), draw.randint(3, 60), draw.randint(2, 5), 0.7)
            if (value := alpha(units_of(data))) is not None:
                farthest, compared = max(farthest, abs(value - theirs(data, level))), compared + 1
        print(f"  {level:<44} {compared} tables, largest difference {farthest:.1e}")
    data = ratings(draw, 3, 500, 5, 1)
    units = units_of(data)
    compare(
        {
            "ordinal alpha of 500 samples by 3: ours": lambda: [
                ours.ordinal_alpha(units) for _ in range(100)
            ],
            "ordinal alpha of 500 samples by 3: krippendorff": lambda: [
                theirs(data, "ordinal") for _ in range(100)
            ],
        }
    )
    import_cost("krippendorff")


if __name__ == "__main__":
    main()
