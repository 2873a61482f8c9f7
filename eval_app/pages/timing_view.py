"""A report's timing as its page shows it: rows, the strip plot, the roofline, the state of the device."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eval_app.pages import charts
from eval_app.pages.judged_times import JudgedTimes
from eval_app.pages.roofline_plot import RooflinePlot, roofline_plot

BASELINE_NAMES = {
    "eager": "eager",
    "compile": "compile",
    "max-autotune": "autotune",
    "cudagraph": "CUDA graph",
}
NOTICEABLE = 0.05  # by how much a ratio must differ from the speedup to be worth a sentence
HARMLESS = {"", "none", "0x0", "0x1", "gpu_idle", "idle"}  # an idle device lowers its clocks


@dataclass(frozen=True)
class TimingRow:
    """One row of the table: the kernel, or a baseline."""

    name: str
    spread: Mapping[str, Any]
    speedup: float | None  # of the kernel over this side
    interval: tuple[float, float] | None
    reused: bool


@dataclass(frozen=True)
class Roofline:
    """The bytes and operations of the task with their units, and the device's peaks."""

    moved: str
    computed: str  # empty: no operation of the program is counted
    uncounted: str  # the operators that nothing could count
    floor_ms: float | None
    bound: str
    # Of the roofline; over 100 if the kernel does less than the program.
    percent: float | None
    peaks: str


@dataclass(frozen=True)
class Times:
    """The `timing` of a report; read-only."""

    timing: Mapping[str, Any]
    claimed_speedup: float | None = None

    @cached_property
    def sides(self) -> list[TimingRow]:
        """Return the kernel, then the baselines in the order of the report."""
        kernel = TimingRow("kernel", self.timing["candidate"], None, None, False)
        return [kernel, *(self.baseline(mode) for mode in self.timing["baselines"])]

    def baseline(self, mode: str) -> TimingRow:
        """Return one baseline. Eager's speedup is the median of paired ratios; the others' are ratios of medians."""
        spread = self.timing["baselines"][mode]
        paired = self.timing["speedup"] if mode == "eager" else None
        ratio = paired["median"] if paired else spread["median_ms"] / self.timing["candidate"]["median_ms"]
        interval = (paired["low"], paired["high"]) if paired else None
        reused = mode in (self.timing.get("baselines_reused") or [])
        return TimingRow(BASELINE_NAMES.get(mode, mode), spread, ratio, interval, reused)

    @property
    def ratio_of_medians(self) -> float | None:
        """Return eager's median over the kernel's where a reader would take it for another speedup than the reported
        median of ratios; None where the two agree.
        """
        ratio = self.timing["baselines"]["eager"]["median_ms"] / self.timing["candidate"]["median_ms"]
        differs = abs(ratio / self.timing["speedup"]["median"] - 1) > NOTICEABLE
        return float(ratio) if differs else None

    @property
    def missing(self) -> dict[str, str]:
        """Return the baselines that were requested and not measured, with the reasons."""
        return {
            BASELINE_NAMES.get(k, k): why for k, why in (self.timing.get("baselines_missing") or {}).items()
        }

    @cached_property
    def plot(self) -> charts.StripPlot:
        claim = (
            self.timing["baselines"]["eager"]["median_ms"] / self.claimed_speedup
            if self.claimed_speedup
            else None
        )
        return charts.strip_plot({side.name: side.spread for side in self.sides}, self.floor_ms, claim)

    @property
    def floor_ms(self) -> float | None:
        return (self.timing.get("roofline") or {}).get("floor_ms") or self.timing.get("floor_ms")

    @cached_property
    def judged(self) -> JudgedTimes:
        return JudgedTimes(self.timing)

    @property
    def confirmation(self) -> str:
        """Return whether the judge's own clock confirms the kernel's time, as a sentence; empty if a notice says why
        it does not.
        """
        if self.timing.get("confirmed_by"):
            return "The judge's own clock confirms the kernel's time."
        return "" if self.timing.get("unconfirmed") else "No clock of the judge confirms the kernel's time."

    @cached_property
    def roofline(self) -> Roofline | None:
        data = self.timing.get("roofline")
        if not data:
            return None
        share = data.get("fraction")
        return Roofline(
            moved=with_unit(data.get("bytes"), "B"),
            computed=computed(data),
            uncounted=", ".join(data.get("uncounted") or []),
            floor_ms=data.get("floor_ms"),
            bound=data.get("bound") or "",
            percent=None if share is None else 100 * share,
            peaks=data.get("peaks") or "",
        )

    @cached_property
    def roofline_plot(self) -> RooflinePlot | None:
        medians = {side.name: side.spread["median_ms"] for side in self.sides}
        return roofline_plot(self.timing.get("roofline") or {}, medians)

    @cached_property
    def state(self) -> list[tuple[str, Any]]:
        """Return clocks, temperature, power and the like, as name and value."""
        facts = (self.timing.get("device_state") or {}).items()
        return [(named(name), value) for name, value in facts if value not in (None, "", [])]

    @cached_property
    def throttled(self) -> list[str]:
        """Return why the device lowered its clocks during timing; empty if it did not."""
        reasons = (self.timing.get("device_state") or {}).get("throttle") or []
        reasons = [reasons] if isinstance(reasons, str) else reasons
        return [reason.replace("_", " ") for reason in reasons if reason.lower() not in HARMLESS]


def computed(roofline: Mapping[str, Any]) -> str:
    """Return the operations of a task in words; empty if none were counted."""
    products, others = roofline.get("flops") or 0, roofline.get("other_flops") or 0
    double = roofline.get("double_flops") or 0
    precision = f", {with_unit(double, 'FLOP')} of it in double precision" if double else ""
    if not (products or others):
        return ""
    if not others:
        return with_unit(products, "FLOP") + precision
    if not products:
        return f"{with_unit(others, 'FLOP')} outside of matrix products" + precision
    sums = f"{with_unit(products, 'FLOP')} in matrix products and {with_unit(others, 'FLOP')} in other operations"
    return sums + precision


STATE_UNITS = {"_mhz": ", MHz", "_c": ", °C", "_w": ", W", "_mb": ", MB", "_percent": ", %"}


def named(name: str) -> str:
    """Return sm_mhz as "sm, MHz"."""
    for end, unit in STATE_UNITS.items():
        if name.endswith(end):
            return name.removesuffix(end).replace("_", " ") + unit
    return name.replace("_", " ")


def with_unit(value: float | None, unit: str) -> str:
    """Return 12,582,912 B as 12.6 MB; a dash for an unknown value."""
    if value is None:
        return "–"
    for power, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= power:
            return f"{value / power:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"
