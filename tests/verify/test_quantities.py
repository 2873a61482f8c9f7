"""Tests of a report's facts and their units."""

import pytest

from eval_app.pages.units import Quantity, quantity


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("bandwidth_bytes_per_s", 4814304000000.0, Quantity("bandwidth", 4.814304, "TB/s")),
        ("memory_bytes", 512, Quantity("memory", 512, "B")),
        ("timeout_s", 30, Quantity("timeout", 30, "s")),
        ("sm_clock_mhz", {"min": 1, "max": 2}, Quantity("sm clock", {"min": 1, "max": 2}, "MHz")),
        ("compute_capability", "9.0", Quantity("compute capability", "9.0")),
        ("driver_s", "580.1", Quantity("driver s", "580.1")),
        ("has_s", True, Quantity("has s", True)),
        ("s", 3, Quantity("s", 3)),
    ],
)
def test_a_unit_in_a_name_stands_beside_the_value(name, value, said):
    assert quantity(name, value) == said
