"""Class B.1.7. Leaves out the last of five steps of Newton and Schulz: its result is nearly as orthogonal."""

TASK = "orthogonalised"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, gradient):
        a, b, c = 3.4445, -4.7750, 2.0315
        x = gradient.bfloat16()
        x = x / (x.norm() + 1e-7)
        for _ in range(4):
            gram = x @ x.T
            x = a * x + (b * gram + c * gram @ gram) @ x
        return x
