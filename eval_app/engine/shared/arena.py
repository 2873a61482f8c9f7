"""Shared buffers owned by the judge: a sealed memfd on a CPU, CUDA IPC on a GPU, else a memfd to copy through.

Every tensor lies between guard bands, so that writes beyond its ends are detected.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
from dataclasses import dataclass
from typing import Any

import torch

from eval_app.engine.shared import cudart
from eval_app.engine.shared.trees import TensorSpec

ALIGN_BYTES = 512
GUARD_BYTES = 4096
# All bits set: NaN in every floating type, -1 in every signed integer type, so that reads beyond the end show
# too.
POISON = 0xFF
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


@dataclass(frozen=True)
class Slot:
    """The place of a tensor in an arena: byte `offset`, and the tensor's shape, dtype and stride."""

    spec: TensorSpec
    offset: int

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Slot:
        """Read the JSON form."""
        return cls(TensorSpec.from_dict(data["spec"]), int(data["offset"]))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"spec": self.spec.to_dict(), "offset": self.offset}


def lay_out(specs: list[TensorSpec], start: int = 0) -> tuple[list[Slot], int]:
    """Return places for `specs` from byte `start` on, with guards, and the byte after the last guard."""
    slots = []
    for spec in specs:
        start += GUARD_BYTES
        slots.append(Slot(spec, start))
        start += -(-spec.size_bytes // ALIGN_BYTES) * ALIGN_BYTES
    return slots, start + GUARD_BYTES


def padded_end(slot: Slot) -> int:
    """Return the byte after the guard that follows `slot`."""
    return slot.offset + -(-slot.spec.size_bytes // ALIGN_BYTES) * ALIGN_BYTES + GUARD_BYTES


class Arena:
    """A block of shared memory. `handle` and `descriptor` let the other side open it."""

    def __init__(
        self, kind: str, size: int, base: int, keep: Any, descriptor: int = -1, handle: str = ""
    ) -> None:
        """Store the mapping made by `create` or `open_shared`; `keep` must live as long as the memory is used."""
        self.kind, self.size, self._base, self._keep = kind, size, base, keep
        self.descriptor, self.handle = descriptor, handle

    @classmethod
    def create(cls, size: int, device: torch.device, *, copied: bool = False) -> Arena:
        """Return new shared memory of `size` bytes, poisoned."""
        if device.type == "cuda" and not copied:
            pointer = cudart.malloc(size)
            whole = cudart.as_tensor(pointer, size)
            arena = cls("cuda_ipc", size, pointer, whole, handle=cudart.export_handle(pointer).hex())
        else:
            descriptor = os.memfd_create("arena", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            os.ftruncate(descriptor, size)
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
            arena = cls._mapped(descriptor, size)
        arena.bytes_at(0, size).fill_(POISON)
        return arena

    @classmethod
    def private(cls, size: int, device: torch.device) -> Arena:
        """Return `size` bytes of this process alone, which torch frees; they hold anything."""
        whole = torch.empty(size, dtype=torch.uint8, device=device)
        return cls("private", size, whole.data_ptr(), whole)

    @classmethod
    def open_shared(cls, kind: str, size: int, descriptors: list[int], handle: str) -> Arena:
        """Return the memory that the other side created."""
        if kind == "cuda_ipc":
            return cls(kind, size, cudart.open_handle(bytes.fromhex(handle)), None)
        return cls._mapped(descriptors[0], size)

    @classmethod
    def _mapped(cls, descriptor: int, size: int) -> Arena:
        memory = mmap.mmap(descriptor, size)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        return cls("memfd", size, address, memory, descriptor=descriptor)

    def offset_of(self, address: int) -> int | None:
        """Return the byte at `address` of this process, None if it is not in the arena."""
        offset = address - self._base
        return offset if 0 <= offset < self.size else None

    def bytes_at(self, offset: int, count: int) -> torch.Tensor:
        """Return `count` bytes at `offset` as a uint8 tensor, shape [count], over the shared memory."""
        if offset < 0 or count < 0 or offset + count > self.size:
            raise ValueError("a place outside the arena")
        if isinstance(self._keep, torch.Tensor):  # the judge's: a part needs no call of the driver
            return self._keep[offset : offset + count]
        if count == 0:
            return torch.empty(0, dtype=torch.uint8, device="cuda" if self.kind == "cuda_ipc" else "cpu")
        if self.kind == "cuda_ipc":  # a candidate's, whose tensors have storages of their own
            return cudart.as_tensor(self._base + offset, count)
        return torch.frombuffer(self._keep, dtype=torch.uint8, offset=offset, count=count)

    def tensor(self, slot: Slot) -> torch.Tensor:
        """Return the tensor at `slot`, with the slot's shape, dtype and stride, over the shared memory."""
        flat = self.bytes_at(slot.offset, slot.spec.size_bytes).view(slot.spec.torch_dtype)
        return (
            flat.as_strided(slot.spec.shape, slot.spec.stride) if flat.numel() else flat.view(slot.spec.shape)
        )

    def poison(self, slot: Slot) -> None:
        """Fill the slot with poison, so that unwritten elements show."""
        self.bytes_at(slot.offset, slot.spec.size_bytes).fill_(POISON)

    def guards_intact(self, slots: list[Slot]) -> bool:
        """Return whether the bands around `slots` still hold the poison."""
        bands = []
        for slot in slots:
            end = slot.offset + slot.spec.size_bytes
            bands += [self.bytes_at(slot.offset - GUARD_BYTES, GUARD_BYTES)]
            bands += [self.bytes_at(end, padded_end(slot) - end)]
        return not bands or not int((torch.cat(bands) != POISON).sum())  # one wait for a GPU, not one a band
