"""A dataclass of its own, with the reference's fields."""

TASK = "statistics"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Result:
    largest: torch.Tensor
    mean: torch.Tensor


class ModelNew(nn.Module):
    def forward(self, x):
        return Result(largest=x.max(dim=-1).values, mean=x.sum(dim=-1) / x.shape[-1])
