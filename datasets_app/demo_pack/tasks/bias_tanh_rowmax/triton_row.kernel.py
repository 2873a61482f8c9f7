import torch
import torch.nn as nn
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def rowmax_kernel(x_ptr, bias_ptr, gain_ptr, out_ptr, channels, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < channels
    x = tl.load(x_ptr + row * channels + cols, mask=inside, other=0.0)
    bias = tl.load(bias_ptr + cols, mask=inside, other=0.0)
    gain = tl.load(gain_ptr + cols, mask=inside, other=0.0)
    v = libdevice.tanh(x + bias) * gain
    best = tl.max(tl.where(inside, v, float("-inf")), axis=0)
    tl.store(out_ptr + row, best)

class ModelNew(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(channels) * 0.1)
        self.gain = nn.Parameter(torch.randn(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, channels = x.shape
        out = torch.empty(rows, dtype=x.dtype, device=x.device)
        rowmax_kernel[(rows,)](
            x, self.bias, self.gain, out, channels, BLOCK=triton.next_power_of_2(channels), num_warps=2
        )
        return out
