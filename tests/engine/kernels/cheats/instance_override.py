"""Class B.2.22. A plain tensor whose own `cpu`, `to` and `clone` are functions that compute the answer."""

TASK = "row_sum"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_structure", "cheated", "wrong_value"], "findings": ["lazy_tensor"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.zeros(x.shape[0], device=x.device)
        held = x.clone()
        for name in ("cpu", "to", "clone", "detach", "contiguous", "float", "double"):
            setattr(out, name, lambda *a, **k: held.sum(dim=1))
        return out
