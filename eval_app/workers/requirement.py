"""What a verification needs of a host besides a kind of device: a device by its name, memory, compute capability,
processor architecture.

People write it as a few words, `device:H200 memory:80 capability:9.0`; a row and its queue have the canonical form of
the same words.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from datasets_app.text_input.numbers import whole_number

GIB = 2**30
# A card sold as 80 GB reports some percent less than 80 GiB, because its firmware keeps a part.
MEMORY_TOLERANCE = 0.93
LONGEST = 200  # characters of the canonical form, as its column
LONGEST_TYPED = 1000
MOST_MEMORY_GIB = 4096
CAPABILITY = re.compile(r"(>=)?(\d{1,2}\.\d)")
ARCHITECTURES = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
DEVICE_NAME = re.compile(r"[\w.() /-]{1,80}")
FORM = "device:H200, memory:80 (GiB), capability:9.0 or capability:>=8.0, arch:x86_64"


class RequirementError(ValueError):
    """A text that is no requirement; the message says which words there are."""


@dataclass(frozen=True)
class Requirement:
    """What a host must have. An empty one is met by every host of the kind of device."""

    device: str = ""  # words of the device's own name
    memory_gib: int = 0  # at least
    capability: str = ""  # exactly "9.0", or at least: ">=8.0"
    arch: str = ""  # of the processor

    @classmethod
    @lru_cache(maxsize=256)
    def read(cls, text: str) -> Requirement:
        """Return the requirement in a person's words. Raises RequirementError."""
        if len(text) > LONGEST_TYPED:
            raise RequirementError(f"A requirement has at most {LONGEST} characters.")
        try:
            words = shlex.split(text)
        except ValueError:
            raise RequirementError(f"{text!r:.100} has an unclosed quote.") from None
        values: dict[str, Any] = {}
        for word in words:
            name, _, value = word.partition(":")
            reader = READERS.get(name)
            if reader is None or not value.strip():
                raise RequirementError(f"{word!r:.100} is no requirement. The words are: {FORM}.")
            if reader[0] in values:
                raise RequirementError(f"{name} is named twice: a requirement has each word once.")
            values[reader[0]] = reader[1](value.strip())
        requirement = cls(**values)
        if len(requirement.text) > LONGEST:
            raise RequirementError(f"A requirement has at most {LONGEST} characters.")
        return requirement

    @property
    def text(self) -> str:
        """Return the canonical form: the same requirement is always the same text."""
        memory = f"memory:{self.memory_gib}" if self.memory_gib else ""
        device = f"device:{shlex.quote(self.device)}" if self.device else ""
        capability = f"capability:{self.capability}" if self.capability else ""
        return " ".join(filter(None, [device, memory, capability, f"arch:{self.arch}" if self.arch else ""]))

    @property
    def parts(self) -> list[Requirement]:
        """Return each word as a requirement of its own."""
        fields = ("device", "memory_gib", "capability", "arch")
        return [Requirement(**{name: value}) for name in fields if (value := getattr(self, name))]

    @property
    def words(self) -> str:
        """Return it for a sentence: "named H200 with at least 80 GiB of memory"."""
        least = self.capability.removeprefix(">=")
        later = " or later" if self.capability.startswith(">=") else ""
        texts = [
            f"named {self.device}" if self.device else "",
            f"with at least {self.memory_gib} GiB of memory" if self.memory_gib else "",
            f"of compute capability {least}{later}" if self.capability else "",
            f"on {self.arch}" if self.arch else "",
        ]
        return " ".join(filter(None, texts))

    @property
    def lack(self) -> str:
        """Return for a part that no worker meets it: "no worker is named H200"."""
        verb = "runs" if self.arch else "has" if self.memory_gib else "is"
        return f"no worker {verb} {self.words}".replace("has with", "has")

    def met_by(self, devices: Iterable[Mapping[str, Any]]) -> bool:
        """Return whether each of a worker's devices of a kind has all of it; False without any.

        A worker's jobs run on whichever of its devices is free, so that one of them would not be enough.
        """
        devices = list(devices)
        return bool(devices) and all(self.met_by_device(device) for device in devices)

    def met_by_device(self, device: Mapping[str, Any]) -> bool:
        """Return whether a device has all of it, by the facts that its host announced or its report states."""
        return (
            words_of(self.device) <= words_of(str(device.get("name") or ""))
            and number(device.get("memory_bytes")) >= self.memory_gib * GIB * MEMORY_TOLERANCE
            and self.capability_met(str(device.get("compute_capability") or ""))
            and self.arch in ("", str(device.get("arch") or ""))
        )

    def capability_met(self, has: str) -> bool:
        if not self.capability.startswith(">="):
            return self.capability in ("", has)
        return version(has) >= version(self.capability.removeprefix(">="))


def words_of(name: str) -> set[str]:
    """Return a device name's words, in lower case."""
    return set(name.lower().replace("-", " ").split())


def number(value: Any) -> float:
    """Return a fact as a number; 0 for an unknown one. Announced facts are texts."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


def version(text: str) -> tuple[int, ...]:
    """Return a compute capability as numbers, because 10.0 is later than 9.0; empty for an unknown one."""
    match = CAPABILITY.fullmatch(text)
    return tuple(int(part) for part in match[2].split(".")) if match else ()


# --- Words ----------------------------------------------------------------------------------------------------------


def read_device(value: str) -> str:
    if not DEVICE_NAME.fullmatch(value):
        raise RequirementError(f"device:{value!r:.100} cannot be a device's name.")
    return " ".join(value.split())


def read_memory(value: str) -> int:
    memory_gib = whole_number(value.removeprefix(">="), 1, MOST_MEMORY_GIB)
    if memory_gib is None:
        raise RequirementError(
            f"memory:{value:.20} is not a whole number of GiB from 1 to {MOST_MEMORY_GIB}."
        )
    return memory_gib


def read_capability(value: str) -> str:
    if not CAPABILITY.fullmatch(value):
        raise RequirementError(
            f"capability:{value:.20} is not a compute capability, such as 9.0, or >=8.0 for it and later ones."
        )
    return value


def read_arch(value: str) -> str:
    if value.lower() not in ARCHITECTURES:
        raise RequirementError(f"arch:{value:.20} is not one of: x86_64, aarch64.")
    return ARCHITECTURES[value.lower()]


READERS = {
    "device": ("device", read_device),
    "memory": ("memory_gib", read_memory),
    "capability": ("capability", read_capability),
    "arch": ("arch", read_arch),
}
