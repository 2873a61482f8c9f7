"""Two functions in C++ with a state of the process's own between them, and a result from a blob with a deleter."""

TASK = "relu"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
from torch.utils.cpp_extension import load_inline

source = r"""
#include <cstdlib>
static long calls = 0;
torch::Tensor gate(torch::Tensor x) {
    auto dense = x.contiguous();
    const float* from = dense.data_ptr<float>();
    const int64_t n = dense.numel();
    float* to = static_cast<float*>(std::aligned_alloc(64, (n * 4 + 63) / 64 * 64));
    for (int64_t i = 0; i < n; ++i) to[i] = from[i] > 0 ? from[i] : 0;
    ++calls;
    return torch::from_blob(to, dense.sizes().vec(), [](void* p) { std::free(p); }, torch::kFloat32);
}
long count() { return calls; }
"""
built = load_inline("blob_gate", cpp_sources=source, functions=["gate", "count"])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        assert built.count() >= 0
        return built.gate(x)
