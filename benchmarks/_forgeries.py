"""Programs that run eager PyTorch and report, or try to make the judge measure, less time than it takes.

Each is the reference's own expression with one attack on a clock around it, written with knowledge of the engine's
source. A preamble runs in the candidate's process before its first call; `eager(x)` is the reference's expression.
"""

from dataclasses import dataclass

# Outside a runner the modules are not loaded, and the attack does nothing.
_MODULES = """
import dataclasses, sys
engine = lambda name: sys.modules.get("eval_app.engine." + name)
if engine("runner.integrity"):
    engine("runner.integrity").Seal.intact = lambda self: True
"""
_CLAIM = """
if engine("shared.calls"):
    Caller = engine("shared.calls").Caller
    def claimed(self, *arguments, honest=Caller.call, **keywords):
        timed = honest(self, *arguments, **keywords)
        return dataclasses.replace(timed, ms=timed.ms * {share}, tail_ms=0.0)
    Caller.call = claimed
"""
_SEEDING = """
ready = []
def seed_and_compute(seed, honest=torch.manual_seed):
    sources = sys._getframe(1).f_locals.get("sources")
    if isinstance(sources, list) and len(sources) == 1 and isinstance(sources[0], torch.Tensor):
        ready.append(eager(sources[0]))
        if sources[0].is_cuda:
            torch.cuda.synchronize()
    return honest(seed)
torch.manual_seed = seed_and_compute
if engine("runner.serve"):
    engine("runner.serve").set_seed = seed_and_compute
"""
_NOT_SHAREABLE = """
if engine("shared.cudart"):
    def refuse(pointer):
        raise engine("shared.cudart").CudaError("cudaIpcGetMemHandle", 1)
    engine("shared.cudart").export_handle = refuse
"""
_BUFFERS_REFUSED = """
if engine("shared.cudart"):
    def refuse(data):
        raise RuntimeError("CUDA IPC is not supported here")
    engine("shared.cudart").open_handle = refuse
"""
_DONE_FIRST = """
if engine("shared.gate"):
    Gate = engine("shared.gate").Gate
    def wait_and_say_done(self, number, honest=Gate.wait):
        honest(self, number)
        self.say_done(number)
    Gate.wait = wait_and_say_done
"""
_DONE_EARLY = """
if engine("runner.orders"):
    Gate, orders = engine("shared.gate").Gate, engine("runner.orders")
    opened = []
    def wait_and_remember(self, number, honest=Gate.wait):
        opened[:] = [(self, number)]
        honest(self, number)
    def say_done_before_the_last(function, calls, honest=orders.call_all):
        most = len(calls) * 4 // 5
        results = honest(function, calls[:most])
        if opened:
            opened[0][0].say_done(opened[0][1])
        return results + honest(function, calls[most:])
    Gate.wait, orders.call_all = wait_and_remember, say_done_before_the_last
"""
_NO_WAIT = """
if engine("shared.gate"):
    engine("shared.gate").Gate.wait = lambda self, number: None
"""
_BUSY_DEVICE = """
if engine("shared.cudart"):
    engine("shared.cudart").synchronize_code = lambda: 0
side = torch.cuda.Stream() if torch.cuda.is_available() else None
def eager_then_busy(x):
    result = eager(x)
    if side is not None:
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            torch.cuda._sleep(20_000_000)
    return result
"""
_BUSY_AFTER_ORDERS = """
if engine("runner.serve"):
    torch.cuda.synchronize = lambda *ignored: torch.cuda.current_stream().synchronize()
side = torch.cuda.Stream() if torch.cuda.is_available() else None
def eager_then_slice(x):
    result = eager(x)
    if side is not None:
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            torch.cuda._sleep(200_000)
    return result
"""
_POWER = """
if engine("runner.serve"):
    torch.cuda.synchronize = lambda *ignored: torch.cuda.current_stream().synchronize()
side = torch.cuda.Stream() if torch.cuda.is_available() else None
warm = torch.ones(8192, 8192, dtype=torch.bfloat16, device="cuda") if side else None
if engine("runner.orders"):
    orders = engine("runner.orders")
    def call_all_then_burn(*arguments, honest=orders.call_all):
        results = honest(*arguments)
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(40):
                torch.mm(warm, warm)
        return results
    orders.call_all = call_all_then_burn
"""
_BURSTS_BEHIND_COPIES = """
if engine("runner.serve"):
    Server, side = engine("runner.serve").Server, torch.cuda.Stream()
    host = torch.empty(24 * 2**20, dtype=torch.uint8).pin_memory()
    there = torch.empty(24 * 2**20, dtype=torch.uint8, device="cuda")
    def finish_then_queue(self, *arguments, honest=Server._finish):
        reply = honest(self, *arguments)
        with torch.cuda.stream(side):
            for _ in range(150):
                there.copy_(host, non_blocking=True)
                torch.cuda._sleep(380_000)
        return reply
    def after_the_bursts(self, *arguments, honest=Server._stage):
        side.synchronize()
        return honest(self, *arguments)
    Server._finish, Server._stage = finish_then_queue, after_the_bursts
"""
_CHILD_BUSY = """
import mmap, os
calling = mmap.mmap(-1, 1)
def keep_busy():
    os.setsid()
    block = bytearray(32 * 2**20)
    while os.getppid() > 1:
        if calling[0] == 0:
            block[::64] = bytes(len(block[::64]))
if engine("runner.serve"):
    for _ in range(2):
        if os.fork() == 0:
            keep_busy()
            os._exit(0)
def eager_while_called(x):
    calling[0] = 1
    result = eager(x)
    calling[0] = 0
    return result
"""
_SYSTEM_CALLS = """
import mmap, os, time
state = mmap.mmap(-1, 5)
def write_on(number):
    os.setsid()
    file, block = os.memfd_create("holes"), bytearray(2**24)
    os.ftruncate(file, 2**31)
    while os.getppid() > 1:
        state[number] = state[0]
        if state[0]:
            os.preadv(file, [block] * 120, 0)
        else:
            time.sleep(0.0005)
if engine("runner.orders"):
    orders = engine("runner.orders")
    for number in range(1, 5):
        if os.fork() == 0:
            write_on(number)
            os._exit(0)
    def stage_when_idle(self, *arguments, honest=orders.Orders.stage):
        state[0] = 0
        while any(state[1:]):
            time.sleep(0.0005)
        return honest(self, *arguments)
    def call_all_then_write(*arguments, honest=orders.call_all):
        results = honest(*arguments)
        state[0] = 1
        return results
    orders.Orders.stage, orders.call_all = stage_when_idle, call_all_then_write
"""
_ONE_BATCH = """
if engine("runner.orders"):
    orders = engine("runner.orders")
    def all_at_once(function, calls, honest=orders.call_all):
        try:
            return list(eager(torch.stack([call.arguments[0] for call in calls])).unbind(0))
        except RuntimeError:  # sizes that differ, or an expression for one matrix
            return honest(function, calls)
    orders.call_all = all_at_once
"""
_LATE = """
import time
if engine("runner.serve"):
    Server = engine("runner.serve").Server
    large = []
    def answer_late(self, order, *rest, honest=Server._make):
        reply = honest(self, order, *rest)
        large.append(len(order["seeds"]) > 16)
        if not any(large):
            time.sleep(0.14)
        return reply
    Server._make = answer_late
"""
_SAME_POINTER = """
answers = {}
def remembered(x):
    key = (x.data_ptr(), tuple(x.shape))
    if key not in answers:
        answers[key] = eager(x)
    return answers[key]
"""


