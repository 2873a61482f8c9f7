"""CUDA calls that torch does not offer, by ctypes on the runtime that torch has loaded and on the driver."""

from __future__ import annotations

import ctypes
import glob
import os
from functools import cache
from typing import Any

import torch

_IPC_LAZY_PEER_ACCESS = 1
_HANDLE_BYTES = 64
_PAGE_BYTES = 2 * 2**20
_LIMIT_PERSISTING_L2 = 0x06


class CudaError(RuntimeError):
    """A CUDA runtime call failed with the number `code`."""

    def __init__(self, call: str, code: int) -> None:
        """Store the function's name and the number."""
        super().__init__(f"{call} failed with CUDA error {code}")
        self.code = code


class _Handle(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_char * _HANDLE_BYTES)]


@cache
def _driver() -> Any:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise CudaError("loading libcuda", -1) from error


@cache
def _library() -> Any:
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise CudaError("loading libcudart", -1)


def _candidates() -> list[str]:
    """Return library paths, the runtime that this process has mapped first: a second copy would have no context."""
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
    """Return a separate allocation of device memory, as CUDA IPC needs it. It lives as long as the process.

    It is a multiple of 2 MiB: another process maps a block of any other size with pages of 4 KiB, and calls that read
    more than some 500 MiB of such a block take a quarter longer (H200).
    """
    torch.cuda.current_stream()
    pointer = ctypes.c_void_p()
    size = -(-size // _PAGE_BYTES) * _PAGE_BYTES
    _call("cudaMalloc", ctypes.byref(pointer), ctypes.c_size_t(size))
    return int(pointer.value or 0)


def free(pointer: int) -> None:
    """Free device memory."""
    _call("cudaFree", ctypes.c_void_p(pointer))


def export_handle(pointer: int) -> bytes:
    """Return the 64 bytes with which another process opens this allocation."""
    handle = _Handle()
    _call("cudaIpcGetMemHandle", ctypes.byref(handle), ctypes.c_void_p(pointer))
    return ctypes.string_at(ctypes.byref(handle), _HANDLE_BYTES)


def open_handle(data: bytes) -> int:
    """Map another process's allocation and return its address."""
    torch.cuda.current_stream()
    handle = _Handle()
    ctypes.memmove(ctypes.byref(handle), data, _HANDLE_BYTES)
    pointer = ctypes.c_void_p()
    _library().cudaIpcOpenMemHandle.argtypes = [ctypes.POINTER(ctypes.c_void_p), _Handle, ctypes.c_uint]
    _call("cudaIpcOpenMemHandle", ctypes.byref(pointer), handle, _IPC_LAZY_PEER_ACCESS)
    return int(pointer.value or 0)


def address_range(pointer: int) -> tuple[int, int]:
    """Return the address and the bytes of the allocation that holds `pointer`. Raises CudaError for other memory."""
    base, size = ctypes.c_uint64(), ctypes.c_size_t()
    code = _driver().cuMemGetAddressRange_v2(ctypes.byref(base), ctypes.byref(size), ctypes.c_uint64(pointer))
    if code != 0:
        raise CudaError("cuMemGetAddressRange", code)
    return base.value, size.value


def queue_on_word(call: str, address: int, value: int, flags: int) -> None:
    """Queue `call` of the driver, a wait for a word of device memory or a write to it, in the current stream."""
    stream = torch.cuda.current_stream().cuda_stream
    code = getattr(_driver(), call)(
        ctypes.c_void_p(stream), ctypes.c_uint64(address), ctypes.c_uint32(value), ctypes.c_uint(flags)
    )
    if code != 0:
        raise CudaError(call, code)


class _Bytes:
    """Device memory, in the form in which torch takes another library's arrays."""

    def __init__(self, pointer: int, count: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (count,),
            "typestr": "|u1",
            "data": (pointer, False),
            "version": 3,
        }


def as_tensor(pointer: int, count: int) -> torch.Tensor:
    """Return device memory as a uint8 tensor, shape [count]."""
    return torch.as_tensor(_Bytes(pointer, count), device="cuda")


def reset_persisting_l2() -> None:
    """Reset L2 lines that a kernel pinned, and remove the share reserved for them."""
    library = _library()
    library.cudaCtxResetPersistingL2Cache()
    library.cudaDeviceSetLimit(ctypes.c_int(_LIMIT_PERSISTING_L2), ctypes.c_size_t(0))
    library.cudaGetLastError()


def synchronize_code() -> int:
    """Wait for the device and return the error number; 0 means success."""
    return int(_library().cudaDeviceSynchronize())
