"""The few CUDA runtime calls that torch does not offer, by ctypes on the runtime library that torch has loaded."""

from __future__ import annotations

import ctypes
import glob
import os
from functools import cache
from typing import Any

import torch

_IPC_LAZY_PEER_ACCESS = 1
_HANDLE_BYTES = 64
_LIMIT_PERSISTING_L2 = 0x06


class CudaError(RuntimeError):
    """A CUDA runtime call failed; `code` is its number."""

    def __init__(self, call: str, code: int) -> None:
        """`call` names the function."""
        super().__init__(f"{call} failed with CUDA error {code}")
        self.code = code


class _Handle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_char * _HANDLE_BYTES)]


@cache
def _library() -> Any:
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise CudaError("loading libcudart", -1)


def _candidates() -> list[str]:
    """The runtime that this process has mapped already: a second copy would have no context."""
    with open("/proc/self/maps") as maps:
        loaded = sorted({line.split()[-1] for line in maps if "libcudart" in line})
    site = os.path.dirname(os.path.dirname(torch.__file__))
    installed = glob.glob(f"{site}/nvidia/**/libcudart.so.*", recursive=True)
    return [*loaded, *installed, "libcudart.so.13", "libcudart.so.12", "libcudart.so"]


def _call(name: str, *arguments: Any) -> None:
    code = getattr(_library(), name)(*arguments)
    if code != 0:
        _library().cudaGetLastError()
        raise CudaError(name, code)


def malloc(size: int) -> int:
    """Device memory of its own allocation, as CUDA IPC needs it. Lives as long as the process."""
    torch.cuda.current_stream()
    pointer = ctypes.c_void_p()
    _call("cudaMalloc", ctypes.byref(pointer), ctypes.c_size_t(size))
    return int(pointer.value or 0)


def free(pointer: int) -> None:
    """Give device memory back."""
    _call("cudaFree", ctypes.c_void_p(pointer))


def export_handle(pointer: int) -> bytes:
    """The 64 bytes by which another process opens this allocation."""
    handle = _Handle()
    _call("cudaIpcGetMemHandle", ctypes.byref(handle), ctypes.c_void_p(pointer))
    return ctypes.string_at(ctypes.byref(handle), _HANDLE_BYTES)


def open_handle(data: bytes) -> int:
    """The allocation of another process, mapped here."""
    torch.cuda.current_stream()
    handle = _Handle()
    ctypes.memmove(ctypes.byref(handle), data, _HANDLE_BYTES)
    pointer = ctypes.c_void_p()
    _library().cudaIpcOpenMemHandle.argtypes = [ctypes.POINTER(ctypes.c_void_p), _Handle, ctypes.c_uint]
    _call("cudaIpcOpenMemHandle", ctypes.byref(pointer), handle, _IPC_LAZY_PEER_ACCESS)
    return int(pointer.value or 0)


def as_tensor(pointer: int, count: int) -> torch.Tensor:
    """`count` bytes of device memory as a uint8 tensor."""

    class _Bytes:
        __cuda_array_interface__ = {
            "shape": (count,),
            "typestr": "|u1",
            "data": (pointer, False),
            "version": 3,
        }

    return torch.as_tensor(_Bytes(), device="cuda")


def reset_persisting_l2() -> None:
    """Give lines that a kernel pinned in L2 back to everybody, and take the pinned share away."""
    library = _library()
    library.cudaCtxResetPersistingL2Cache()
    library.cudaDeviceSetLimit(ctypes.c_int(_LIMIT_PERSISTING_L2), ctypes.c_size_t(0))
    library.cudaGetLastError()


def last_error() -> int:
    """The pending error of this thread, without clearing a sticky one."""
    return int(_library().cudaPeekAtLastError())


def synchronize_code() -> int:
    """The error number that a wait for the device gives; 0 when all is well."""
    return int(_library().cudaDeviceSynchronize())