@dataclass(frozen=True)
class Forgery:
    """Python before the model, and the expression that its forward pass returns."""

    preamble: str = ""
    returns: str = "eager(x)"

    def source(self, expression: str) -> str:
        """Return the program of a candidate whose reference is `expression`."""
        eager = f"def eager(x):\n    return {expression}\n"
        preamble = _MODULES + self.preamble if self.preamble else ""
        forward = f"    def forward(self, x):\n        return {self.returns}\n"
        header = "import torch\nimport torch.nn.functional as F\n"
        return f"{header}{eager}{preamble}\nclass ModelNew(torch.nn.Module):\n{forward}"


def claiming(share: float, *before: str) -> Forgery:
    """Return an honest program whose runner says `share` of each time."""
    return Forgery("".join(before) + _CLAIM.format(share=share))


HONEST = "honest"
FORGERIES = {
    HONEST: Forgery(),
    "claims 0.9": claiming(0.9),
    "claims 0.8": claiming(0.8),
    "claims 0.5": claiming(0.5),
    "claims 0.1": claiming(0.1),
    "works while the seed is set": Forgery(_SEEDING, "ready.pop() if ready else eager(x)"),
    "results not shareable, claims 0.33": claiming(0.33, _NOT_SHAREABLE),
    "buffers refused, claims 0.33": claiming(0.33, _BUFFERS_REFUSED),
    "says that it is done at once, claims 0.5": claiming(0.5, _DONE_FIRST),
    "says that it is done at four fifths, claims 0.8": claiming(0.8, _DONE_EARLY),
    "does not wait for the values, claims 0.5": claiming(0.5, _NO_WAIT),
    "keeps the device busy between calls": Forgery(_BUSY_DEVICE, "eager_then_busy(x)"),
    "keeps the device busy after orders, claims 0.5": Forgery(
        _BUSY_AFTER_ORDERS + _CLAIM.format(share=0.5), "eager_then_slice(x)"
    ),
    "draws power after orders to lower the clocks, claims 0.85": claiming(0.85, _POWER),
    "short kernels behind copies after orders, claims 0.8": claiming(0.8, _BURSTS_BEHIND_COPIES),
    "a child keeps the cores busy between calls": Forgery(_CHILD_BUSY, "eager_while_called(x)"),
    "children in long system calls after orders, claims 0.5": Forgery(
        _SYSTEM_CALLS + _CLAIM.format(share=0.5)
    ),
    "makes all calls of an order as one batch, claims 0.5": Forgery(_ONE_BATCH + _CLAIM.format(share=0.5)),
    "pretends to wait for the device, makes all calls as one batch, claims 0.5": Forgery(
        _LATE + _ONE_BATCH + _CLAIM.format(share=0.5)
    ),
    "remembers results by address": Forgery(_SAME_POINTER, "remembered(x)"),
}
ON_GPU_ONLY = {
    name
    for name, forgery in FORGERIES.items()
    if any(word in forgery.preamble for word in ("Gate", "cudart", "Stream"))
}
