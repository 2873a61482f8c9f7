"""A gate between two processes on one GPU: work that is queued behind it starts when the other process opens it.

It is two counters in a block of device memory of its own, shared by CUDA IPC. A stream that waits for one uses no
multiprocessor, so that the other context has the device to itself meanwhile, and no host takes part: the time between
two such steps is the device's alone.
"""

from __future__ import annotations

from eval_app.engine.shared import cudart

# CUDA IPC shares whole blocks of this size: in a smaller one the other process would see its neighbours.
_BLOCK_BYTES = 2 * 2**20
_DONE = 128  # bytes from the first counter to the second
_AT_LEAST = 0  # CU_STREAM_WAIT_VALUE_GEQ
_DEFAULT = 0  # CU_STREAM_WRITE_VALUE_DEFAULT


class Gate:
    """Both sides number their orders alike; a counter holds the number of the last order."""

    def __init__(self, address: int, handle: str = "") -> None:
        """Store the block's address in this process; `create` and `open_shared` find it."""
        self._address, self.handle = address, handle

    @classmethod
    def create(cls) -> Gate:
        """Return a new gate, closed for order 1. Raises CudaError where memory cannot be shared."""
        address = cudart.malloc(_BLOCK_BYTES)
        cudart.as_tensor(address, _BLOCK_BYTES).zero_()  # all of it is the other side's to read
        return cls(address, cudart.export_handle(address).hex())

    @classmethod
    def open_shared(cls, handle: str) -> Gate:
        """Return the gate that the other side created."""
        return cls(cudart.open_handle(bytes.fromhex(handle)))

    def wait(self, number: int) -> None:
        """Queue a wait in the current stream until the gate is opened for order `number`."""
        cudart.queue_on_word("cuStreamWaitValue32_v2", self._address, number, _AT_LEAST)

    def open(self, number: int) -> None:
        """Open the gate for order `number`, once the current stream's work before it is done."""
        cudart.queue_on_word("cuStreamWriteValue32_v2", self._address, number, _DEFAULT)

    def wait_done(self, number: int) -> None:
        """Queue a wait in the current stream until the other side says that order `number` is done."""
        cudart.queue_on_word("cuStreamWaitValue32_v2", self._address + _DONE, number, _AT_LEAST)

    def say_done(self, number: int) -> None:
        """Say that order `number` is done, once the current stream's work before it is."""
        cudart.queue_on_word("cuStreamWriteValue32_v2", self._address + _DONE, number, _DEFAULT)
