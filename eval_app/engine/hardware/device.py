"""Which device a lane runs on, and what is known of it: from NVML by ctypes, without torch and without CUDA."""

from __future__ import annotations

import ctypes
import os
import platform
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from eval_app.engine.contract.schema import Scalar

# Bytes a millisecond that an ordinary host moves at most, cache included: a floor must never refuse an honest kernel.
_CPU_BYTES_PER_MS = 4e8
_GPU_BYTES_PER_MS = 1e10
_CLOCKS = {"sm_mhz": 1, "memory_mhz": 2}
_TEMPERATURE_GPU = 0
_DDR = 2
# Bits of nvmlClocksEventReasons (nvml.h).
_THROTTLE = {
    0x1: "idle", 0x2: "application_clocks", 0x4: "power_cap", 0x8: "hardware_slowdown", 0x10: "sync_boost",
    0x20: "thermal", 0x40: "hardware_thermal", 0x80: "power_brake", 0x100: "display_clocks",
}  # fmt: skip


class DeviceError(ValueError):
    """A device that was asked for and is not here; the text says what there is."""


@dataclass(frozen=True)
class Device:
    """One place where kernels run. `name` is "cpu" or "cuda:0"."""

    name: str
    facts: dict[str, Scalar] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """ "cpu" or "cuda"."""
        return self.name.partition(":")[0]

    @property
    def index(self) -> int:
        """The GPU's number as NVML counts."""
        return int(self.name.partition(":")[2] or 0)

    @property
    def bytes_per_ms(self) -> float:
        """Peak memory bandwidth, never less than the true one."""
        bandwidth = self.facts.get("bandwidth_bytes_per_s")
        if isinstance(bandwidth, int | float) and bandwidth > 0:
            return float(bandwidth) / 1e3
        return _GPU_BYTES_PER_MS if self.kind == "cuda" else _CPU_BYTES_PER_MS

    def state(self) -> dict[str, Any]:
        """What holds now. A GPU: `sm_mhz`, `memory_mhz`, `temperature_c`, `power_w`, each a number where NVML tells
        it, and `throttle`, a list of words. A CPU: `load_1m` and `cores`."""
        if self.kind == "cpu":
            return {"load_1m": round(os.getloadavg()[0], 2), "cores": len(os.sched_getaffinity(0))}
        return _gpu_state(self.index)


@cache
def _nvml() -> Any:
    for name in ("libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        return library if library.nvmlInit_v2() == 0 else None
    return None


def gpu_count() -> int:
    """How many NVIDIA GPUs there are."""
    count = ctypes.c_uint(0)
    library = _nvml()
    if library is None or library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
        return 0
    return count.value


def choose(name: str) -> Device:
    """The device of that name; "auto" is the first GPU, or the CPU. DeviceError where it is not here."""
    if name == "auto":
        name = "cuda:0" if gpu_count() else "cpu"
    if name == "cpu":
        return Device("cpu", _cpu_facts())
    kind, _, number = name.partition(":")
    index = number or "0"
    if kind != "cuda" or not index.isdigit():
        raise DeviceError(f"{name!r} is no device; say cpu, cuda:0, cuda:1 ..., all or auto")
    if int(index) >= gpu_count():
        raise DeviceError(f"there is no {name} here: {gpu_count()} NVIDIA GPUs were found")
    return Device(f"cuda:{index}", _gpu_facts(int(index)))


def choose_all(names: str) -> list[Device]:
    """The devices of a comma-separated list; "all" is every GPU, or the CPU where there is none."""
    if names == "all":
        names = ",".join(f"cuda:{index}" for index in range(gpu_count())) or "cpu"
    chosen = [choose(name.strip()) for name in names.split(",")]
    if len({device.name for device in chosen}) < len(chosen):
        raise DeviceError(f"{names!r} names a device twice")
    if len({device.kind for device in chosen}) > 1:
        raise DeviceError("one engine runs on GPUs or on the CPU, not on both: start one for each")
    return chosen


def _cpu_facts() -> dict[str, Scalar]:
    return {"kind": "cpu", "name": _cpu_name(), "cores": len(os.sched_getaffinity(0))}


def _cpu_name() -> str:
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()[:200]
    return platform.machine()


def _handle(index: int) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    _nvml().nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(handle))
    return handle


def _number(function: str, index: int, *arguments: Any) -> int | None:
    value = ctypes.c_uint(0)
    code = getattr(_nvml(), function)(_handle(index), *arguments, ctypes.byref(value))
    return int(value.value) if code == 0 else None


def _text(function: str, *arguments: Any) -> str:
    buffer = ctypes.create_string_buffer(96)
    code = getattr(_nvml(), function)(*arguments, buffer, ctypes.c_uint(96))
    return buffer.value.decode("utf-8", "replace") if code == 0 else ""


def _gpu_facts(index: int) -> dict[str, Scalar]:
    width = _number("nvmlDeviceGetMemoryBusWidth", index) or 0
    clock = _number("nvmlDeviceGetMaxClockInfo", index, ctypes.c_uint(2)) or 0
    return {
        "kind": "cuda", "name": _text("nvmlDeviceGetName", _handle(index)), "index": index,
        "uuid": _text("nvmlDeviceGetUUID", _handle(index)), "compute_capability": capability(index),
        "bandwidth_bytes_per_s": float(width / 8 * clock * 1e6 * _DDR) or None,
        "driver": driver_version(),
    }  # fmt: skip


def capability(index: int) -> str:
    """Compute capability such as "9.0"."""
    major, minor = ctypes.c_int(0), ctypes.c_int(0)
    _nvml().nvmlDeviceGetCudaComputeCapability(_handle(index), ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def driver_version() -> str:
    """The NVIDIA driver's version, or nothing."""
    return _text("nvmlSystemGetDriverVersion") if _nvml() is not None else ""


def busy_share(index: int) -> float | None:
    """Share of NVML's last sampling period in which any kernel ran on a GPU; None where NVML does not say."""
    rates = (ctypes.c_uint * 2)()
    if _nvml() is None or _nvml().nvmlDeviceGetUtilizationRates(_handle(index), ctypes.byref(rates)) != 0:
        return None
    return rates[0] / 100


def _gpu_state(index: int) -> dict[str, Any]:
    numbers: dict[str, float | None] = {
        name: _number("nvmlDeviceGetClockInfo", index, ctypes.c_uint(kind)) for name, kind in _CLOCKS.items()
    }
    numbers["temperature_c"] = _number("nvmlDeviceGetTemperature", index, ctypes.c_uint(_TEMPERATURE_GPU))
    milliwatts = _number("nvmlDeviceGetPowerUsage", index)
    numbers["power_w"] = None if milliwatts is None else milliwatts / 1e3
    readings = {name: value for name, value in numbers.items() if value is not None}
    return {**readings, "throttle": throttle_words(_throttle_bits(index))}


def _throttle_bits(index: int) -> int:
    reasons = ctypes.c_ulonglong(0)
    code = _nvml().nvmlDeviceGetCurrentClocksThrottleReasons(_handle(index), ctypes.byref(reasons))
    return int(reasons.value) if code == 0 else 0


def throttle_words(bits: int) -> list[str]:
    """NVML's reasons for a clock below the highest, as words; bits that no header names are given in hex."""
    words = [word for bit, word in _THROTTLE.items() if bits & bit]
    unnamed = bits & ~sum(_THROTTLE)
    return [*words, hex(unnamed)] if unnamed else words
