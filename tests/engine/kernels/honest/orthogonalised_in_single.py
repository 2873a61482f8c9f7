"""Sums each step in single precision and rounds it once: the reference rounds within steps, and other last bits of its
input are lost when that is rounded to half precision."""

TASK = "orthogonalised"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


def rounded(x):
    return x.bfloat16().float()


class ModelNew(nn.Module):
    def forward(self, gradient):
        a, b, c = 3.4445, -4.7750, 2.0315
        x = rounded(gradient)
        x = rounded(x / (x.norm() + 1e-7))
        for _ in range(5):
            gram = rounded(x @ x.T)
            x = rounded(a * x + rounded(b * gram + c * (gram @ gram)) @ x)
        return x.bfloat16()
