"""Takes every kind of argument, and returns plain numbers beside a tensor."""

TASK = "arguments"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, named, several, negate, power, mode, dtype, bias):
        first, second, third = several
        x = (first + second + third).square() * named["scale"]
        assert (power, mode, bias) == (2, "relu", None)
        return {"rows": x.shape[0], "mean": x.mean().item(), "value": (x * (-1 if negate else 1)).to(dtype)}
