"""C++ that does not compile."""

TASK = "relu"
DEVICE = "cpu"
EXPECT = {"outcome": ["build_error"], "findings": []}

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

extension = load_inline(
    name="relu_typo", cpp_sources="torch::Tensor relu(torch::Tensor x) { retrun x; }", functions=["relu"]
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.relu(x)
