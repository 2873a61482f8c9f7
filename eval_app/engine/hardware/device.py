"""Properties and state of the device of a lane, from NVML by ctypes; needs neither torch nor CUDA."""

from __future__ import annotations

import ctypes
import glob
import os
import platform
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from eval_app.engine.contract.schema import Scalar

# Upper bounds for the bytes per millisecond of an ordinary host, caches included, and of a GPU: the time
# floor must never reject an honest kernel.
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
    """A requested device is not present; the message lists what is."""


@dataclass(frozen=True)
class Device:
    """One device. `name` is "cpu" or "cuda:0"."""

    name: str
    facts: dict[str, Scalar] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Return "cpu" or "cuda"."""
        return self.name.partition(":")[0]

    @property
    def index(self) -> int:
        """Return NVML's number of the GPU, which the name counts among those that are visible."""
        number = self.facts.get("index", 0)
        return number if isinstance(number, int) else 0

    @property
    def bytes_per_ms(self) -> float:
        """Return an upper bound of the peak memory bandwidth."""
        bandwidth = self.facts.get("bandwidth_bytes_per_s")
        if isinstance(bandwidth, int | float) and bandwidth > 0:
            return float(bandwidth) / 1e3
        return _GPU_BYTES_PER_MS if self.kind == "cuda" else _CPU_BYTES_PER_MS

    def state(self) -> dict[str, Any]:
        """Return the present state. GPU: `sm_mhz`, `memory_mhz`, `temperature_c`, `power_w` as far as NVML
        reports them, and `throttle`, a list of words. CPU: `load_1m` and `cores`."""
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


def _installed() -> int:
    count = ctypes.c_uint(0)
    library = _nvml()
    if library is None or library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
        return 0
    return count.value


def visible_gpus() -> list[int]:
    """Return NVML's numbers of the GPUs that CUDA_VISIBLE_DEVICES names, in its order; without it, of all.

    An entry is a number as `nvidia-smi -L` lists it, or the beginning of a UUID; -1 ends the list. Raises DeviceError
    for another one, and for a GPU that is named twice.
    """
    present = range(_installed())
    value = os.environ.get("CUDA_VISIBLE_DEVICES")
    if value is None or not present:
        return list(present)
    chosen: list[int] = []
    for entry in filter(None, map(str.strip, value.split(","))):
        if entry == "-1":
            break
        found = [n for n in present if entry == str(n) or _has_uuid(n, entry)]
        if len(found) != 1 or found[0] in chosen:
            raise DeviceError(
                f"CUDA_VISIBLE_DEVICES={value!r}: {entry!r} is not one GPU of its own; name each by its "
                "number or its UUID, as nvidia-smi -L lists them"
            )
        chosen += found
    return chosen


def _has_uuid(index: int, beginning: str) -> bool:
    return beginning.startswith("GPU-") and _text("nvmlDeviceGetUUID", _handle(index)).startswith(beginning)


def gpu_count() -> int:
    """Return the number of NVIDIA GPUs that are visible."""
    return len(visible_gpus())


def choose(name: str) -> Device:
    """Return the device of that name; "auto" is the first GPU, or the CPU. Raises DeviceError if it is not present."""
    if name == "auto":
        name = "cuda:0" if gpu_count() else "cpu"
    if name == "cpu":
        return Device("cpu", _cpu_facts())
    kind, _, number = name.partition(":")
    index = number or "0"
    if kind != "cuda" or not index.isdigit():
        raise DeviceError(f"{name!r} is not a device; use cpu, cuda:0, cuda:1 ..., all or auto")
    visible = visible_gpus()
    if int(index) >= len(visible):
        among = " among those of CUDA_VISIBLE_DEVICES" if "CUDA_VISIBLE_DEVICES" in os.environ else ""
        raise DeviceError(f"{name} is not present: this machine has {len(visible)} NVIDIA GPUs{among}")
    return Device(f"cuda:{index}", _gpu_facts(visible[int(index)]))


def choose_all(names: str) -> list[Device]:
    """Return the devices of a comma-separated list; "all" is every GPU, or the CPU if there is none."""
    if names == "all":
        names = ",".join(f"cuda:{index}" for index in range(gpu_count())) or "cpu"
    chosen = [choose(name.strip()) for name in names.split(",")]
    if len({device.name for device in chosen}) < len(chosen):
        raise DeviceError(f"{names!r} names a device twice")
    if len({device.kind for device in chosen}) > 1:
        raise DeviceError("one engine runs on GPUs or on the CPU, not both: start one for each")
    return chosen


def _cpu_facts() -> dict[str, Scalar]:
    return {
        "kind": "cpu", "name": _cpu_name(), "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "arch": platform.machine(),
    }  # fmt: skip


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
        "memory_bytes": _memory_bytes(index), "arch": platform.machine(), "driver": driver_version(),
    }  # fmt: skip


def _memory_bytes(index: int) -> int | None:
    sizes = (ctypes.c_ulonglong * 3)()  # nvmlMemory_t: total, free, used
    code = _nvml().nvmlDeviceGetMemoryInfo(_handle(index), ctypes.byref(sizes))
    return int(sizes[0]) if code == 0 else None


def capability(index: int) -> str:
    """Return the compute capability, such as "9.0"."""
    major, minor = ctypes.c_int(0), ctypes.c_int(0)
    _nvml().nvmlDeviceGetCudaComputeCapability(_handle(index), ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def exposure(index: int) -> tuple[str, str]:
    """Return the device file of a GPU, and what CUDA_VISIBLE_DEVICES is where no other GPU's file is visible.

    The file is empty if NVML does not know it: then all are visible, and the number counts among them.
    """
    minor = _number("nvmlDeviceGetMinorNumber", index)
    uuid = _text("nvmlDeviceGetUUID", _handle(index))
    file = f"/dev/nvidia{minor}"
    if minor is None or not os.path.exists(file):
        return "", str(index)
    if len(glob.glob("/dev/nvidia[0-9]*")) == 1:
        return file, str(index)
    return (file, uuid) if uuid else ("", str(index))


def driver_version() -> str:
    """Return the NVIDIA driver's version; empty without one."""
    return _text("nvmlSystemGetDriverVersion") if _nvml() is not None else ""


def busy_share(index: int) -> float | None:
    """Return the share of NVML's last sampling period in which a kernel ran on a GPU; None if unknown."""
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
    """Return NVML's reasons for a reduced clock as words; unknown bits in hexadecimal."""
    words = [word for bit, word in _THROTTLE.items() if bits & bit]
    unnamed = bits & ~sum(_THROTTLE)
    return [*words, hex(unnamed)] if unnamed else words
