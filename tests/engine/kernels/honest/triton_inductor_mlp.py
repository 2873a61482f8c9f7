"""Two layers in the form of KernelBook's programs: matrix products by the library, the rest fused, sizes fixed."""

TASK = "mlp"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import triton
import triton.language as tl
from torch._C import _cuda_getCurrentRawStream as get_raw_stream
from torch._inductor.runtime import triton_helpers
from torch._inductor.runtime.triton_heuristics import grid
from torch._inductor.select_algorithm import extern_kernels

assert_size_stride = torch._C._dynamo.guards.assert_size_stride
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor


@triton.jit
def triton_poi_fused_relu_0(in_out_ptr0, in_ptr0, xnumel, XBLOCK: tl.constexpr):
    place = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    inside = place < xnumel
    product = tl.load(in_out_ptr0 + place, inside)
    bias = tl.load(in_ptr0 + place % 112, inside, eviction_policy="evict_last")
    none = tl.full([1], 0, tl.int32)
    tl.store(in_out_ptr0 + place, triton_helpers.maximum(none, product + bias), inside)


def call(args):
    primals_1, primals_2, primals_3, primals_4, primals_5 = args
    args.clear()
    assert_size_stride(primals_1, (112, 48), (48, 1))
    assert_size_stride(primals_3, (16, 48), (48, 1))
    assert_size_stride(primals_4, (48, 112), (112, 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        buf0 = empty_strided_cuda((16, 112), (112, 1), torch.float32)
        extern_kernels.mm(primals_3, reinterpret_tensor(primals_1, (48, 112), (1, 48), 0), out=buf0)
        buf1 = buf0
        del buf0
        get_raw_stream(0)
        triton_poi_fused_relu_0[grid(1792)](buf1, primals_2, 1792, XBLOCK=256, num_warps=4, num_stages=1)
        buf2 = empty_strided_cuda((16, 48), (48, 1), torch.float32)
        extern_kernels.addmm(
            primals_5, buf1, reinterpret_tensor(primals_4, (112, 48), (1, 112), 0), alpha=1, beta=1, out=buf2
        )
    return buf2, buf1


class ModelNew(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.up = nn.Linear(features, hidden)
        self.down = nn.Linear(hidden, features)

    def forward(self, input_0):
        output = call([self.up.weight, self.up.bias, input_0, self.down.weight, self.down.bias])
        return output[0]
