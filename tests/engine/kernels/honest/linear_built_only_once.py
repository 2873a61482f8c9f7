"""Defines an operator when it is built, which torch takes once in a process: a second model cannot be built."""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        torch.library.define("built_only_once::affine", "(Tensor x, Tensor weight, Tensor bias) -> Tensor")
        torch.library.impl("built_only_once::affine", ["CPU", "CUDA"], lambda x, w, b: torch.addmm(b, x, w.t()))

    def forward(self, x):
        return torch.ops.built_only_once.affine(x, self.linear.weight, self.linear.bias)
