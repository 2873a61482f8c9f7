"""Peak rates of a device: bytes and floating-point operations per second, with their source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_DATASHEET = "NVIDIA's datasheet, dense"


@dataclass(frozen=True)
class Peaks:
    """Bytes per second, and operations per second by arithmetic: "fp64", "fp32", "half" (fp16 and bf16),
    "8-bit" (fp8 and int8)."""

    bytes_per_s: float
    flops_per_s: dict[str, float]
    source: str

    def words(self, arithmetic: str) -> str:
        """Describe the peaks for a report."""
        rate = self.flops_per_s.get(arithmetic)
        compute = f", {rate / 1e12:.4g} TFLOP/s in {arithmetic}" if rate else ""
        return f"{self.bytes_per_s / 1e9:.4g} GB/s{compute} ({self.source})"[:300]


# (words in the device's name, GB/s, TFLOP/s in fp64, in fp32 without tensor cores, in fp16 and bf16 with
# them). fp64 includes tensor cores if they support it. fp32 is IEEE: TF32 is another arithmetic. Where there are
# tensor cores for eight bits, they are twice as fast as for half precision. The first matching row counts.
_TABLE: tuple[tuple[tuple[str, ...], float, float, float, float], ...] = (
    (("B200",), 8000, 40, 80, 2250),
    (("GH200",), 4900, 67, 67, 989.5),
    (("H200", "NVL"), 4800, 60, 60, 835.5),
    (("H200",), 4800, 67, 67, 989.5),
    (("H100", "NVL"), 3900, 60, 60, 835.5),
    (("H100", "PCIe"), 2000, 51, 51, 756),
    (("H100",), 3350, 67, 67, 989.5),
    (("H20",), 4000, 1, 44, 148),
    (("A100", "80GB", "PCIe"), 1935, 19.5, 19.5, 312),
    (("A100", "80GB"), 2039, 19.5, 19.5, 312),
    (("A100",), 1555, 19.5, 19.5, 312),
    (("A800",), 2039, 19.5, 19.5, 312),
    (("L40S",), 864, 1.43, 91.6, 362),
    (("L40",), 864, 1.41, 90.5, 181),
    (("L4",), 300, 0.47, 30.3, 121),
    (("A10G",), 600, 0.55, 35, 70),
    (("A10",), 600, 0.49, 31.2, 125),
    (("A30",), 933, 10.3, 10.3, 165),
    (("A40",), 696, 0.58, 37.4, 149.7),
    (("RTX 5090",), 1792, 1.64, 104.8, 419),
    (("RTX 4090",), 1008, 1.29, 82.6, 330.3),
    (("RTX 3090",), 936, 0.56, 35.6, 142),
    (("RTX A6000",), 768, 0.6, 38.7, 154.8),
    (("RTX 6000 Ada",), 960, 1.42, 91.1, 364),
    (("V100",), 900, 7.8, 15.7, 125),
    (("T4",), 320, 0.25, 8.1, 65),
)


def from_table(device: dict[str, Any]) -> Peaks | None:
    """Return the peaks of a GPU by its name; None for a CPU or an unknown GPU."""
    if device.get("kind") != "cuda":
        return None
    words = str(device.get("name", ""))
    tokens = set(words.replace("-", " ").split())
    for names, gigabytes, fp64, fp32, half in _TABLE:
        if all(name in tokens or (" " in name and name in words) for name in names):
            rates = {"fp64": fp64 * 1e12, "fp32": fp32 * 1e12, "half": half * 1e12, "8-bit": 2 * half * 1e12}
            return Peaks(gigabytes * 1e9, rates, _DATASHEET)
    return None


def from_measurement(rates: dict[str, Any], device: dict[str, Any]) -> Peaks:
    """Return peaks from measured rates; the bandwidth is at least NVML's bus width times clock."""
    nominal = device.get("bandwidth_bytes_per_s")
    bandwidth = max(float(rates["bytes_per_s"]), float(nominal) if isinstance(nominal, int | float) else 0.0)
    flops = {name: float(rate) for name, rate in dict(rates["flops_per_s"]).items()}
    cores = " on one core" if device.get("kind") == "cpu" else ""
    return Peaks(bandwidth, flops, f"measured{cores}: a large copy and a matrix product")


def roofline(facts: dict[str, Any], peaks: Peaks, candidate_ms: float) -> dict[str, Any] | None:
    """Return the JSON form of evidence.Roofline for the counts of `roofline.count`; None if no data moves."""
    memory_ms = facts["bytes"] / peaks.bytes_per_s * 1e3
    rate = peaks.flops_per_s.get(str(facts.get("arithmetic")))
    flops = facts.get("flops")
    compute_ms = flops / rate * 1e3 if flops and rate else None
    floor_ms = max(memory_ms, compute_ms or 0.0)
    if floor_ms <= 0:
        return None
    return {
        "bytes": int(facts["bytes"]), "flops": flops, "memory_ms": memory_ms, "compute_ms": compute_ms,
        "floor_ms": floor_ms, "bound": "compute" if (compute_ms or 0.0) > memory_ms else "memory",
        "fraction": floor_ms / candidate_ms, "peaks": peaks.words(str(facts.get("arithmetic"))),
        "other_flops": facts.get("other_flops"), "double_flops": facts.get("double_flops"),
        "uncounted": facts.get("uncounted", []), "flops_per_s": rate,
    }  # fmt: skip
